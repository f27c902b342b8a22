// What programs tell a GPU about memory, streams and other devices: taken, and without effect.
//
// A pool of memory is cudaMalloc's. Included by <cuda_runtime.h>.
#pragma once

// clang-format off: a row of a table has more than one column.
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice,
  cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma };
struct cudaMemLocation { cudaMemLocationType type; int id; };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead,
  cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemAccessDesc { cudaMemLocation location; cudaMemAccessFlags flags; };
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
enum cudaMemPoolAttr { cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic, cudaMemPoolReuseAllowInternalDependencies,
  cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent,
  cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh };
enum cudaMemAllocationType { cudaMemAllocationTypePinned = 1 };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone,
  cudaMemHandleTypePosixFileDescriptor };
struct cudaMemPoolProps {
  cudaMemAllocationType allocType; cudaMemAllocationHandleType handleTypes;
  cudaMemLocation location; void* win32SecurityAttributes; size_t maxSize;
};
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming,
  cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow {
  void* base_ptr; size_t num_bytes; float hitRatio; cudaAccessProperty hitProp, missProp;
};
enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1,
  cudaStreamAttributeSynchronizationPolicy = 3, cudaStreamAttributePriority = 8 };
union cudaStreamAttrValue { cudaAccessPolicyWindow accessPolicyWindow; int syncPolicy, priority; };
enum cudaDeviceP2PAttr { cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported,
  cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported };
// clang-format on

template <class T>
cudaError_t cudaMallocFromPoolAsync(T** p, size_t n, cudaMemPool_t, cudaStream_t stream, NORCH_AT) {
  return cudaMallocAsync(p, n, stream, at);
}
template <class T>
cudaError_t cudaMallocAsync(T** p, size_t n, cudaMemPool_t, cudaStream_t stream, NORCH_AT) {
  return cudaMallocAsync(p, n, stream, at);
}
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaErrorInvalidDevice; }
inline cudaError_t cudaDeviceDisablePeerAccess(int) { return cudaErrorInvalidDevice; }
NORCH_TWICE(inline, cudaMemcpyPeer, (void* to, int, const void* from, int, size_t n), copy, {to},
            {(void*)from}, {n, 1, 1}, cudaMemcpyDeviceToDevice)

// clang-format off
NORCH_ACCEPT(cudaMemPoolSetAttribute) NORCH_ACCEPT(cudaMemPoolSetAccess)
NORCH_ACCEPT(cudaMemPoolDestroy) NORCH_ACCEPT(cudaMemPoolTrimTo)
NORCH_ACCEPT(cudaDeviceSetMemPool) NORCH_ACCEPT(cudaStreamSetAttribute)
NORCH_ACCEPT(cudaCtxResetPersistingL2Cache)
NORCH_CONSTANT(cudaDeviceGetDefaultMemPool, nullptr) NORCH_CONSTANT(cudaMemPoolCreate, nullptr)
NORCH_CONSTANT(cudaDeviceGetMemPool, nullptr) NORCH_CONSTANT(cudaDeviceGetP2PAttribute, 0)
