// CUDA C++ for g++: with this header in front, the text of a .cu file is a C++ program for the CPU.
//
// It gives the words of the language a meaning (threadIdx, __shared__, __syncthreads; those that
// are functions in simulator/cuda/) and registers the kernels; simulator/ runs them. It is included
// by generated code only, never by a .cu file: on a GPU the compiler knows these words itself.
#pragma once
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <type_traits>

#include "signature.h"
#include "simulator/simulator.h"

// ---- words of the language ----

#define NORCH_SIMULATOR 1
#define __CUDACC__ 1
#define __CUDA_ARCH__ 800  // the youngest whose functions are all here
#if !defined(__clang__)
#define __builtin_assume(condition)
#endif
#ifdef NORCH_RECORDED  // all in one piece: its machine code stands in the order of the text
#define __global__ __attribute__((noinline, flatten))
#else
#define __global__ __attribute__((noinline))  // keeps the line numbers of loops without a body
#endif
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __restrict__
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__

// One copy for each OS thread, since each runs a block of its own; aligned as for a float4, or as
// alignas(...) says: runtime/cuda_text.py puts those words where g++ takes them.
#if defined(__linux__) && defined(NORCH_CHECKED)
// Between two arrays a gap, so that whoever leaves one at its end is not in the next.
#define NORCH_JOINED(a, b) a##b
#define NORCH_GAP(number) NORCH_JOINED(norch_gap_, number)
#define NORCH_SHARED(alignment)                                                   \
  static thread_local __attribute__((used)) char NORCH_GAP(__COUNTER__)[64] = {}; \
  alignment static thread_local __attribute__((aligned(16)))
#elif defined(__linux__)
#define NORCH_SHARED(alignment) alignment static thread_local __attribute__((aligned(16)))
#else
#define NORCH_SHARED(alignment) alignment static __attribute__((section("__DATA,norch_shared")))
#endif
#define __shared__ NORCH_SHARED()
// extern __shared__ T name[], whose size the launch decides: runtime/cuda_text.py puts one of these
// in its place, the second one outside of functions.
template <class T>
using norch_element = T;
template <class T>
T* norch_dynamic_shared() {
  return reinterpret_cast<T*>(norch_sim::self->dynamic_shared);
}
namespace norch_sim {
// Local variables declared without a value, named by runtime/cuda_text.py in a checked library.
template <class... T>
inline void declared(T&... variables) {
  ((std::is_trivially_default_constructible_v<T> ? forget_local(&variables, sizeof(T)) : void()),
   ...);
}

template <class T>
struct DynamicShared {
  operator T*() const { return norch_dynamic_shared<T>(); }
};
}  // namespace norch_sim

#define threadIdx (norch_sim::self->thread_index)
#define blockIdx (norch_sim::self->block_index)
#define blockDim (norch_sim::self->block_dim)
#define gridDim (norch_sim::self->grid_dim)
#define warpSize 32

#define __syncthreads() norch_sim::barrier(__FILE__, __LINE__)
#define NORCH_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline int __syncthreads_count(int predicate, NORCH_HERE) {
  return norch_sim::barrier(file, line, predicate != 0);
}
inline int __syncthreads_or(int predicate, NORCH_HERE) {
  return __syncthreads_count(predicate, file, line) != 0;
}
inline int __syncthreads_and(int predicate, NORCH_HERE) {
  return __syncthreads_count(!predicate, file, line) == 0;
}
inline void __threadfence() { norch_sim::fence(); }
inline void __threadfence_block() { norch_sim::fence(); }
inline void __threadfence_system() { norch_sim::fence(); }
inline void __trap(NORCH_HERE) { norch_sim::fail("__trap() was called", file, line); }
#define NORCH_TODO(exercise) \
  norch_sim::fail("exercise " exercise " is yours to write", __FILE__, __LINE__)
