// What a call of a library is made of: one thread on the device, in the order of its stream.
//
// So the checker sees what a library reads and writes, and --async lets it wait. Included by the
// headers of libraries in this folder.
#pragma once
#include <cuda_runtime.h>

namespace norch_sim {
// Runs the body as a kernel of this name.
template <class F>
void on_device(const char* name, const F& body, cudaStream_t stream = nullptr, NORCH_AT) {
  configure(1, 1, 0, stream, at);
  launch(name, 0, body);
}

// The value that a body computes, waited for; it is left in memory that both sides may touch.
template <class T, class F>
T from_device(const char* name, const F& body, cudaStream_t stream = nullptr, NORCH_AT) {
  T* room = nullptr;
  if (cudaMallocManaged(&room, sizeof(T)) != cudaSuccess) return T();
  on_device(name, [=] { *room = body(); }, stream, at);
  T value = cudaStreamSynchronize(stream) == cudaSuccess ? *room : T();
  cudaFree(room);
  return value;
}
}  // namespace norch_sim
