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

#include <memory>
#include <type_traits>
#include <utility>

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
enum cudaError {
#define NORCH_ERROR(name, number, text) name = number,
  NORCH_ERRORS(NORCH_ERROR)
#undef NORCH_ERROR
};
typedef enum cudaError cudaError_t;

// A small GPU of compute capability 8.0: few multiprocessors, so that programs that fill them all
// stay quick.
struct cudaUUID_t {
  char bytes[16];
};
struct cudaDeviceProp {
  char name[256] = "norch CUDA simulator";
  cudaUUID_t uuid{};
  size_t totalGlobalMem = size_t(8) << 30, totalConstMem = 65536, memPitch = 2147483647;
  size_t sharedMemPerBlock = 49152, sharedMemPerBlockOptin = 232448,
         reservedSharedMemPerBlock = 1024;
  size_t sharedMemPerMultiprocessor = 233472, textureAlignment = 512, texturePitchAlignment = 32;
  size_t surfaceAlignment = 512;
  int major = 8, minor = 0, multiProcessorCount = 4, warpSize = 32, maxThreadsPerBlock = 1024;
  int maxThreadsDim[3] = {1024, 1024, 64}, maxGridSize[3] = {2147483647, 65535, 65535};
  int maxThreadsPerMultiProcessor = 2048, maxBlocksPerMultiProcessor = 32, regsPerBlock = 65536;
  int regsPerMultiprocessor = 65536, clockRate = 1000000, memoryClockRate = 1000000;
  int memoryBusWidth = 256, l2CacheSize = 4 << 20, persistingL2CacheMaxSize = 0;
  int accessPolicyMaxWindowSize = 0, asyncEngineCount = 2, deviceOverlap = 1, concurrentKernels = 1;
  int unifiedAddressing = 1, canMapHostMemory = 1, managedMemory = 1, concurrentManagedAccess = 1;
  int pageableMemoryAccess = 0, pageableMemoryAccessUsesHostPageTables = 0, cooperativeLaunch = 1;
  int cooperativeMultiDeviceLaunch = 0, hostNativeAtomicSupported = 0,
      streamPrioritiesSupported = 1;
  int directManagedMemAccessFromHost = 0, canUseHostPointerForRegisteredMem = 1, ECCEnabled = 0;
  int globalL1CacheSupported = 1, localL1CacheSupported = 1, computePreemptionSupported = 1;
  int singleToDoublePrecisionPerfRatio = 2, computeMode = 0, integrated = 0, tccDriver = 0;
  int kernelExecTimeoutEnabled = 0, isMultiGpuBoard = 0, multiGpuBoardGroupID = 0, pciBusID = 0;
  int pciDeviceID = 0, pciDomainID = 0, memoryPoolsSupported = 1, clusterLaunch = 0;
  int maxTexture1D = 131072, maxTexture2D[2] = {131072, 65536},
      maxTexture3D[3] = {16384, 16384, 16384};
  int maxTexture1DLayered[2] = {32768, 2048}, maxTexture2DLayered[3] = {32768, 32768, 2048};
};

// cudaDevAttr..., its number, and where cudaDeviceProp has it.
#define NORCH_ATTRIBUTES(X)                                           \
  X(MaxThreadsPerBlock, 1, maxThreadsPerBlock)                        \
  X(MaxBlockDimX, 2, maxThreadsDim[0])                                \
  X(MaxBlockDimY, 3, maxThreadsDim[1])                                \
  X(MaxBlockDimZ, 4, maxThreadsDim[2])                                \
  X(MaxGridDimX, 5, maxGridSize[0])                                   \
  X(MaxGridDimY, 6, maxGridSize[1])                                   \
  X(MaxGridDimZ, 7, maxGridSize[2])                                   \
  X(MaxSharedMemoryPerBlock, 8, sharedMemPerBlock)                    \
  X(TotalConstantMemory, 9, totalConstMem)                            \
  X(WarpSize, 10, warpSize)                                           \
  X(MaxRegistersPerBlock, 12, regsPerBlock)                           \
  X(ClockRate, 13, clockRate)                                         \
  X(GpuOverlap, 15, deviceOverlap)                                    \
  X(MultiProcessorCount, 16, multiProcessorCount)                     \
  X(KernelExecTimeout, 17, kernelExecTimeoutEnabled)                  \
  X(Integrated, 18, integrated)                                       \
  X(CanMapHostMemory, 19, canMapHostMemory)                           \
  X(ComputeMode, 20, computeMode)                                     \
  X(ConcurrentKernels, 31, concurrentKernels)                         \
  X(MemoryClockRate, 36, memoryClockRate)                             \
  X(GlobalMemoryBusWidth, 37, memoryBusWidth)                         \
  X(L2CacheSize, 38, l2CacheSize)                                     \
  X(MaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor)     \
  X(AsyncEngineCount, 40, asyncEngineCount)                           \
  X(UnifiedAddressing, 41, unifiedAddressing)                         \
  X(ComputeCapabilityMajor, 75, major)                                \
  X(ComputeCapabilityMinor, 76, minor)                                \
  X(StreamPrioritiesSupported, 78, streamPrioritiesSupported)         \
  X(MaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor) \
  X(MaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor)         \
  X(ManagedMemory, 83, managedMemory)                                 \
  X(HostNativeAtomicSupported, 86, hostNativeAtomicSupported)         \
  X(PageableMemoryAccess, 88, pageableMemoryAccess)                   \
  X(ConcurrentManagedAccess, 89, concurrentManagedAccess)             \
  X(CooperativeLaunch, 95, cooperativeLaunch)                         \
  X(MaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin)         \
  X(MaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor)      \
  X(MemoryPoolsSupported, 115, memoryPoolsSupported)
