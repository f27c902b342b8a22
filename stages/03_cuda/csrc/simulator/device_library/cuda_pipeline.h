// <cuda_pipeline.h> of the simulator: a thread's own copies, in stages that it ends and waits for.
#pragma once
#include <cuda/pipeline>

// Copies 4, 8 or 16 bytes, the last `zeros` of them as zeros.
__forceinline__ void __pipeline_memcpy_async(void* to, const void* from, size_t size,
                                             size_t zeros = 0, NORCH_HERE) {
  if (size != 4 && size != 8 && size != 16) {
    norch_sim::fail("__pipeline_memcpy_async copies 4, 8 or 16 bytes", file, line);
  }
  char* begin = static_cast<char*>(to);
  unsigned stage = norch_sim::self->copy_stage;
  size_t copied = size - zeros;
  if (copied > 0) {
    norch_sim::copy_piece(begin, static_cast<const char*>(from), copied, nullptr, stage);
  }
  if (zeros > 0) norch_sim::copy_piece(begin + copied, nullptr, zeros, nullptr, stage);
}
__forceinline__ void __pipeline_commit() { norch_sim::self->copy_stage++; }
// Waits for all stages but the last `open`.
__forceinline__ void __pipeline_wait_prior(unsigned open) {
  unsigned stages = norch_sim::self->copy_stage;
  if (stages > open) norch_sim::finish_copies(nullptr, stages - open);
}
