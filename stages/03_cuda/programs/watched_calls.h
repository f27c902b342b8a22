// What the tests of exercises put before a whole program: calls of CUDA that fail, copies counted.
//
// test_program_exercises.py includes it by `-include`. With NORCH_REFUSED=3 the third call that is
// named here fails, as if there were no memory. At its end the program says how it has copied.
#pragma once
#include <set>

#include "cuda_on_cpu.h"

namespace norch_watched {
struct Calls {
  int refusable = 0, refused = getenv("NORCH_REFUSED") ? atoi(getenv("NORCH_REFUSED")) : 0;
  std::set<cudaStream_t> streams;  // that have copied to the device
  bool pinned = true, waited = false, waited_between = false;
  ~Calls() {
    fprintf(stderr, "calls: %d %zu %d %d\n", refusable, streams.size(), pinned, waited_between);
  }
};
inline Calls calls;

inline cudaError_t refuse(const char* call, NORCH_AT) {
  void* nothing;
  return norch_sim::allocate(call, &nothing, SIZE_MAX, norch_sim::MemoryKind::kDevice, "", at);
}

inline cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream = nullptr, NORCH_AT) {
  cudaPointerAttributes source, target;
  cudaPointerGetAttributes(&source, from);
  cudaPointerGetAttributes(&target, to);
  if (target.type == cudaMemoryTypeDevice && source.type != cudaMemoryTypeDevice) {
    calls.waited_between |= calls.waited;
    calls.pinned &= source.type == cudaMemoryTypeHost;
    calls.streams.insert(stream);
  }
  return cudaMemcpyAsync(to, from, bytes, kind, stream, at);
}

inline void wait() { calls.waited = !calls.streams.empty(); }
}  // namespace norch_watched

#define NORCH_REFUSABLE(name, call)                                                               \
  (++norch_watched::calls.refusable == norch_watched::calls.refused ? norch_watched::refuse(name) \
                                                                    : call)
#undef cudaMalloc
#undef cudaMallocManaged
#define cudaMalloc(...) NORCH_REFUSABLE("cudaMalloc", cudaMalloc(__VA_ARGS__, #__VA_ARGS__))
#define cudaMallocManaged(...) \
  NORCH_REFUSABLE("cudaMallocManaged", cudaMallocManaged(__VA_ARGS__, #__VA_ARGS__))
#define cudaMallocHost(...) NORCH_REFUSABLE("cudaMallocHost", cudaMallocHost(__VA_ARGS__))
#define cudaMemcpy(...) \
  NORCH_REFUSABLE("cudaMemcpy", (norch_watched::wait(), cudaMemcpy(__VA_ARGS__)))
#define cudaFree(...) NORCH_REFUSABLE("cudaFree", cudaFree(__VA_ARGS__))
#define cudaMemcpyAsync(...) norch_watched::copy(__VA_ARGS__)
#define cudaDeviceSynchronize() (norch_watched::wait(), cudaDeviceSynchronize())
#define cudaStreamSynchronize(...) (norch_watched::wait(), cudaStreamSynchronize(__VA_ARGS__))
