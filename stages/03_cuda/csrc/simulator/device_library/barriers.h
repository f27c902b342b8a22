// What a block's threads wait at together and vote with, and the fences of one thread.
//
// __syncthreads itself is a word of the language: cuda_on_cpu.h, which includes this file.
#pragma once

// CUDA's __syncthreads with a vote: how many threads of the block say yes, whether any, whether
// all.
#define __syncthreads_count(predicate) NORCH_BARRIER((predicate) != 0)
#define __syncthreads_or(predicate) (NORCH_BARRIER((predicate) != 0) != 0)
#define __syncthreads_and(predicate) (NORCH_BARRIER(!(predicate)) == 0)

// CUDA's fences: what the thread wrote before is there for others before what it writes after.
inline void __threadfence() { norch_sim::fence(norch_sim::Scope::kDevice); }
inline void __threadfence_block() { norch_sim::fence(norch_sim::Scope::kBlock); }
inline void __threadfence_system() { norch_sim::fence(norch_sim::Scope::kDevice); }
