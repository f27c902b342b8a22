// <cuda_runtime.h> of a whole program: the types, tables and functions of the CUDA runtime API.
//
// Programs include it, their .cpp files too; the other files of this folder are what it declares.
// Numbers and texts of errors and attributes are CUDA's. Nothing here runs a kernel.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../simulator.h"
#ifndef __CUDACC__  // a .cpp file: the words that headers use for both compilers
#define __host__
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#include "../device_library/vectors.h"
#endif

#define CUDART_VERSION 12040
#define CUDA_VERSION 12040
#define CUDART_CB
// What headers ask for, to know that CUDA's own were there before them.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__

// ---- tables ----

#define NORCH_ERRORS(X)                                                               \
  X(cudaSuccess, 0, "no error")                                                       \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                     \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                    \
  X(cudaErrorInitializationError, 3, "initialization error")                          \
  X(cudaErrorCudartUnloading, 4, "driver shutting down")                              \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")               \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                         \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                              \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                      \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")         \
  X(cudaErrorInsufficientDriver, 35,                                                  \
    "CUDA driver version is insufficient for CUDA runtime version")                   \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                    \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                     \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                            \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                   \
  X(cudaErrorNotReady, 600, "device not ready")                                       \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")         \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")    \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")           \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")         \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")           \
  X(cudaErrorAssert, 710, "device-side assert triggered")                             \
  X(cudaErrorHostMemoryNotRegistered, 713,                                            \
    "pointer does not correspond to a registered memory region")                      \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                            \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                        \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") \
  X(cudaErrorNotSupported, 801, "operation not supported")                            \
  X(cudaErrorUnknown, 999, "unknown error")
#define NORCH_ENUMERATOR(name, number, ...) name = number,
enum cudaError { NORCH_ERRORS(NORCH_ENUMERATOR) };
typedef enum cudaError cudaError_t;

// clang-format off: a row of a table has more than one column.
// A small GPU of compute capability 8.0: few multiprocessors, so that programs that fill them all
// stay quick.
struct cudaUUID_t { char bytes[16]; };
struct cudaDeviceProp {
  char name[256] = "norch CUDA simulator";
  cudaUUID_t uuid{};
  size_t totalGlobalMem = size_t(8) << 30, totalConstMem = 65536, memPitch = 2147483647,
    sharedMemPerBlock = 49152, sharedMemPerBlockOptin = 232448, reservedSharedMemPerBlock = 1024,
    sharedMemPerMultiprocessor = 233472, textureAlignment = 512, texturePitchAlignment = 32,
    surfaceAlignment = 512;
  int major = 8, minor = 0, multiProcessorCount = 4, warpSize = 32, maxThreadsPerBlock = 1024,
    maxThreadsDim[3] = {1024, 1024, 64}, maxGridSize[3] = {2147483647, 65535, 65535},
    maxThreadsPerMultiProcessor = 2048, maxBlocksPerMultiProcessor = 32, regsPerBlock = 65536,
    regsPerMultiprocessor = 65536, clockRate = 1000000, memoryClockRate = 1000000,
    memoryBusWidth = 256, l2CacheSize = 4 << 20, persistingL2CacheMaxSize = 0,
    accessPolicyMaxWindowSize = 0, asyncEngineCount = 2, deviceOverlap = 1, concurrentKernels = 1,
    unifiedAddressing = 1, canMapHostMemory = 1, managedMemory = 1, concurrentManagedAccess = 1,
    pageableMemoryAccess = 0, pageableMemoryAccessUsesHostPageTables = 0, cooperativeLaunch = 1,
    cooperativeMultiDeviceLaunch = 0, hostNativeAtomicSupported = 0, streamPrioritiesSupported = 1,
    directManagedMemAccessFromHost = 0, canUseHostPointerForRegisteredMem = 1, ECCEnabled = 0,
    globalL1CacheSupported = 1, localL1CacheSupported = 1, computePreemptionSupported = 1,
    singleToDoublePrecisionPerfRatio = 2, computeMode = 0, integrated = 0, tccDriver = 0,
    kernelExecTimeoutEnabled = 0, isMultiGpuBoard = 0, multiGpuBoardGroupID = 0, pciBusID = 0,
    pciDeviceID = 0, pciDomainID = 0, memoryPoolsSupported = 1, clusterLaunch = 0,
    maxTexture1D = 131072, maxTexture2D[2] = {131072, 65536},
    maxTexture3D[3] = {16384, 16384, 16384}, maxTexture1DLayered[2] = {32768, 2048},
    maxTexture2DLayered[3] = {32768, 32768, 2048};
};