enum cudaDeviceAttr {
#define NORCH_ATTRIBUTE(name, number, field) cudaDevAttr##name = number,
  NORCH_ATTRIBUTES(NORCH_ATTRIBUTE)
#undef NORCH_ATTRIBUTE
};

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};
enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize,
  cudaLimitDevRuntimeSyncDepth,
  cudaLimitDevRuntimePendingLaunchCount
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100
};
enum cudaComputeMode {
  cudaComputeModeDefault,
  cudaComputeModeExclusive,
  cudaComputeModeProhibited,
  cudaComputeModeExclusiveProcess
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy,
  cudaMemAdviseUnsetAccessedBy
};
constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2;
constexpr unsigned cudaHostAllocWriteCombined = 4, cudaHostRegisterDefault = 0;
constexpr unsigned cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2;
constexpr unsigned cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4;
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventDefault = 0;
constexpr unsigned cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4;
constexpr unsigned cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1,
                   cudaDeviceScheduleYield = 2;
constexpr unsigned cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4;
constexpr unsigned cudaDeviceMapHost = 8, cudaOccupancyDefault = 0;
constexpr int cudaCpuDeviceId = -1;

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
typedef void (*cudaHostFn_t)(void*);
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
struct cudaPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
  struct cudaArray* srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  struct cudaArray* dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch, size_t x, size_t y) {
  return {p, pitch, x, y};
}

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

enum class MemoryKind { kDevice, kManaged, kPinned };
// `text`: the arguments as the program writes them, of which the first names the memory.
cudaError_t allocate(const char* call, void** memory, size_t bytes, MemoryKind kind,
                     const char* text, Place at);
cudaError_t release(const char* call, void* memory, cudaStream_t stream, Place at);

// Lines of `pitch` bytes, in slices of `slice` bytes: what copies and fills walk over.
struct Rows {
  void* data;
  size_t pitch = 0, slice = 0;
};
struct When {
  cudaStream_t stream = nullptr;
  bool waits = true;  // the call returns when it is done
};
cudaError_t copy(const char* call, Rows to, Rows from, cudaExtent extent, cudaMemcpyKind kind,
                 When when, Place at);
cudaError_t fill(const char* call, Rows to, int value, cudaExtent extent, When when, Place at);
// A symbol is a variable of the program: host memory here.
cudaError_t copy_symbol(const char* call, void* to, const void* from, size_t bytes, size_t offset,
                        size_t room, When when, Place at);
cudaError_t copy_3d(const char* call, const cudaMemcpy3DParms& parameters, When when, Place at);

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
cudaError_t launch_packed(const void* kernel, dim3 grid, dim3 block, void** arguments,
                          size_t shared, cudaStream_t stream, bool cooperative, Place at);
cudaError_t allow_shared(int bytes, Place at);
int blocks_of_occupancy(int block, size_t shared);
cudaError_t function_attributes(cudaFuncAttributes* attributes);
}  // namespace norch_sim

// ---- memory ----

