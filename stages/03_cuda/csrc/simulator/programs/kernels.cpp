// Launches: a kernel's closure, handed to the engine in its turn, and what may come of it.
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "program.h"

// Where the program's __shared__ variables lie: linked into each (programs/build.py).
extern "C" __attribute__((weak)) void norch_program_shared(char** begin, char** end);

namespace norch_sim {
namespace {
thread_local void** given = nullptr;  // parameters of cudaLaunchKernel
struct Shape {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  Place at;
  bool cooperative = false, given = false;
};
thread_local Shape next{};                    // of the launch whose arguments are being evaluated
std::vector<std::function<void()>> children;  // launches of the kernel that runs
std::mutex children_mutex;
int most_shared = 48 * 1024;

LaunchOptions options_of(const Shape& shape) {
  LaunchOptions options{};
  const dim3 sizes[] = {shape.grid, shape.block};
  for (int i = 0; i < 2; i++) {
    unsigned* to = i == 0 ? options.grid : options.block;
    to[0] = sizes[i].x, to[1] = sizes[i].y, to[2] = sizes[i].z;
  }
  options.dynamic_shared = shape.shared;
  options.max_dynamic_shared = static_cast<uint64_t>(most_shared);
  options.step = settings().step;
  options.checked = settings().checked;
  options.workers = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
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
    int number = atoi(&message[at + 9]);
    replace(message, "argument " + std::to_string(number), name_of_array(number));
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
  LaunchOptions options = options_of(shape);
  std::vector<Array> arrays = living_arrays();
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
  next = {grid, block, shared, stream, at, false, true};
}

void launch_closure(const Kernel& kernel, const void* closure, Keep keep) {
  Shape shape = std::exchange(next, {});
  if (self != nullptr) {
    std::lock_guard<std::mutex> lock(children_mutex);
    children.push_back([=, kept = keep(closure)] { run(kernel, shape, kept.get()); });
    return;
  }
  Lock lock(api());
  if (!shape.given) {
    refuse_call(cudaErrorInvalidConfiguration, kernel.name, Place{"", 0},
                "a kernel is called without <<<grid, block>>>");
    return;
  }
  std::string objection = refuse(options_of(shape), kernel, 0);
  if (!objection.empty()) {
    LaunchReport report{};
    strncpy(report.message, objection.c_str(), sizeof report.message - 1);
    refuse_call(error_of(objection), std::string(kernel.name) + "<<<>>>", shape.at,
                explain(report));
    return;
  }
  if (!settings().async) return run(kernel, shape, closure);
  std::vector<Memory*> managed;
  for_each_memory([&](Memory& m) {
    if (m.kind == MemoryKind::kManaged && m.freed.file == nullptr) managed.push_back(&m);
  });
  std::string what = std::string(kernel.name) + " (launched at " + words(shape.at) + ")";
  submit(
      shape.stream, what, [=, kept = keep(closure)] { run(kernel, shape, kept.get()); }, managed);
}

// The kernel's function takes its parameters from `given`; what it is called with is not read.
cudaError_t launch_packed(const void* kernel, dim3 grid, dim3 block, void** arguments,
                          size_t shared, cudaStream_t stream, bool cooperative, Place at) {
  struct Room {
    char bytes[4096];
  };
  static void* none[1];
  configure(grid, block, shared, stream, at);
  next.cooperative = cooperative;
  given = arguments != nullptr ? arguments : none;
  reinterpret_cast<void (*)(Room)>(const_cast<void*>(kernel))(Room{});
  packed.done();
  return cudaPeekAtLastError();
}

cudaError_t allow_shared(int bytes, Place at) {
  if (size_t(bytes) > cudaDeviceProp().sharedMemPerBlockOptin) {
    return refuse_call(cudaErrorInvalidValue, "cudaFuncSetAttribute", at,
                       std::to_string(bytes) + " bytes of shared memory, at most 232448 are there");
  }
  most_shared = std::max(most_shared, bytes);
  return cudaSuccess;
}

int blocks_of_occupancy(int block, size_t shared) {
  cudaDeviceProp device;
  int warps = (block + 31) / 32;
  int blocks = std::min(device.maxBlocksPerMultiProcessor,
                        device.maxThreadsPerMultiProcessor / (32 * std::max(warps, 1)));
  int fit = static_cast<int>(device.sharedMemPerMultiprocessor /
                             (shared + device.reservedSharedMemPerBlock));
  return std::min(blocks, fit);
}

cudaError_t function_attributes(cudaFuncAttributes* attributes) {
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 80;
  attributes->maxDynamicSharedSizeBytes = most_shared;
  return result();
}
}  // namespace norch_sim