// cudaDevAttr..., its number, and where cudaDeviceProp has it.
#define NORCH_ATTRIBUTES(X) \
  X(MaxThreadsPerBlock, 1, maxThreadsPerBlock)  X(MaxBlockDimX, 2, maxThreadsDim[0]) \
  X(MaxBlockDimY, 3, maxThreadsDim[1])          X(MaxBlockDimZ, 4, maxThreadsDim[2]) \
  X(MaxGridDimX, 5, maxGridSize[0])             X(MaxGridDimY, 6, maxGridSize[1]) \
  X(MaxGridDimZ, 7, maxGridSize[2])             X(MaxSharedMemoryPerBlock, 8, sharedMemPerBlock) \
  X(TotalConstantMemory, 9, totalConstMem)      X(WarpSize, 10, warpSize) \
  X(MaxRegistersPerBlock, 12, regsPerBlock)     X(ClockRate, 13, clockRate) \
  X(GpuOverlap, 15, deviceOverlap)              X(MultiProcessorCount, 16, multiProcessorCount) \
  X(KernelExecTimeout, 17, kernelExecTimeoutEnabled) X(Integrated, 18, integrated) \
  X(CanMapHostMemory, 19, canMapHostMemory)     X(ComputeMode, 20, computeMode) \
  X(ConcurrentKernels, 31, concurrentKernels)   X(EccEnabled, 32, ECCEnabled) \
  X(MemoryClockRate, 36, memoryClockRate)       X(GlobalMemoryBusWidth, 37, memoryBusWidth) \
  X(L2CacheSize, 38, l2CacheSize)               X(AsyncEngineCount, 40, asyncEngineCount) \
  X(MaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor) \
  X(UnifiedAddressing, 41, unifiedAddressing)   X(ComputeCapabilityMajor, 75, major) \
  X(ComputeCapabilityMinor, 76, minor)          X(ManagedMemory, 83, managedMemory) \
  X(StreamPrioritiesSupported, 78, streamPrioritiesSupported) \
  X(MaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor) \
  X(MaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor) \
  X(HostNativeAtomicSupported, 86, hostNativeAtomicSupported) \
  X(PageableMemoryAccess, 88, pageableMemoryAccess) X(CooperativeLaunch, 95, cooperativeLaunch) \
  X(ConcurrentManagedAccess, 89, concurrentManagedAccess) \
  X(MaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin) \
  X(MaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor) \
  X(MemoryPoolsSupported, 115, memoryPoolsSupported)
#define NORCH_ATTRIBUTE(name, number, field) cudaDevAttr##name = number,
enum cudaDeviceAttr { NORCH_ATTRIBUTES(NORCH_ATTRIBUTE) };

enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice,
  cudaMemoryTypeManaged };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize,
  cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount,
  cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100 };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive,
  cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy };
enum : unsigned { cudaHostAllocDefault, cudaHostAllocPortable, cudaHostAllocMapped,
  cudaHostAllocWriteCombined = 4, cudaHostRegisterDefault = 0, cudaHostRegisterPortable,
  cudaHostRegisterMapped, cudaMemAttachGlobal = 1, cudaMemAttachHost, cudaMemAttachSingle = 4,
  cudaStreamDefault = 0, cudaStreamNonBlocking, cudaEventDefault = 0, cudaEventBlockingSync,
  cudaEventDisableTiming, cudaEventInterprocess = 4, cudaDeviceScheduleAuto = 0,
  cudaDeviceScheduleSpin, cudaDeviceScheduleYield, cudaDeviceScheduleBlockingSync = 4,
  cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8, cudaOccupancyDefault = 0 };
constexpr int cudaCpuDeviceId = -1;

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
typedef void (*cudaHostFn_t)(void*);
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
struct cudaExtent { size_t width, height, depth; };
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA,
    maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
struct cudaPointerAttributes {
  cudaMemoryType type; int device; void *devicePointer, *hostPointer;
};
// clang-format on

