// A GPU that is not there: the part of CUDA's driver API and runtime API that norch calls through
// CuPy. A test tool: what passes on it has not run on a GPU, and it knows nothing of speed.
//
// Built as libcuda.so.1 by build.py. Memory is host memory in a region of its own, which the host
// cannot touch; streams are queues that run as late as they may; a kernel is run by norch's
// simulator, of which fake_gpu.py names the build of the same text. Functions do what NVIDIA
// documents; those that nobody here calls are generated and answer "not supported".
//
// Environment: NORCH_FAKE_GPUS (how many, 2), NORCH_FAKE_GPU_MIB (memory of each, 8192),
// NORCH_FAKE_GPU_CAPABILITY (80), NORCH_FAKE_GPU_DRIVER (the driver's CUDA, 12090),
// NORCH_FAKE_GPU_QUIET=1 (do not say why a call failed).
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace {

// ---- what it pretends to be ----------------------------------------------------------------

int setting(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}
const int kDevices = setting("NORCH_FAKE_GPUS", 2);
const size_t kMemory = size_t(setting("NORCH_FAKE_GPU_MIB", 8192)) << 20;
const int kCapability = setting("NORCH_FAKE_GPU_CAPABILITY", 80);
const int kDriverVersion = setting("NORCH_FAKE_GPU_DRIVER", CUDA_VERSION);
const bool kQuiet = setting("NORCH_FAKE_GPU_QUIET", 0);
constexpr size_t kPage = 4096;
constexpr int kSharedDefault = 48 << 10, kSharedOptIn = 163 << 10;

void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
void say(const char* format, ...) {
  if (kQuiet) return;
  va_list values;
  va_start(values, format);
  fputs("[fake-gpu] ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
}

}  // namespace

// A kernel as fake_gpu.py describes it: its ctypes mirror is there. The simulator's structs come as
// bytes, so that only Python knows their fields.
struct FakeKernel {
  int (*launcher)(const void* library, int kernel, void** arguments, const void* options,
                  void* report);
  const void* library;
  int index;
  int flush;  // -ftz=true: denormal floats are zero
  int num_parameters;
  int sizes[64];                     // bytes of each parameter
  char is_pointer[64];               // whether it is an address in device memory
  char options[256];                 // what a launch is asked with
  int grid_at, block_at, shared_at;  // where in it these three lie
  int report_bytes;                  // how large the answer is; it begins with a message
};
// Called with the image that was loaded: a number for it, 0 if it is of no known source.
using OnLoad = int (*)(const void* image);
// Called for a function of an image: CUDA_SUCCESS, or why not.
using OnFunction = int (*)(int image, const char* name, FakeKernel* kernel);

namespace {

OnLoad on_load;
OnFunction on_function;

// ---- devices and memory -----------------------------------------------------------------------

struct Stream;
struct Allocation {
  size_t nbytes;
  int device;
  cudaMemoryType type;
};
struct Device {
  char* region = nullptr;  // device memory: all of it lies here, and the host must not touch it
  std::map<size_t, size_t> holes;
  size_t used = 0;
  cudaError_t broken = cudaSuccess;  // a kernel failed: sticky, as on a GPU
  std::unique_ptr<Stream> legacy;
  std::vector<Stream*> streams;
};

struct Operation {
  std::function<cudaError_t()> run;
};
struct Stream {
  int device;
  unsigned flags;
  int priority = 0;
  std::deque<Operation> queue;
  uint64_t queued = 0, done = 0;
};
struct Event {
  unsigned flags;
  int device;
  Stream* stream = nullptr;
  uint64_t position = 0;
  std::chrono::steady_clock::time_point time{};
};
struct Module {
  int device, image;
  std::vector<char> bytes;
};
struct Function {
  int device;
  std::string name;
  FakeKernel kernel;
  int dynamic_limit = kSharedDefault;
};

std::recursive_mutex mutex;
std::map<uintptr_t, Allocation> allocations;
std::vector<std::unique_ptr<Device>> devices;
int open_scopes = 0;
thread_local int current = 0;
thread_local bool bound = false;  // whether this thread has a current context
thread_local cudaError_t last = cudaSuccess;
thread_local std::map<int, Stream*> thread_streams;

struct Locked {
  std::lock_guard<std::recursive_mutex> guard{mutex};
};

Device& device(int index) {
  if (devices.empty()) {
    for (int i = 0; i < kDevices; i++) {
      auto made = std::make_unique<Device>();
      made->region = static_cast<char*>(
          mmap(nullptr, kMemory, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
      made->holes[0] = kMemory;
      made->legacy = std::make_unique<Stream>(Stream{i, cudaStreamDefault});
      devices.push_back(std::move(made));
    }
  }
  return *devices[index];
}

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

// Enters a runtime function that needs a context: binds one, and reports what broke before.
cudaError_t enter() {
  bound = true;
  return device(current).broken;
}
#define ENTER()  \
  Locked locked; \
  if (cudaError_t broken = enter(); broken != cudaSuccess) return result(broken)

// Device memory can be touched while one of these lives: a kernel or a copy is running.
struct Access {
  Access() { change(1, PROT_READ | PROT_WRITE); }
  ~Access() { change(-1, PROT_NONE); }
  static void change(int by, int protection) {
    bool edge = by > 0 ? open_scopes++ == 0 : --open_scopes == 0;
    if (!edge) return;
    for (auto& [address, a] : allocations) {
      if (a.type != cudaMemoryTypeDevice) continue;
      mprotect(reinterpret_cast<void*>(address), (a.nbytes + kPage - 1) / kPage * kPage,
               protection);
    }
  }
};

cudaError_t allocate(void** pointer, size_t nbytes) {
  *pointer = nullptr;
  if (nbytes == 0) return cudaSuccess;
  Device& gpu = device(current);
  size_t size = (nbytes + kPage - 1) / kPage * kPage;
  for (auto hole = gpu.holes.begin(); hole != gpu.holes.end(); ++hole) {
    auto [offset, free] = *hole;
    if (free < size + kPage) continue;  // one page stays closed behind each allocation
    gpu.holes.erase(hole);
    if (free > size + kPage) gpu.holes[offset + size + kPage] = free - size - kPage;
    char* start = gpu.region + offset;
    mprotect(start, size, PROT_READ | PROT_WRITE);
    memset(start, 0xFF, size);  // NaN, until it is written
    if (open_scopes == 0) mprotect(start, size, PROT_NONE);
    allocations[reinterpret_cast<uintptr_t>(start)] = {nbytes, current, cudaMemoryTypeDevice};
    gpu.used += size;
    *pointer = start;
    return cudaSuccess;
  }
  return cudaErrorMemoryAllocation;
}

void release(uintptr_t address, const Allocation& a) {
  Device& gpu = device(a.device);
  size_t size = (a.nbytes + kPage - 1) / kPage * kPage, whole = size + kPage;
  void* start = reinterpret_cast<void*>(address);
  mmap(start, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  gpu.used -= size;
  size_t offset = static_cast<char*>(start) - gpu.region;
  auto after = gpu.holes.find(offset + whole);
  if (after != gpu.holes.end()) {
    whole += after->second;
    gpu.holes.erase(after);
  }
  auto before = gpu.holes.lower_bound(offset);
  if (before != gpu.holes.begin() && std::prev(before)->first + std::prev(before)->second == offset)
    std::prev(before)->second += whole;
  else
    gpu.holes[offset] = whole;
}

// The allocation that holds all of [address, address + nbytes), or nullptr.
const Allocation* find(const void* pointer, size_t nbytes) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto found = allocations.upper_bound(address);
  if (found == allocations.begin()) return nullptr;
  --found;
  return address + nbytes <= found->first + found->second.nbytes ? &found->second : nullptr;
}
bool in_device_region(const void* pointer) {
  for (auto& gpu : devices) {
    if (pointer >= gpu->region && pointer < gpu->region + kMemory) return true;
  }
  return false;
}
bool reachable(const Allocation& a, int from) {
  return a.type != cudaMemoryTypeDevice || a.device == from;
}

// ---- streams: what is queued runs when somebody waits for it ----------------------------------

Stream* stream_of(cudaStream_t handle) {
  auto number = reinterpret_cast<uintptr_t>(handle);
  if (number <= 1) return device(current).legacy.get();
  if (number == 2) {
    Stream*& mine = thread_streams[current];
    if (!mine) device(current).streams.push_back(mine = new Stream{current, cudaStreamDefault});
    return mine;
  }
  auto* stream = reinterpret_cast<Stream*>(handle);
  for (auto& gpu : devices)
    for (Stream* known : gpu->streams)
      if (known == stream) return stream;
  return nullptr;  // destroyed, or never made
}

cudaError_t drain(Stream* stream, uint64_t upto) {
  Device& gpu = device(stream->device);
  while (stream->done < upto && !stream->queue.empty()) {
    Operation next = std::move(stream->queue.front());
    stream->queue.pop_front();
    stream->done++;
    if (gpu.broken != cudaSuccess) continue;  // nothing runs after a failure
    cudaError_t error = next.run();
    if (error != cudaSuccess && gpu.broken == cudaSuccess) gpu.broken = error;
  }
  return gpu.broken;
}
cudaError_t drain(Stream* stream) { return drain(stream, stream->queued); }

void push(Stream* stream, std::function<cudaError_t()> run) {
  stream->queue.push_back({std::move(run)});
  stream->queued++;
}
void push_wait(Stream* stream, Stream* other) {
  uint64_t position = other->queued;
  if (position > other->done) push(stream, [=] { return drain(other, position); });
}

// Queues work, with the order that the legacy default stream imposes on all blocking ones.
cudaError_t queue(Stream* stream, std::function<cudaError_t()> run) {
  Device& gpu = device(stream->device);
  if (stream == gpu.legacy.get()) {
    for (Stream* other : gpu.streams)
      if (!(other->flags & cudaStreamNonBlocking)) push_wait(stream, other);
  } else if (!(stream->flags & cudaStreamNonBlocking)) {
    push_wait(stream, gpu.legacy.get());
  }
  push(stream, std::move(run));
  return cudaSuccess;
}

cudaError_t drain_device(int index) {
  Device& gpu = device(index);
  for (Stream* stream : gpu.streams) drain(stream);
  return drain(gpu.legacy.get());
}

// ---- copies ---------------------------------------------------------------------------------

// Whether one end of a copy is where its direction says; the message names the end.
bool end_fits(const char* what, const void* pointer, size_t nbytes, bool on_device) {
  const Allocation* a = find(pointer, nbytes);
  if (on_device) {
    if (a) return true;
    say("copy: %s %p with %zu bytes is not inside any allocation", what, pointer, nbytes);
    return false;
  }
  if (!in_device_region(pointer)) return true;
  say("copy: %s %p should be on the host and is device memory", what, pointer);
  return false;
}

cudaError_t copy_now(void* to, const void* from, size_t nbytes, cudaMemcpyKind kind) {
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind == cudaMemcpyDefault) {
    to_device = in_device_region(to);
    from_device = in_device_region(from);
  }
  if (!end_fits("target", to, nbytes, to_device) || !end_fits("source", from, nbytes, from_device))
    return cudaErrorInvalidValue;
  Access access;
  memmove(to, from, nbytes);
  return cudaSuccess;
}

// A copy from pageable host memory has read it when the call returns; one to it has finished.
cudaError_t copy_async(void* to, const void* from, size_t nbytes, cudaMemcpyKind kind,
                       Stream* stream) {
  if (nbytes == 0) return cudaSuccess;
  bool pageable_from = !in_device_region(from) && !find(from, nbytes);
  bool pageable_to = !in_device_region(to) && !find(to, nbytes);
  if (pageable_from) {
    auto staged = std::make_shared<std::vector<char>>(nbytes);
    memcpy(staged->data(), from, nbytes);
    return queue(stream, [=] { return copy_now(to, staged->data(), nbytes, kind); });
  }
  cudaError_t error = queue(stream, [=] { return copy_now(to, from, nbytes, kind); });
  return pageable_to && error == cudaSuccess ? drain(stream) : error;
}

// ---- kernels ----------------------------------------------------------------------------------

struct Launch {
  const Function* function;
  char options[sizeof FakeKernel::options];
  std::vector<std::vector<char>> values;  // copies: the caller's may be gone when it runs
};

// While one of these lives, arithmetic of this thread takes denormal floats for zero, if asked to.
struct Flushing {
#if defined(__x86_64__)
  unsigned before = _mm_getcsr();
  explicit Flushing(bool flush) { _mm_setcsr(flush ? before | 0x8040 : before); }
  ~Flushing() { _mm_setcsr(before); }
#else
  explicit Flushing(bool) {}
#endif
};

cudaError_t run_kernel(const Launch& launch) {
  const Function& f = *launch.function;
  std::vector<void*> arguments;
  for (size_t i = 0; i < launch.values.size(); i++) {
    void* value = const_cast<char*>(launch.values[i].data());
    arguments.push_back(value);
    if (!f.kernel.is_pointer[i]) continue;
    void* pointer = *static_cast<void**>(value);
    const Allocation* a = find(pointer, 0);
    if (pointer == nullptr || (a && reachable(*a, f.device))) continue;
    say("%s: argument %zu, %p, is no memory of GPU %d", f.name.c_str(), i + 1, pointer, f.device);
    return cudaErrorIllegalAddress;
  }
  Access access;
  Flushing flushing(f.kernel.flush);
  std::vector<char> report(f.kernel.report_bytes);
  if (!f.kernel.launcher(f.kernel.library, f.kernel.index, arguments.data(), launch.options,
                         report.data()))
    return cudaSuccess;
  say("%s: %s", f.name.c_str(), report.data());
  return cudaErrorLaunchFailure;
}

bool fits(const unsigned (&grid)[3], const unsigned (&block)[3]) {
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  return threads >= 1 && threads <= 1024 && block[2] <= 64 && grid[0] >= 1 && grid[1] >= 1 &&
         grid[2] >= 1 && grid[0] <= 0x7fffffffu && grid[1] <= 65535 && grid[2] <= 65535;
}

// ---- errors -----------------------------------------------------------------------------------

struct Named {
  int code;
  const char *runtime, *driver, *text;
};
constexpr Named kErrors[] = {
    {0, "cudaSuccess", "CUDA_SUCCESS", "no error"},
    {1, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {35, "cudaErrorInsufficientDriver", "CUDA_ERROR_STUB_LIBRARY",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {100, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "cudaErrorInvalidKernelImage", "CUDA_ERROR_INVALID_IMAGE",
     "device kernel image is invalid"},
    {201, "cudaErrorDeviceUninitialized", "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {400, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {719, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};
const Named& named(int code) {
  static constexpr Named unknown = {999, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN", "unknown error"};
  for (const Named& error : kErrors)
    if (error.code == code) return error;
  return unknown;
}

int attribute(int which) {
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
      return 1024;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return 1024;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
      return 0x7fffffff;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return kSharedDefault;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return kSharedOptIn;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return kSharedOptIn + 1024;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return 65536;
    case cudaDevAttrMultiProcessorCount:
      return 1;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return 2048;
    case cudaDevAttrComputeCapabilityMajor:
      return kCapability / 10;
    case cudaDevAttrComputeCapabilityMinor:
      return kCapability % 10;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrStreamPrioritiesSupported:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

// ---- for fake_gpu.py ----------------------------------------------------------------------------

API void norch_fake_gpu_connect(OnLoad load, OnFunction function) {
  on_load = load;
  on_function = function;
}
// Where the fake cuBLAS does its work: after what the stream has queued, with memory open.
API int norch_fake_gpu_run(void* stream, void (*work)(void*), void* state, void (*drop)(void*)) {
  ENTER();
  Stream* s = stream_of(static_cast<cudaStream_t>(stream));
  if (!s) return cudaErrorInvalidResourceHandle;
  std::shared_ptr<void> kept(state, drop);
  return queue(s, [=] {
    Access access;
    work(kept.get());
    return cudaSuccess;
  });
}

// ---- the runtime API: devices -------------------------------------------------------------------

API const char* cudaGetErrorName(cudaError_t error) { return named(error).runtime; }
API const char* cudaGetErrorString(cudaError_t error) { return named(error).text; }
API cudaError_t cudaGetLastError() {
  cudaError_t error = last;
  last = cudaSuccess;
  return error;
}
API cudaError_t cudaDriverGetVersion(int* version) {
  *version = kDriverVersion;
  return cudaSuccess;
}
API cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
API cudaError_t cudaGetDeviceCount(int* count) {
  *count = kDevices;
  if (kDriverVersion / 1000 < CUDART_VERSION / 1000) return result(cudaErrorInsufficientDriver);
  return result(kDevices > 0 ? cudaSuccess : cudaErrorNoDevice);
}
API cudaError_t cudaGetDevice(int* index) {
  *index = current;
  return cudaSuccess;
}
API cudaError_t cudaSetDevice(int index) {
  if (index < 0 || index >= kDevices) return result(cudaErrorInvalidDevice);
  current = index;
  ENTER();
  return cudaSuccess;
}
API cudaError_t cudaDeviceSynchronize() {
  ENTER();
  return result(drain_device(current));
}
API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int index) {
  if (index < 0 || index >= kDevices) return result(cudaErrorInvalidDevice);
  *value = attribute(which);
  return cudaSuccess;
}
API cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* p, int index) {
  if (index < 0 || index >= kDevices) return result(cudaErrorInvalidDevice);
  *p = cudaDeviceProp{};
  snprintf(p->name, sizeof p->name, "norch fake GPU %d", index);
  p->totalGlobalMem = kMemory;
  p->sharedMemPerBlock = kSharedDefault;
  p->sharedMemPerBlockOptin = kSharedOptIn;
  p->regsPerBlock = 65536;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->multiProcessorCount = 1;
  p->major = kCapability / 10;
  p->minor = kCapability % 10;
  p->unifiedAddressing = p->concurrentKernels = p->canMapHostMemory = 1;
  return cudaSuccess;
}

// ---- the runtime API: memory --------------------------------------------------------------------

API cudaError_t cudaMalloc(void** pointer, size_t nbytes) {
  ENTER();
  return result(allocate(pointer, nbytes));
}
API cudaError_t cudaFree(void* pointer) {
  ENTER();
  if (!pointer) return cudaSuccess;
  auto found = allocations.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == allocations.end() || found->second.type != cudaMemoryTypeDevice)
    return result(cudaErrorInvalidValue);
  cudaError_t error = drain_device(found->second.device);  // cudaFree waits, as the real one
  Allocation gone = found->second;
  allocations.erase(found);
  release(reinterpret_cast<uintptr_t>(pointer), gone);
  return result(error);
}
API cudaError_t cudaHostAlloc(void** pointer, size_t nbytes, unsigned) {
  ENTER();
  *pointer = aligned_alloc(kPage, (nbytes + kPage - 1) / kPage * kPage);
  allocations[reinterpret_cast<uintptr_t>(*pointer)] = {nbytes, current, cudaMemoryTypeHost};
  return cudaSuccess;
}
API cudaError_t cudaFreeHost(void* pointer) {
  ENTER();
  auto found = allocations.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == allocations.end()) return result(cudaErrorInvalidValue);
  drain_device(found->second.device);
  allocations.erase(found);
  free(pointer);
  return cudaSuccess;
}
API cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  ENTER();
  *total = kMemory;
  *free = kMemory - device(current).used;
  return cudaSuccess;
}
API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t nbytes, cudaMemcpyKind kind,
                                cudaStream_t handle) {
  ENTER();
  Stream* stream = stream_of(handle);
  if (!stream) return result(cudaErrorInvalidResourceHandle);
  return result(copy_async(to, from, nbytes, kind, stream));
}
API cudaError_t cudaMemcpy(void* to, const void* from, size_t nbytes, cudaMemcpyKind kind) {
  cudaError_t error = cudaMemcpyAsync(to, from, nbytes, kind, nullptr);
  Locked locked;
  return error != cudaSuccess ? error : result(drain(device(current).legacy.get()));
}
API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, const void* pointer) {
  ENTER();
  const Allocation* found = find(pointer, 0);
  *a = cudaPointerAttributes{};
  a->type = found ? found->type : cudaMemoryTypeUnregistered;
  a->device = found ? found->device : -1;
  bool on_device = found && found->type == cudaMemoryTypeDevice;
  a->devicePointer = found ? const_cast<void*>(pointer) : nullptr;
  a->hostPointer = on_device ? nullptr : const_cast<void*>(pointer);
  return cudaSuccess;
}

// ---- the runtime API: streams and events ---------------------------------------------------

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* handle, unsigned flags, int priority) {
  ENTER();
  auto* made = new Stream{current, flags};
  made->priority = std::max(-5, std::min(0, priority));
  device(current).streams.push_back(made);
  *handle = reinterpret_cast<cudaStream_t>(made);
  return cudaSuccess;
}
API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* handle, unsigned flags) {
  return cudaStreamCreateWithPriority(handle, flags, 0);
}
API cudaError_t cudaStreamCreate(cudaStream_t* handle) {
  return cudaStreamCreateWithPriority(handle, cudaStreamDefault, 0);
}
#define STREAM(name)                \
  ENTER();                          \
  Stream* name = stream_of(handle); \
  if (!name) return result(cudaErrorInvalidResourceHandle)

API cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  STREAM(stream);
  cudaError_t error = drain(stream);
  auto& known = device(stream->device).streams;
  for (size_t i = 0; i < known.size(); i++)
    if (known[i] == stream) known.erase(known.begin() + i--);
  return result(error);  // never freed: events may still name it
}
API cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  STREAM(stream);
  return result(drain(stream));
}
API cudaError_t cudaStreamQuery(cudaStream_t handle) {
  STREAM(stream);
  bool busy = stream->done < stream->queued;
  if (busy) drain(stream, stream->done + 1);  // who polls must see it end one day
  return busy ? cudaErrorNotReady : result(device(stream->device).broken);
}
API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags) {
  ENTER();
  *handle = reinterpret_cast<cudaEvent_t>(new Event{flags, current});
  return cudaSuccess;
}
API cudaError_t cudaEventCreate(cudaEvent_t* handle) { return cudaEventCreateWithFlags(handle, 0); }
API cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }  // a queue may name it
API cudaError_t cudaEventRecord(cudaEvent_t which, cudaStream_t handle) {
  STREAM(stream);
  auto* event = reinterpret_cast<Event*>(which);
  if (event->device != stream->device) {
    say("an event of GPU %d cannot be recorded in a stream of GPU %d", event->device,
        stream->device);
    return result(cudaErrorInvalidResourceHandle);
  }
  cudaError_t error = queue(stream, [=] {
    event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
  });
  event->stream = stream;
  event->position = stream->queued;
  return result(error);
}
API cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t which, unsigned) {
  STREAM(stream);
  auto* event = reinterpret_cast<Event*>(which);
  Stream* other = event->stream;
  uint64_t position = event->position;
  if (other && other != stream) push(stream, [=] { return drain(other, position); });
  return cudaSuccess;
}
API cudaError_t cudaEventSynchronize(cudaEvent_t which) {
  ENTER();
  auto* event = reinterpret_cast<Event*>(which);
  return result(event->stream ? drain(event->stream, event->position) : cudaSuccess);
}
API cudaError_t cudaEventQuery(cudaEvent_t which) {
  ENTER();
  auto* event = reinterpret_cast<Event*>(which);
  if (!event->stream || event->stream->done >= event->position) return cudaSuccess;
  drain(event->stream, event->stream->done + 1);
  return cudaErrorNotReady;
}
API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  ENTER();
  auto *first = reinterpret_cast<Event*>(begin), *second = reinterpret_cast<Event*>(end);
  for (Event* event : {first, second}) {
    if (!event->stream || event->flags & cudaEventDisableTiming)
      return result(cudaErrorInvalidResourceHandle);
    if (event->stream->done < event->position) return result(cudaErrorNotReady);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(second->time - first->time).count();
  return cudaSuccess;
}
API cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  STREAM(stream);
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

