// The program around its kernels: what only they may not call, the host's faults, the beginning.
#include <assert.h>
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "program.h"

namespace norch_sim {
namespace {
struct sigaction before;

// The line of host code that a signal found.
std::string line_of_host(void* context) {
#if defined(__x86_64__)
  auto code = uint64_t(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  auto code = uint64_t(static_cast<ucontext_t*>(context)->uc_mcontext.pc);
#endif
  Dl_info image;
  if (!dladdr(reinterpret_cast<void*>(code), &image)) return "an unknown line";
  uint64_t offset = code - reinterpret_cast<uint64_t>(image.dli_fbase);
  return line_of(&offset, 1);
}

// Host code has touched memory that is closed to it: said, and the end unless it only came early.
void handle_host_fault(int signal, siginfo_t* info, void* context) {
  uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
  Memory* m = self == nullptr ? memory_near(address) : nullptr;
  if (m == nullptr || m->room == 0) {
    sigaction(signal, &before, nullptr);
    return;
  }
  std::string what = "host code reads or writes at " + line_of_host(context) + " ";
  if (m->busy > 0 && address - m->page < m->room) {
    m->busy = 0;
    set_open(*m, true);
    return say(what + describe(*m) + " while " + still_running() +
               " may still run: call cudaDeviceSynchronize() before");
  }
  std::string outside = memory_at(address) ? "" : outside_of(address);
  std::string where = m->freed.file || outside.empty() ? describe(*m) : outside;
  stop_program(what + where +
               (m->freed.file || m->kind != kDevice
                    ? ""
                    : ": device memory, which the host reaches by cudaMemcpy only"));
}

// The variables of a checked program: programs/build.py writes them behind the executable.
struct Placed {
  std::vector<Variable> shared, others;
  std::string text;

  Placed() {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    const std::string mark = "\nnorch variables\n";
    size_t at = text.rfind(mark);
    text = at == std::string::npos ? "" : text.substr(at + mark.size());
    for (char* row = strtok(text.data(), "\n"); row; row = strtok(nullptr, "\n")) {
      unsigned long long offset, size;
      int role, name;
      char kind;
      if (sscanf(row, "%c %llu %llu %d %n", &kind, &offset, &size, &role, &name) < 4) continue;
      auto& list = kind == 's' ? shared : others;
      list.push_back({offset, size, row + name, static_cast<Role>(role)});
    }
  }
};

int begin() {
  program.running = true;
  program.open = open_for_kernel;
  program.place_of = describe_address;
  struct sigaction ours{};
  ours.sa_sigaction = handle_host_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  return sigaction(SIGSEGV, &ours, &before);
}
const int begun = begin();
}  // namespace

void place_variables(LaunchOptions& options) {
  static const auto& placed = *new Placed;
  options.shared = placed.shared.data(), options.num_shared = placed.shared.size();
  options.variables = placed.others.data(), options.num_variables = placed.others.size();
}
}  // namespace norch_sim

// ---- what is linked instead of the C library's functions: for kernels they mean something else
// ----

using norch_sim::fail_at;
using norch_sim::free_watched;
using norch_sim::malloc_watched;
using norch_sim::self;

#define NORCH_MEMORY(result, name, parameters, in_kernel, on_host) \
  extern "C" result __wrap_##name parameters { return self ? in_kernel : on_host; }
NORCH_MEMORY(void*, malloc, (size_t n), malloc_watched(n), malloc(n))
NORCH_MEMORY(void, free, (void* p), free_watched(p), free(p))
NORCH_MEMORY(void*, _Znwm, (size_t n), malloc_watched(n), operator new(n))
NORCH_MEMORY(void*, _Znam, (size_t n), malloc_watched(n), operator new[](n))
NORCH_MEMORY(void, _ZdlPv, (void* p), free_watched(p), operator delete(p))
NORCH_MEMORY(void, _ZdaPv, (void* p), free_watched(p), operator delete[](p))
NORCH_MEMORY(void, _ZdlPvm, (void* p, size_t), free_watched(p), operator delete(p))
#define NORCH_END(name, parameters, call)                 \
  extern "C" void __wrap_##name parameters {              \
    if (self == nullptr) call;                            \
    fail_at("calls " #name, __builtin_return_address(0)); \
  }
NORCH_END(exit, (int status), exit(status))
NORCH_END(_exit, (int status), _exit(status))
NORCH_END(abort, (), abort())
extern "C" void __wrap___assert_fail(const char* condition, const char* file, unsigned line,
                                     const char* function) {
  if (self == nullptr) __assert_fail(condition, file, line, function);
  norch_sim::fail(("assert(" + std::string(condition) + ") failed").c_str(), file,
                  static_cast<int>(line));
}