// ---- what the functions are made of ----

namespace norch_sim {
// Where the program calls a function: the last parameter of each that may have something to say.
struct Place {
  const char* file;
  int line;
  static constexpr Place now(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};
#define NORCH_AT norch_sim::Place at = norch_sim::Place::now()
// A call of the API: its name, where it is, and for copies and fills whose turn they take.
struct Call {
  const char* name;
  Place at;
  cudaStream_t stream = nullptr;
  bool waits = true;  // it returns when all is done
};

enum MemoryKind { kDevice, kManaged, kPinned };
// `text`: the arguments as the program writes them, of which the first names the memory.
cudaError_t allocate(Call call, void** memory, size_t bytes, MemoryKind kind,
                     const char* text = "");
cudaError_t allocate_rows(Call call, void** memory, size_t* pitch, size_t width, size_t rows);
cudaError_t release(Call call, void* memory);

// Lines of `pitch` bytes, in slices of `slice` bytes: what copies and fills walk over.
struct Rows {
  void* data;
  size_t pitch = 0, slice = 0;
};
cudaError_t copy(Call call, Rows to, Rows from, cudaExtent extent, cudaMemcpyKind kind);
cudaError_t fill(Call call, Rows to, int value, cudaExtent extent);
// A symbol is a variable of the program: host memory here.
cudaError_t copy_symbol(Call call, void* to, const void* from, size_t bytes, size_t offset,
                        size_t room);

// Runs work in the order of its stream: now, or under --async when somebody waits for it.
// Until then `memory` is closed to the host; `after` is the work of an event that it waits for.
void submit(cudaStream_t stream, const std::string& what, std::function<void()> run,
            std::vector<struct Memory*> memory = {}, size_t after = 0);
// From here on work of a stream, and of those that wait for it, is put into a graph; nullptr: no
// longer. What else can be done with graphs, a shelf may say.
using Graph = std::vector<std::function<void()>>;
void capture(cudaStream_t stream, Graph* graph);

// `kernel<<<grid, block, shared, stream>>>(x)` becomes (configure(...), kernel(x)), and the body of
// the kernel a closure that it gives to launch(): runtime/rewrite.py.
void configure(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr, NORCH_AT);
using Keep = std::shared_ptr<void> (*)(const void*);  // a copy of a closure
void launch_closure(const Kernel& kernel, const void* closure, Keep keep);
// What cudaLaunchKernel was given, for the kernel to unpack: true while there is something.
struct Packed {
  explicit operator bool() const;
  void* next() const;
  void done() const;
};
constexpr Packed packed;
template <class T>
void unpack_one(T* parameter) {
  memcpy(const_cast<std::remove_const_t<T>*>(parameter), packed.next(), sizeof(T));
}
inline void unpack_one(std::nullptr_t) { packed.next(); }
template <class... T>
void unpack(T... parameters) {
  (unpack_one(parameters), ...);
  packed.done();
}
// Each CUDA thread has parameters of its own.
template <class F>
__attribute__((no_sanitize("thread"))) void call_closure(void** closure) {
  F own = *reinterpret_cast<F*>(closure);
  own();
}
template <class F>
std::shared_ptr<void> keep_closure(const void* closure) {
  return std::make_shared<F>(*static_cast<const F*>(closure));
}
template <class F>
__attribute__((no_sanitize("thread"))) void launch(const char* name, int64_t limit, const F& body) {
  launch_closure({name, "", call_closure<F>, limit}, &body, keep_closure<F>);
}
struct Sizes {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
cudaError_t launch_packed(Call call, const void* kernel, Sizes sizes, void** arguments,
                          bool cooperative);
cudaError_t set_attribute(Call call, const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t function_attributes(Call call, const void* kernel, cudaFuncAttributes* attributes);
int blocks_of_occupancy(int block, size_t shared);
}  // namespace norch_sim

// A function of the API is name(parameters), and what it comes to, with `call` as its first words.
#define NORCH_OPEN(...) __VA_ARGS__
#define NORCH_API(head, name, parameters, function, ...)   \
  head cudaError_t name(NORCH_OPEN parameters, NORCH_AT) { \
    return norch_sim::function({#name, at}, __VA_ARGS__);  \
  }
// Beside it nameAsync(parameters, stream).
#define NORCH_TWICE(head, name, parameters, function, ...)                                  \
  NORCH_API(head, name, parameters, function, __VA_ARGS__)                                  \
  head cudaError_t name##Async(NORCH_OPEN parameters, cudaStream_t s = nullptr, NORCH_AT) { \
    return norch_sim::function({#name "Async", at, s, false}, __VA_ARGS__);                 \
  }
#define NORCH_TYPED template <class T>

// ---- memory ----

// clang-format off: it takes ** for a product.
NORCH_API(NORCH_TYPED, cudaMalloc, (T** p, size_t n, const char* text = ""),
          allocate, (void**)p, n, norch_sim::kDevice, text)
NORCH_API(NORCH_TYPED, cudaMallocManaged, (T** p, size_t n, const char* text = ""),
          allocate, (void**)p, n, norch_sim::kManaged, text)
NORCH_API(NORCH_TYPED, cudaMallocManaged, (T** p, size_t n, unsigned, const char* text = ""),
          allocate, (void**)p, n, norch_sim::kManaged, text)
#define cudaMalloc(...) cudaMalloc(__VA_ARGS__, #__VA_ARGS__)
#define cudaMallocManaged(...) cudaMallocManaged(__VA_ARGS__, #__VA_ARGS__)
NORCH_API(NORCH_TYPED, cudaMallocAsync, (T** p, size_t n, cudaStream_t),
          allocate, (void**)p, n, norch_sim::kDevice)
NORCH_API(NORCH_TYPED, cudaMallocHost, (T** p, size_t n, unsigned = 0),
          allocate, (void**)p, n, norch_sim::kPinned)
NORCH_API(NORCH_TYPED, cudaHostAlloc, (T** p, size_t n, unsigned),
          allocate, (void**)p, n, norch_sim::kPinned)
NORCH_API(NORCH_TYPED, cudaMallocPitch, (T** p, size_t* pitch, size_t width, size_t height),
          allocate_rows, (void**)p, pitch, width, height)
// clang-format on
NORCH_API(inline, cudaFree, (void* p), release, p)
NORCH_API(inline, cudaFreeHost, (void* p), release, p)
inline cudaError_t cudaFreeAsync(void* p, cudaStream_t stream, NORCH_AT) {
  return norch_sim::release({"cudaFreeAsync", at, stream, false}, p);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
  *device = static_cast<T*>(host);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** p, const T& symbol) {
  *p = (void*)&symbol;
  return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t* n, const T&) {
  *n = sizeof(T);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* p, size_t n, unsigned flags, NORCH_AT);
cudaError_t cudaHostUnregister(void* p, NORCH_AT);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);

NORCH_TWICE(inline, cudaMemcpy, (void* to, const void* from, size_t n, cudaMemcpyKind kind), copy,
            {to}, {(void*)from}, {n, 1, 1}, kind)
NORCH_TWICE(inline, cudaMemcpy2D,
            (void* to, size_t tp, const void* from, size_t fp, size_t w, size_t h,
             cudaMemcpyKind kind),
            copy, {to, tp}, {(void*)from, fp}, {w, h, 1}, kind)
NORCH_TWICE(inline, cudaMemset, (void* p, int value, size_t n), fill, {p}, value, {n, 1, 1})
NORCH_TWICE(inline, cudaMemset2D, (void* p, size_t pitch, int value, size_t w, size_t h), fill,
            {p, pitch}, value, {w, h, 1})
NORCH_TWICE(NORCH_TYPED, cudaMemcpyToSymbol,
            (const T& symbol, const void* from, size_t n, size_t offset = 0,
             cudaMemcpyKind = cudaMemcpyHostToDevice),
            copy_symbol, (char*)&symbol + offset, from, n, offset, sizeof(T))
NORCH_TWICE(NORCH_TYPED, cudaMemcpyFromSymbol,
            (void* to, const T& symbol, size_t n, size_t offset = 0,
             cudaMemcpyKind = cudaMemcpyDeviceToHost),
            copy_symbol, to, (const char*)&symbol + offset, n, offset, sizeof(T))

// ---- streams, events, errors, the device ----

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
inline cudaError_t cudaStreamCreate(cudaStream_t* s) { return cudaStreamCreateWithFlags(s, 0); }
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int) {
  return cudaStreamCreateWithFlags(s, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream, NORCH_AT);
cudaError_t cudaStreamSynchronize(cudaStream_t stream, NORCH_AT);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0, NORCH_AT);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* data, unsigned);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t* e, unsigned flags = 0) {
  return cudaEventCreateWithFlags(e, flags);
}
cudaError_t cudaEventDestroy(cudaEvent_t event, NORCH_AT);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr, NORCH_AT);
cudaError_t cudaEventSynchronize(cudaEvent_t event, NORCH_AT);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t a, cudaEvent_t b, NORCH_AT);

