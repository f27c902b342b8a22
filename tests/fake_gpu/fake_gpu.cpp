// A GPU that is not there: the part of CUDA's driver API and runtime API that norch calls through
// CuPy. A test tool: what passes on it has not run on a GPU, and it knows nothing of speed.
//
// Built as libcuda.so.1 by build.py. Memory is host memory in a region of its own, which the host
// cannot touch; streams are queues that run as late as they may; a kernel is run by norch's
// simulator, of which fake_gpu.py names the build of the same text. Functions do what NVIDIA
// documents; those that nobody here calls are generated and answer "not supported".
// This file: devices, memory, copies. The others: fake_gpu.h.
//
// Environment: NORCH_FAKE_GPUS (how many, 2), NORCH_FAKE_GPU_MIB (memory of each, 8192),
// NORCH_FAKE_GPU_CAPABILITY (80), NORCH_FAKE_GPU_DRIVER (the driver's CUDA, 12090),
// NORCH_FAKE_GPU_QUIET=1 (do not say why a call failed).
#include "fake_gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <string>

namespace fake {

// ---- what it pretends to be ----------------------------------------------------------------

namespace {
int setting(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}
const bool kQuiet = setting("NORCH_FAKE_GPU_QUIET", 0);
constexpr size_t kPage = 4096;
}  // namespace
const int kDevices = setting("NORCH_FAKE_GPUS", 2);
const size_t kMemory = size_t(setting("NORCH_FAKE_GPU_MIB", 8192)) << 20;
const int kCapability = setting("NORCH_FAKE_GPU_CAPABILITY", 80);
const int kDriverVersion = setting("NORCH_FAKE_GPU_DRIVER", CUDA_VERSION);

void say(const char* format, ...) {
  if (kQuiet) return;
  va_list values;
  va_start(values, format);
  fputs("[fake-gpu] ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
}

// ---- devices and memory -----------------------------------------------------------------------

namespace {
std::map<uintptr_t, Allocation> allocations;
std::vector<std::unique_ptr<Device>> devices;
int open_scopes = 0;
}  // namespace
std::recursive_mutex mutex;
thread_local int current = 0;
thread_local bool bound = false;
thread_local cudaError_t last = cudaSuccess;

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

int number_of(CUcontext context) {
  for (int i = 0; i < int(devices.size()); i++)
    if (reinterpret_cast<CUcontext>(devices[i].get()) == context) return i;
  return -1;
}

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

cudaError_t enter() {
  bound = true;
  return device(current).broken;
}

namespace {
void change_access(int by, int protection) {
  bool edge = by > 0 ? open_scopes++ == 0 : --open_scopes == 0;
  if (!edge) return;
  for (auto& [address, a] : allocations) {
    if (a.type != cudaMemoryTypeDevice) continue;
    mprotect(reinterpret_cast<void*>(address), (a.nbytes + kPage - 1) / kPage * kPage, protection);
  }
}

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

bool in_device_region(const void* pointer) {
  for (auto& gpu : devices) {
    if (pointer >= gpu->region && pointer < gpu->region + kMemory) return true;
  }
  return false;
}
}  // namespace

Access::Access() { change_access(1, PROT_READ | PROT_WRITE); }
Access::~Access() { change_access(-1, PROT_NONE); }

const Allocation* find(const void* pointer, size_t nbytes) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto found = allocations.upper_bound(address);
  if (found == allocations.begin()) return nullptr;
  --found;
  return address + nbytes <= found->first + found->second.nbytes ? &found->second : nullptr;
}
bool reachable(const Allocation& a, int from) {
  return a.type != cudaMemoryTypeDevice || a.device == from;
}
void adopt(void* start, size_t nbytes) {
  allocations[reinterpret_cast<uintptr_t>(start)] = {nbytes, current, cudaMemoryTypeHost};
}

// ---- copies ---------------------------------------------------------------------------------

namespace {
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
  // In a capture it is a node of the graph, which reads the host's memory at each launch.
  if (stream->capture) return queue(stream, [=] { return copy_now(to, from, nbytes, kind); });
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
}  // namespace

// ---- errors -----------------------------------------------------------------------------------

namespace {
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
    {401, "cudaErrorIllegalState", "CUDA_ERROR_ILLEGAL_STATE",
     "the operation cannot be performed in the present state"},
    {500, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {719, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {900, "cudaErrorStreamCaptureUnsupported", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {902, "cudaErrorStreamCaptureMerge", "CUDA_ERROR_STREAM_CAPTURE_MERGE",
     "operation would result in a merge of separate capture sequences"},
    {903, "cudaErrorStreamCaptureUnmatched", "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
     "capture was not ended in the same stream as it began"},
    {904, "cudaErrorStreamCaptureUnjoined", "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "capturing stream has unjoined work"},
    {905, "cudaErrorStreamCaptureIsolation", "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
     "dependency created on uncaptured work in another stream"},
    {906, "cudaErrorStreamCaptureImplicit", "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "cudaErrorCapturedEvent", "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing stream"},
    {908, "cudaErrorStreamCaptureWrongThread", "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
     "attempt to terminate a thread-local capture sequence from another thread"},
};
}  // namespace
const Named& named(int code) {
  static constexpr Named unknown = {999, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN", "unknown error"};
  for (const Named& error : kErrors)
    if (error.code == code) return error;
  return unknown;
}

namespace {
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

}  // namespace fake

using namespace fake;

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
  if (cudaError_t error = refuse_in_capture_of(current); error != cudaSuccess) return result(error);
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
  if (cudaError_t error = refuse_unsafe(); error != cudaSuccess) return result(error);
  return result(allocate(pointer, nbytes));
}
API cudaError_t cudaFree(void* pointer) {
  ENTER();
  if (cudaError_t error = refuse_unsafe(); error != cudaSuccess) return result(error);
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
  if (cudaError_t error = refuse_unsafe(); error != cudaSuccess) return result(error);
  *pointer = aligned_alloc(kPage, (nbytes + kPage - 1) / kPage * kPage);
  allocations[reinterpret_cast<uintptr_t>(*pointer)] = {nbytes, current, cudaMemoryTypeHost};
  return cudaSuccess;
}
API cudaError_t cudaFreeHost(void* pointer) {
  ENTER();
  if (cudaError_t error = refuse_unsafe(); error != cudaSuccess) return result(error);
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
  ENTER();
  if (cudaError_t error = refuse_unsafe(); error != cudaSuccess) return result(error);
  cudaError_t error = cudaMemcpyAsync(to, from, nbytes, kind, nullptr);
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