// ---- the driver API, as CuPy's driver module finds it -------------------------------------------

namespace {
CUresult as_driver(cudaError_t error) { return static_cast<CUresult>(error); }
Device* context_device(CUcontext context) { return reinterpret_cast<Device*>(context); }
}  // namespace

API CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
API CUresult cuDriverGetVersion(int* version) {
  *version = kDriverVersion;
  return CUDA_SUCCESS;
}
API CUresult cuDeviceGetCount(int* count) {
  *count = kDevices;
  return CUDA_SUCCESS;
}
// NVRTC and NVIDIA's own runtime ask for private tables by number. This driver has none and says
// so: NVRTC goes on without; NVIDIA's runtime does not, and is therefore not used (see README.md).
API CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
API CUresult cuGetErrorName(CUresult error, const char** text) {
  *text = named(error).driver;
  return CUDA_SUCCESS;
}
API CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = named(error).text;
  return CUDA_SUCCESS;
}
API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
API CUresult cuCtxGetCurrent(CUcontext* context) {
  Locked locked;
  *context = bound ? reinterpret_cast<CUcontext>(&device(current)) : nullptr;
  return CUDA_SUCCESS;
}
API CUresult cuCtxSetCurrent(CUcontext context) {
  Locked locked;
  bound = context != nullptr;
  for (int i = 0; i < int(devices.size()); i++)
    if (devices[i].get() == context_device(context)) current = i;
  return CUDA_SUCCESS;
}
API CUresult cuCtxGetDevice(CUdevice* index) {
  *index = current;
  return bound ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
API CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  Locked locked;
  Stream* stream = stream_of(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  *context = reinterpret_cast<CUcontext>(&device(stream->device));
  return CUDA_SUCCESS;
}

// Every driver function that works in a context says so if the thread has none.
#define CONTEXT(what)                                                                \
  if (!bound) {                                                                      \
    say(what ": this thread has no current context (no runtime call has made one)"); \
    return CUDA_ERROR_INVALID_CONTEXT;                                               \
  }

API CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  CONTEXT("cuModuleLoadData");
  int number = on_load ? on_load(image) : 0;  // without the lock: it runs Python
  if (number == 0) {
    say("a module was loaded that is none of norch's kernels");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  *module = reinterpret_cast<CUmodule>(new Module{current, number, {}});
  return CUDA_SUCCESS;
}
API CUresult cuModuleUnload(CUmodule module) {
  delete reinterpret_cast<Module*>(module);
  return CUDA_SUCCESS;
}
API CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  CONTEXT("cuModuleGetFunction");
  auto* module = reinterpret_cast<Module*>(handle);
  auto made = std::make_unique<Function>(Function{module->device, name, {}});
  int error = on_function(module->image, name, &made->kernel);
  if (error != 0) return static_cast<CUresult>(error);
  *function = reinterpret_cast<CUfunction>(made.release());
  return CUDA_SUCCESS;
}
API CUresult cuLaunchKernel(CUfunction handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned shared, CUstream stream_handle,
                            void** parameters, void** extra) {
  CONTEXT("cuLaunchKernel");
  Locked locked;
  auto* function = reinterpret_cast<Function*>(handle);
  if (device(current).broken != cudaSuccess) return as_driver(device(current).broken);
  Stream* stream = stream_of(stream_handle);
  if (!function || !stream) return CUDA_ERROR_INVALID_HANDLE;
  if (function->device != current || stream->device != current) {
    say("%s of GPU %d was launched in a stream of GPU %d while GPU %d is current",
        function->name.c_str(), function->device, stream->device, current);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const FakeKernel& kernel = function->kernel;
  const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
  const uint64_t shared_bytes = shared;
  if (!fits(grid, block) || extra || int(shared) > function->dynamic_limit) {
    say("%s: grid (%u, %u, %u), block (%u, %u, %u), %u bytes of dynamic shared memory (limit %d)",
        function->name.c_str(), gx, gy, gz, bx, by, bz, shared, function->dynamic_limit);
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto launch = std::make_shared<Launch>();
  launch->function = function;
  memcpy(launch->options, kernel.options, sizeof kernel.options);
  memcpy(launch->options + kernel.grid_at, grid, sizeof grid);
  memcpy(launch->options + kernel.block_at, block, sizeof block);
  memcpy(launch->options + kernel.shared_at, &shared_bytes, sizeof shared_bytes);
  for (int i = 0; i < kernel.num_parameters; i++) {
    auto* value = static_cast<char*>(parameters[i]);
    launch->values.emplace_back(value, value + kernel.sizes[i]);
  }
  return as_driver(queue(stream, [launch] { return run_kernel(*launch); }));
}
API CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute which, int value) {
  auto* function = reinterpret_cast<Function*>(handle);
  if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
  if (value < 0 || value > kSharedOptIn) return CUDA_ERROR_INVALID_VALUE;
  function->dynamic_limit = value;
  return CUDA_SUCCESS;
}
API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction handle) {
  auto* function = reinterpret_cast<Function*>(handle);
  *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
  if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) *value = function->dynamic_limit;
  return CUDA_SUCCESS;
}
