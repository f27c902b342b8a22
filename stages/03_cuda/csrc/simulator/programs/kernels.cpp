// Launches: a kernel's closure, handed to the engine in its turn, and what may come of it.
#include <string.h>

#include <algorithm>
#include <map>

#include "program.h"

// Where the program's __shared__ variables lie: linked into each (programs/build.py).
extern "C" __attribute__((weak)) void norch_program_shared(char** begin, char** end);

namespace norch_sim {
namespace {
thread_local void** given = nullptr;  // parameters of cudaLaunchKernel
struct Shape : Sizes {
  Place at;
  bool given = false, cooperative = false;
};
thread_local Shape next{};                    // of the launch whose arguments are being evaluated
std::vector<std::function<void()>> children;  // launches of the kernel that runs
std::mutex children_mutex;
using Code = void (*)(void**);       // of a kernel: each instance of a template has its own
thread_local Code* asked = nullptr;  // the kernel that is called next says which it is
std::map<Code, int> allowed_shared;  // by cudaFuncSetAttribute

uint64_t most_shared(Code code) {
  auto found = allowed_shared.find(code);
  return found == allowed_shared.end() ? 48 * 1024 : found->second;
}

LaunchOptions options_of(const Shape& shape, const Kernel& kernel) {
  LaunchOptions options{};
  options.grid[0] = shape.grid.x, options.grid[1] = shape.grid.y, options.grid[2] = shape.grid.z;
  options.block[0] = shape.block.x, options.block[1] = shape.block.y;
  options.block[2] = shape.block.z;
  options.dynamic_shared = shape.shared;
  options.max_dynamic_shared = most_shared(kernel.call);
  options.step = settings().step;
  options.checked = settings().checked;
  options.workers = settings().workers;
  options.seconds = settings().seconds;
  return options;
}

// CUDA's name of what the engine says.
cudaError_t error_of(const std::string& message) {
  constexpr std::pair<const char*, cudaError_t> kWords[] = {
      {"__launch_bounds__ allows", cudaErrorLaunchOutOfResources},
      {"bytes of shared memory", cudaErrorInvalidValue},
      {"cannot be launched", cudaErrorInvalidConfiguration},
      {"a grid has at most", cudaErrorInvalidConfiguration},
      {"a block has at most", cudaErrorInvalidConfiguration},
      {"assert(", cudaErrorAssert},
      {"no multiple of", cudaErrorMisalignedAddress},
      {"outside", cudaErrorIllegalAddress},
      {"a null pointer", cudaErrorIllegalAddress},
      {"where no array is", cudaErrorIllegalAddress},
      {"after the time allowed", cudaErrorLaunchTimeout},
  };
  for (const auto& [words, error] : kWords) {
    if (message.find(words) != std::string::npos) return error;
  }
  return cudaErrorLaunchFailure;
}

void replace(std::string& text, const std::string& old, const std::string& by) {
  size_t at = text.find(old);
  if (at != std::string::npos) text.replace(at, old.size(), by);
}

// The engine's message in the words of a program: its lines, its arrays, its syntax.
std::string explain(const LaunchReport& report) {
  std::string message = report.message;
  size_t calls = std::find(report.calls, report.calls + kMaxCalls, 0u) - report.calls;
  for (int i = 0; i < kMaxSites; i++) {
    std::string mark = "{" + std::to_string(i) + "}";
    if (message.find(mark) == std::string::npos) continue;
    bool through = i == 0 && calls > 0;
    replace(message, mark, line_of(through ? report.calls : &report.sites[i], through ? calls : 1));
  }
  size_t at = message.find("argument ");
  if (at != std::string::npos && isdigit(message[at + 9])) {
    size_t number = atoi(&message[at + 9]);
    std::vector<Memory*> all = living_memory();
    if (number <= all.size()) {
      replace(message, "argument " + std::to_string(number), describe(*all[number - 1]));
    }
  }
  replace(message, "run it inside norch_cuda.simulator(check=True)", "run it with --check");
  replace(message, "dynamic_shared says", "the launch says");
  replace(message, "say kernel(grid, block, ..., dynamic_shared=bytes)",
          "say kernel<<<grid, block, bytes>>>");
  replace(message, "load_kernel(..., max_dynamic_shared=bytes)",
          "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)");
  return message;
}

std::string in_brackets(const dim3& size) {
  return "(" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " +
         std::to_string(size.z) + ")";
}

// Runs the launches of the kernel that has just ended, each with those of its own.
void run_children() {
  for (auto& child : std::exchange(children, {})) {
    if (result() == cudaSuccess) child();
  }
}

void run(const Kernel& kernel, const Shape& shape, const void* closure) {
  if (result() != cudaSuccess) return;
  LaunchOptions options = options_of(shape, kernel);
  std::vector<Array> arrays;
  for (Memory* m : living_memory()) {
    arrays.push_back({m->begin, m->end, m->begin, m->end, static_cast<int>(arrays.size()), 0, 0});
  }
  options.arrays = arrays.data();
  options.num_arrays = static_cast<int>(arrays.size());
  if (settings().checked) place_variables(options);
  Library library{&kernel, 1, norch_program_shared, nullptr, 0};
  LaunchReport report{};
  program.cooperative = shape.cooperative;
  auto begin = Clock::now();
  int failed = norch_sim_launch(&library, 0, static_cast<void**>(const_cast<void*>(closure)),
                                &options, &report);
  std::chrono::duration<double> took = Clock::now() - begin;
  int64_t threads = int64_t(shape.grid.x) * shape.grid.y * shape.grid.z * shape.block.x *
                    shape.block.y * shape.block.z;
  measured(true, kernel.name).add(threads, took.count());
  std::string damage = close_after_launch();
  std::string message = failed ? explain(report) : damage;
  if (message.empty()) return run_children();
  cudaError_t error = error_of(message);
  say(std::string(kernel.name) + ": " + message + "\n    launched at " + words(shape.at) + " as " +
      kernel.name + "<<<" + in_brackets(shape.grid) + ", " + in_brackets(shape.block) +
      ">>>; from here on calls return " + cudaGetErrorName(error));
  break_device(error);
}
}  // namespace

Packed::operator bool() const { return given != nullptr; }
void* Packed::next() const { return *given++; }
void Packed::done() const { given = nullptr; }

void configure(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, Place at) {
  next = {{grid, block, shared, stream}, at, true};
}

void launch_closure(const Kernel& kernel, const void* closure, Keep keep) {
  if (asked != nullptr) {
    *std::exchange(asked, nullptr) = kernel.call;
    return;
  }
  Shape shape = std::exchange(next, {});
  auto kept_run = [&] { return [=, kept = keep(closure)] { run(kernel, shape, kept.get()); }; };
  if (self != nullptr) {
    std::lock_guard<std::mutex> lock(children_mutex);
    children.push_back(kept_run());
    return;
  }
  Lock lock(api());
  std::string name = std::string(kernel.name) + "<<<>>>";
  LaunchReport report{};
  std::string objection = shape.given ? refuse(options_of(shape, kernel), kernel, 0)
                                      : "it cannot be launched without <<<grid, block>>>";
  if (!objection.empty()) {
    strncpy(report.message, objection.c_str(), sizeof report.message - 1);
    refuse_call(error_of(objection), {name.c_str(), shape.at}, explain(report));
    return;
  }
  if (runs_at_once(shape.stream)) return run(kernel, shape, closure);
  std::vector<Memory*> managed = living_memory();
  managed.erase(
      std::remove_if(managed.begin(), managed.end(), [](Memory* m) { return m->kind != kManaged; }),
      managed.end());
  submit(shape.stream, std::string(kernel.name) + " (launched at " + words(shape.at) + ")",
         kept_run(), managed);
}

namespace {
// Calls a kernel's function, which takes its parameters from `given`, or answers `asked`; what it
// is called with is not read.
void call_kernel(const void* kernel) {
  struct Room {
    char bytes[4096];
  };
  reinterpret_cast<void (*)(Room)>(const_cast<void*>(kernel))(Room{});
}

Code code_of(const void* kernel) {
  Code code = nullptr;
  asked = &code;
  call_kernel(kernel);
  return code;
}
}  // namespace

cudaError_t launch_packed(Call call, const void* kernel, Sizes sizes, void** arguments,
                          bool cooperative) {
  static void* none[1];
  next = {sizes, call.at, true, cooperative};
  given = arguments != nullptr ? arguments : none;
  call_kernel(kernel);
  packed.done();
  return cudaPeekAtLastError();
}

cudaError_t set_attribute(Call call, const void* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (size_t(value) > cudaDeviceProp().sharedMemPerBlockOptin) {
    return refuse_call(cudaErrorInvalidValue, call,
                       std::to_string(value) + " bytes of shared memory, at most 232448 are there");
  }
  Lock lock(api());
  allowed_shared[code_of(kernel)] = value;
  return cudaSuccess;
}

cudaError_t function_attributes(Call, const void* kernel, cudaFuncAttributes* attributes) {
  Lock lock(api());
  *attributes = {0, 0, 0, 1024, 32, 80, 80, 0, static_cast<int>(most_shared(code_of(kernel))), 0};
  return result();
}

int blocks_of_occupancy(int block, size_t shared) {
  cudaDeviceProp device;
  int warps = std::max((block + 31) / 32, 1);
  int fit = static_cast<int>(device.sharedMemPerMultiprocessor /
                             (shared + device.reservedSharedMemPerBlock));
  return std::min(
      {device.maxBlocksPerMultiProcessor, device.maxThreadsPerMultiProcessor / (32 * warps), fit});
}
}  // namespace norch_sim