#undef assert
#define assert(condition) \
  ((condition) ? (void)0 : norch_sim::fail("assert(" #condition ") failed", __FILE__, __LINE__))

// On a GPU a kernel cannot call these; here they would end Python. A library's own functions come
// before those of the C library, for its own calls only; noinline keeps the line of the call.
#if defined(__linux__)
#define NORCH_NOTHROW noexcept  // as glibc declares them
#else
#define NORCH_NOTHROW
#endif
#define NORCH_FATAL __attribute__((visibility("hidden"), noreturn, noinline, used))
#define NORCH_REFUSED(name, signature)                               \
  NORCH_FATAL void name signature {                                  \
    norch_sim::fail_at("calls " #name, __builtin_return_address(0)); \
  }
extern "C" {
NORCH_REFUSED(exit, (int)NORCH_NOTHROW)
NORCH_REFUSED(_Exit, (int)NORCH_NOTHROW)
NORCH_REFUSED(quick_exit, (int)NORCH_NOTHROW)
NORCH_REFUSED(abort, () NORCH_NOTHROW)
NORCH_REFUSED(_exit, (int))
// What the assert of <assert.h> calls, for a kernel that includes it after this file.
NORCH_FATAL void __assert_fail(const char* condition, const char*, unsigned,
                               const char*) NORCH_NOTHROW {
  char message[512];
  snprintf(message, sizeof message, "fails assert(%s)", condition);
  norch_sim::fail_at(message, __builtin_return_address(0));
}
// What -fstack-protector calls when a function returns whose local arrays were overrun.
NORCH_FATAL void __stack_chk_fail() {
  norch_sim::fail_at("wrote past the end of a local array of the function",
                     __builtin_return_address(0));
}
}
namespace std {
NORCH_FATAL void terminate() noexcept {
  norch_sim::fail_at("calls std::terminate", __builtin_return_address(0));
}
}  // namespace std

#include "simulator/cuda/arithmetic.h"
#include "simulator/cuda/atomics.h"
#include "simulator/cuda/vectors.h"
#include "simulator/cuda/warp.h"

#if defined(NORCH_CHECKED)
// The compiler does not announce what these read and write; clang's names of them do.
extern "C" void* __tsan_memcpy(void*, const void*, size_t);
extern "C" void* __tsan_memmove(void*, const void*, size_t);
extern "C" void* __tsan_memset(void*, int, size_t);
namespace std {
using ::__tsan_memcpy;
using ::__tsan_memmove;
using ::__tsan_memset;
}  // namespace std
// Memory of malloc() and new is watched from there to free() and delete.
namespace std {
using norch_sim::free_watched;
using norch_sim::malloc_watched;
}  // namespace std
using norch_sim::free_watched;
using norch_sim::malloc_watched;
#define malloc malloc_watched
#define free free_watched
#define NORCH_OPERATOR __attribute__((visibility("hidden"), used))
NORCH_OPERATOR void* operator new(size_t size) { return malloc_watched(size); }
NORCH_OPERATOR void* operator new[](size_t size) { return malloc_watched(size); }
NORCH_OPERATOR void operator delete(void* memory) noexcept { free_watched(memory); }
NORCH_OPERATOR void operator delete[](void* memory) noexcept { free_watched(memory); }
NORCH_OPERATOR void operator delete(void* memory, size_t) noexcept { free_watched(memory); }
NORCH_OPERATOR void operator delete[](void* memory, size_t) noexcept { free_watched(memory); }
#define memcpy __tsan_memcpy
#define memmove __tsan_memmove
#define memset __tsan_memset
#endif

// ---- registration ----

namespace norch_sim {

template <size_t...>
struct Indices {};
template <size_t N, size_t... I>
struct Count : Count<N - 1, N - 1, I...> {};
template <size_t... I>
struct Count<0, I...> {
  using type = Indices<I...>;
};

template <class T>
constexpr size_t writable_bytes = sizeof(T);
template <class T>
constexpr size_t writable_bytes<const T> = 0;

template <auto kernel>
struct Caller;
template <class... P, void (*kernel)(P...)>
struct Caller<kernel> {
  template <size_t... I>
  __attribute__((no_sanitize("thread"))) static void apply(void** arguments, Indices<I...>) {
    kernel(*static_cast<P*>(arguments[I])...);
  }
  __attribute__((no_sanitize("thread"))) static void call(void** arguments) {
    apply(arguments, typename Count<sizeof...(P)>::type{});
  }
};

}  // namespace norch_sim

// The name Python asks by, what __launch_bounds__ says (or 0), and C++ that names the kernel.
#define NORCH_KERNEL(name, max_threads, kernel)                          \
  {name, reinterpret_cast<const char*>(norch::Signature<kernel>::items), \
   norch_sim::Caller<kernel>::call, max_threads}
// Size 0 says that nobody can write to it.
#define NORCH_SYMBOL(name) {#name, &name, norch_sim::writable_bytes<decltype(name)>}

// The end of the generated file: the two tables that runtime/cuda_text.py writes.
#if defined(__linux__)
// The first of the TLS segment and, by the linker's --sort-section=name, the last.
#define NORCH_SHARED_BOUNDS(begin, end)                                                          \
  static thread_local __attribute__((                                                            \
      used, section(".tdata"))) char norch_gap_front[norch_sim::kSharedMargin] = {1};            \
  static thread_local                                                                            \
      __attribute__((used, section(".tbss.zzz"))) char norch_gap_back[norch_sim::kSharedMargin]; \
  (*(begin) = norch_gap_front, *(end) = norch_gap_back + norch_sim::kSharedMargin)
#else
extern char norch_shared_begin __asm("section$start$__DATA$norch_shared");
extern char norch_shared_end __asm("section$end$__DATA$norch_shared");
#define NORCH_SHARED_BOUNDS(begin, end) \
  __shared__ char norch_gap_anchor;     \
  (void)norch_gap_anchor;               \
  (*(begin) = &norch_shared_begin, *(end) = &norch_shared_end)
#endif
#define NORCH_LIBRARY(kernels, num_kernels, symbols, num_symbols)                                \
  static void norch_shared_memory(char** begin, char** end) { NORCH_SHARED_BOUNDS(begin, end); } \
  extern "C" __attribute__((visibility("default"))) const norch_sim::Library norch_library = {   \
      kernels, num_kernels, norch_shared_memory, symbols, num_symbols};