#define NORCH_ALLOCATE(function, kind, ...)                                                   \
  template <class T>                                                                          \
  cudaError_t function(T** p, size_t n, __VA_ARGS__, NORCH_AT) {                              \
    return norch_sim::allocate(#function, (void**)p, n, norch_sim::MemoryKind::kind, "", at); \
  }
template <class T>
cudaError_t cudaMalloc(T** p, size_t n, const char* text = "", NORCH_AT) {
  return norch_sim::allocate("cudaMalloc", (void**)p, n, norch_sim::MemoryKind::kDevice, text, at);
}
template <class T>
cudaError_t cudaMallocManaged(T** p, size_t n, const char* text = "", NORCH_AT) {
  auto kind = norch_sim::MemoryKind::kManaged;
  return norch_sim::allocate("cudaMallocManaged", (void**)p, n, kind, text, at);
}
template <class T>
cudaError_t cudaMallocManaged(T** p, size_t n, unsigned, const char* text = "", NORCH_AT) {
  return cudaMallocManaged(p, n, text, at);
}
#define cudaMalloc(...) cudaMalloc(__VA_ARGS__, #__VA_ARGS__)
#define cudaMallocManaged(...) cudaMallocManaged(__VA_ARGS__, #__VA_ARGS__)
NORCH_ALLOCATE(cudaMallocAsync, kDevice, cudaStream_t)
NORCH_ALLOCATE(cudaMallocHost, kPinned, unsigned = 0)
NORCH_ALLOCATE(cudaHostAlloc, kPinned, unsigned)
template <class T>
cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height, NORCH_AT) {
  *pitch = (width + 511) / 512 * 512;
  auto kind = norch_sim::MemoryKind::kDevice;
  return norch_sim::allocate("cudaMallocPitch", (void**)p, *pitch * height, kind, "", at);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent, NORCH_AT) {
  p->xsize = extent.width, p->ysize = extent.height;
  return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth, at);
}
inline cudaError_t cudaFree(void* p, NORCH_AT) {
  return norch_sim::release("cudaFree", p, nullptr, at);
}
inline cudaError_t cudaFreeHost(void* p, NORCH_AT) {
  return norch_sim::release("cudaFreeHost", p, nullptr, at);
}
inline cudaError_t cudaFreeAsync(void* p, cudaStream_t stream, NORCH_AT) {
  return norch_sim::release("cudaFreeAsync", p, stream, at);
}
cudaError_t cudaHostRegister(void* p, size_t n, unsigned flags, NORCH_AT);
cudaError_t cudaHostUnregister(void* p, NORCH_AT);
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
  *device = static_cast<T*>(host);
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);

// name(parameters), and nameAsync(parameters, stream): the result, in terms of `when` and `at`.
#define NORCH_OPEN(...) __VA_ARGS__
#define NORCH_TWICE(name, parameters, ...)                                                    \
  inline cudaError_t name(NORCH_OPEN parameters, NORCH_AT) {                                  \
    norch_sim::When when;                                                                     \
    return norch_sim::__VA_ARGS__;                                                            \
  }                                                                                           \
  inline cudaError_t name##Async(NORCH_OPEN parameters, cudaStream_t s = nullptr, NORCH_AT) { \
    norch_sim::When when{s, false};                                                           \
    return norch_sim::__VA_ARGS__;                                                            \
  }
NORCH_TWICE(cudaMemcpy, (void* to, const void* from, size_t n, cudaMemcpyKind kind),
            copy("cudaMemcpy", {to}, {(void*)from}, {n, 1, 1}, kind, when, at))
NORCH_TWICE(cudaMemcpy2D,
            (void* to, size_t tp, const void* from, size_t fp, size_t w, size_t h,
             cudaMemcpyKind kind),
            copy("cudaMemcpy2D", {to, tp}, {(void*)from, fp}, {w, h, 1}, kind, when, at))
NORCH_TWICE(cudaMemcpy3D, (const cudaMemcpy3DParms* p), copy_3d("cudaMemcpy3D", *p, when, at))
NORCH_TWICE(cudaMemcpyPeer, (void* to, int, const void* from, int, size_t n),
            copy("cudaMemcpyPeer", {to}, {(void*)from}, {n, 1, 1}, cudaMemcpyDeviceToDevice, when,
                 at))
NORCH_TWICE(cudaMemset, (void* p, int value, size_t n),
            fill("cudaMemset", {p}, value, {n, 1, 1}, when, at))
