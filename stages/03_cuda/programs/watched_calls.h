// What the tests of exercises put before a whole program: calls of CUDA that fail, copies counted.
//
// test_program_exercises.py includes it by `-include`. With NORCH_REFUSED=3 the third call that is
// named here fails, as if there were no memory. At its end the program says how it has copied, and
// whether its launches name a stream: the linker is told `--wrap` for the function before each.
#pragma once
#include <set>

#include "cuda_on_cpu.h"

namespace norch_watched {
struct Calls {
  int refusable = 0, refused = getenv("NORCH_REFUSED") ? atoi(getenv("NORCH_REFUSED")) : 0;
  std::set<cudaStream_t> streams;  // that have copied to the device
  bool pinned = true, waited = false, waited_between = false, stream_left_out = false;
  ~Calls() {
    fprintf(stderr, "calls: %zu %d %d %d\n", streams.size(), pinned, waited_between,
            stream_left_out);
  }
};
inline Calls calls;

inline cudaError_t refuse(const char* call, NORCH_AT) {
  void* nothing;
  return norch_sim::allocate({call, at}, &nothing, SIZE_MAX, norch_sim::kDevice);
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

// norch_sim::configure, which a launch calls first, as the linker names it.
#define NORCH_CONFIGURE(prefix) prefix##_ZN9norch_sim9configureE4dim3S0_mP11CUstream_stNS_5PlaceE
extern "C" void NORCH_CONFIGURE(__real_)(dim3, dim3, size_t, cudaStream_t, norch_sim::Place);
extern "C" void NORCH_CONFIGURE(__wrap_)(dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
                                         norch_sim::Place at) {
  norch_watched::calls.stream_left_out |= stream == nullptr;
  NORCH_CONFIGURE(__real_)(grid, block, shared, stream, at);
}

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
