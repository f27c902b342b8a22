// What a block's threads wait at together and vote with, and the fences of one thread.
//
// __syncthreads itself is a word of the language: cuda_on_cpu.h, which includes this file.
#pragma once

// CUDA's __syncthreads with a vote: how many threads of the block say yes.
inline int __syncthreads_count(int predicate, NORCH_HERE) {
  return norch_sim::barrier(file, line, predicate != 0);
}
// CUDA's __syncthreads with a vote: whether any thread of the block says yes.
inline int __syncthreads_or(int predicate, NORCH_HERE) {
  return __syncthreads_count(predicate, file, line) != 0;
}
// CUDA's __syncthreads with a vote: whether all threads of the block say yes.
inline int __syncthreads_and(int predicate, NORCH_HERE) {
  return __syncthreads_count(!predicate, file, line) == 0;
}

// CUDA's fences: what the thread wrote before is there for others before what it writes after.
inline void __threadfence() { norch_sim::fence(); }
inline void __threadfence_block() { norch_sim::fence(); }
inline void __threadfence_system() { norch_sim::fence(); }