NORCH_TWICE(cudaMemset2D, (void* p, size_t pitch, int value, size_t w, size_t h),
            fill("cudaMemset2D", {p, pitch}, value, {w, h, 1}, when, at))
NORCH_TWICE(cudaMemset3D, (cudaPitchedPtr p, int value, cudaExtent extent),
            fill("cudaMemset3D", {p.ptr, p.pitch, p.pitch * p.ysize}, value, extent, when, at))
#define NORCH_SYMBOLS(name, host, direction, to, from)                                         \
  template <class T>                                                                           \
  cudaError_t name(NORCH_OPEN host, size_t n, size_t offset = 0, cudaMemcpyKind = direction,   \
                   NORCH_AT) {                                                                 \
    return norch_sim::copy_symbol(#name, to, from, n, offset, sizeof(T), {}, at);              \
  }                                                                                            \
  template <class T>                                                                           \
  cudaError_t name##Async(NORCH_OPEN host, size_t n, size_t offset, cudaMemcpyKind,            \
                          cudaStream_t stream = nullptr, NORCH_AT) {                           \
    return norch_sim::copy_symbol(#name, to, from, n, offset, sizeof(T), {stream, false}, at); \
  }
NORCH_SYMBOLS(cudaMemcpyToSymbol, (const T& symbol, const void* from), cudaMemcpyHostToDevice,
              (char*)&symbol + offset, from)
NORCH_SYMBOLS(cudaMemcpyFromSymbol, (void* to, const T& symbol), cudaMemcpyDeviceToHost, to,
              (const char*)&symbol + offset)
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
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device, NORCH_AT);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device, NORCH_AT);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device, NORCH_AT);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);

// What one device that runs everything in order has nothing to do for.
#define NORCH_ACCEPT(name)        \
  template <class... T>           \
  cudaError_t name(const T&...) { \
    return cudaSuccess;           \
  }
NORCH_ACCEPT(cudaSetDeviceFlags)
NORCH_ACCEPT(cudaProfilerStart)
NORCH_ACCEPT(cudaProfilerStop)
NORCH_ACCEPT(cudaMemPrefetchAsync)
NORCH_ACCEPT(cudaMemAdvise)
NORCH_ACCEPT(cudaStreamAttachMemAsync)
NORCH_ACCEPT(cudaDeviceSetCacheConfig)
NORCH_ACCEPT(cudaDeviceSetSharedMemConfig)
NORCH_ACCEPT(cudaFuncSetCacheConfig)
NORCH_ACCEPT(cudaFuncSetSharedMemConfig)
#undef NORCH_ACCEPT
// What writes one constant through its first parameter.
#define NORCH_CONSTANT(name, constant) \
  template <class R, class... T>       \
  cudaError_t name(R* result, T...) {  \
    *result = constant;                \
    return cudaSuccess;                \
  }
NORCH_CONSTANT(cudaDriverGetVersion, CUDART_VERSION)
NORCH_CONSTANT(cudaRuntimeGetVersion, CUDART_VERSION)
NORCH_CONSTANT(cudaChooseDevice, 0)
NORCH_CONSTANT(cudaDeviceCanAccessPeer, 0)
NORCH_CONSTANT(cudaDeviceGetSharedMemConfig, cudaSharedMemBankSizeFourByte)
#undef NORCH_CONSTANT
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0, *greatest = -5;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaErrorInvalidDevice; }
inline cudaError_t cudaDeviceDisablePeerAccess(int) { return cudaErrorInvalidDevice; }

// ---- kernels ----

template <class K>
cudaError_t cudaLaunchKernel(K* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t stream = nullptr, NORCH_AT) {
  return norch_sim::launch_packed((const void*)kernel, grid, block, arguments, shared, stream,
                                  false, at);
}
template <class K>
cudaError_t cudaLaunchCooperativeKernel(K* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared = 0, cudaStream_t stream = nullptr,
                                        NORCH_AT) {
  return norch_sim::launch_packed((const void*)kernel, grid, block, arguments, shared, stream, true,
                                  at);
}
template <class K>
cudaError_t cudaFuncSetAttribute(K*, cudaFuncAttribute attribute, int value, NORCH_AT) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  return norch_sim::allow_shared(value, at);
}
template <class K>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, K*) {
  return norch_sim::function_attributes(attributes);
}
template <class K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, K, int block, size_t shared,
                                                          unsigned = 0) {
  *blocks = norch_sim::blocks_of_occupancy(block, shared);
  return cudaSuccess;
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