cudaError_t cudaDeviceSynchronize();
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset(NORCH_AT);
inline cudaError_t cudaThreadExit(NORCH_AT) { return cudaDeviceReset(at); }
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
cudaError_t cudaSetDevice(int device, NORCH_AT);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device, NORCH_AT);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device, NORCH_AT);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);

// What one device that runs everything in order has nothing to do for, and what writes a constant
// through its first parameter.
#define NORCH_ACCEPT(name)        \
  template <class... T>           \
  cudaError_t name(const T&...) { \
    return cudaSuccess;           \
  }
#define NORCH_CONSTANT(name, constant)       \
  template <class R, class... T>             \
  cudaError_t name(R* result, const T&...) { \
    return *result = constant, cudaSuccess;  \
  }
// clang-format off
NORCH_ACCEPT(cudaSetDeviceFlags) NORCH_ACCEPT(cudaProfilerStart) NORCH_ACCEPT(cudaProfilerStop)
NORCH_ACCEPT(cudaMemPrefetchAsync) NORCH_ACCEPT(cudaMemAdvise) NORCH_ACCEPT(cudaFuncSetCacheConfig)
NORCH_ACCEPT(cudaStreamAttachMemAsync) NORCH_ACCEPT(cudaDeviceSetCacheConfig)
NORCH_ACCEPT(cudaDeviceSetSharedMemConfig) NORCH_ACCEPT(cudaFuncSetSharedMemConfig)
NORCH_CONSTANT(cudaDriverGetVersion, CUDART_VERSION) NORCH_CONSTANT(cudaGetDeviceCount, 1)
NORCH_CONSTANT(cudaRuntimeGetVersion, CUDART_VERSION) NORCH_CONSTANT(cudaGetDevice, 0)
NORCH_CONSTANT(cudaDeviceGetSharedMemConfig, cudaSharedMemBankSizeFourByte)
NORCH_CONSTANT(cudaChooseDevice, 0) NORCH_CONSTANT(cudaDeviceCanAccessPeer, 0)
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return *least = 0, *greatest = -5, cudaSuccess;
}
// clang-format on

