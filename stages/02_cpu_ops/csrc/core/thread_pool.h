// The thread pool: parallel_for(n, grain, fn) calls fn(begin, end) until 0..n is covered, on
// whichever threads are free, the caller among them. Chunks are handed out as they are asked for,
// so a thread that the system puts to sleep delays one chunk and not the loop.
//
// Rules for fn: chunks are multiples of `grain` (but the last) and depend on the number of threads,
// so a result must not depend on where they are cut. An exception thrown by fn reaches the caller.
// A parallel_for inside fn, or while another thread has the pool, runs serially.
#pragma once

#include <cstdint>
#include <type_traits>

namespace norch {
using ChunkFn = void (*)(void* context, int64_t begin, int64_t end);

// parallel_for without the template: the loop is a function and its context.
void run_in_pool(int64_t n, int64_t grain, ChunkFn fn, void* context);

// Calls fn(begin, end) for chunks of 0..n, on the threads that are free.
template <class F>
void parallel_for(int64_t n, int64_t grain, F&& fn) {
  if (n <= grain) {
    if (n > 0) fn(int64_t(0), n);
    return;
  }
  using Fn = std::remove_reference_t<F>;
  run_in_pool(
      n, grain,
      [](void* context, int64_t begin, int64_t end) { (*static_cast<Fn*>(context))(begin, end); },
      const_cast<std::remove_const_t<Fn>*>(&fn));
}

// 1 means no helpers. The default is NORCH_NUM_THREADS, else the CPUs this process may use.
void set_num_threads(int64_t n);
int get_num_threads();

// Whether a job of some microseconds should be shared: helpers stand by, or the last job that asked
// was so short ago that they will, once woken. Waking costs the caller ten microseconds.
bool pays_for_short_jobs();
}  // namespace norch