// ---- kernels ----

NORCH_API(template <class K>, cudaLaunchKernel,
          (K * kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
           cudaStream_t stream = nullptr),
          launch_packed, (const void*)kernel, {grid, block, shared, stream}, arguments, false)
NORCH_API(template <class K>, cudaLaunchCooperativeKernel,
          (K * kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
           cudaStream_t stream = nullptr),
          launch_packed, (const void*)kernel, {grid, block, shared, stream}, arguments, true)
NORCH_API(template <class K>, cudaFuncSetAttribute,
          (K * kernel, cudaFuncAttribute attribute, int value), set_attribute, (const void*)kernel,
          attribute, value)
NORCH_API(template <class K>, cudaFuncGetAttributes, (cudaFuncAttributes * attributes, K* kernel),
          function_attributes, (const void*)kernel, attributes)
template <class K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, K, int block, size_t shared,
                                                          unsigned = 0) {
  return *blocks = norch_sim::blocks_of_occupancy(block, shared), cudaSuccess;
}
#define cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags \
  cudaOccupancyMaxActiveBlocksPerMultiprocessor
template <class K, class S>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, K, S shared_of,
                                                           int limit = 0) {
  *block = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024;
  *grid = cudaDeviceProp().multiProcessorCount *
          norch_sim::blocks_of_occupancy(*block, shared_of(*block));
  return cudaSuccess;
}
template <class K>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, K kernel, size_t shared = 0,
                                               int limit = 0) {
  auto same = [=](int) { return shared; };
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, same, limit);
}
#if __has_include(<cuda_runtime_more.h>)  // what a shelf adds to the API
#include <cuda_runtime_more.h>
#endif
