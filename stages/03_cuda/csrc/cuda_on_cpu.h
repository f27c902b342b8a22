// CUDA C++ for g++: with this header in front, the text of a .cu file is a C++ program for the CPU.
//
// It gives the words of the language a meaning (threadIdx, __shared__, __syncthreads, atomicAdd,
// shuffles, math) and registers the kernels; simulator/ runs them. It is included by generated code
// only, never by a .cu file: on a GPU the compiler knows these words itself.
#pragma once
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/simulator.h"

// ---- words of the language ----

#define NORCH_SIMULATOR 1
#define __global__ __attribute__((noinline))  // keeps the line numbers of loops without a body
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __restrict__

// One copy for each OS thread, since each runs a block of its own.
#if defined(__linux__)
#define __shared__ static thread_local
#else
#define __shared__ static __attribute__((section("__DATA,norch_shared")))
#endif
// extern __shared__ T name[]: shared memory whose size the launch decides.
#define NORCH_DYNAMIC_SHARED(T, name) \
  T* name = reinterpret_cast<T*>(norch_sim::self->dynamic_shared)

#define threadIdx (norch_sim::self->thread_index)
#define blockIdx (norch_sim::self->block_index)
#define blockDim (norch_sim::self->block_dim)
#define gridDim (norch_sim::self->grid_dim)
#define warpSize 32

#define __syncthreads() norch_sim::barrier(__FILE__, __LINE__)
#define NORCH_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncwarp(unsigned mask = 0xffffffffu, NORCH_HERE) {
  norch_sim::exchange(norch_sim::Exchange::kSync, mask, 0, 0, file, line);
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __trap(NORCH_HERE) { norch_sim::fail("__trap() was called", file, line); }
#define NORCH_TODO(exercise) \
  norch_sim::fail("exercise " exercise " is yours to write", __FILE__, __LINE__)
#undef assert
#define assert(condition) \
  ((condition) ? (void)0 : norch_sim::fail("assert(" #condition ") failed", __FILE__, __LINE__))

// On a GPU a kernel cannot call these; here they would end Python. A library's own functions come
// before those of the C library, for its own calls only.
#if defined(__linux__)
#define NORCH_NOTHROW noexcept  // as glibc declares them
#else
#define NORCH_NOTHROW
#endif
#define NORCH_REFUSED(name, signature)                                        \
  __attribute__((visibility("hidden"), noreturn, used)) void name signature { \
    norch_sim::fail_at("calls " #name, __builtin_return_address(0));          \
  }
extern "C" {
NORCH_REFUSED(exit, (int)NORCH_NOTHROW)
NORCH_REFUSED(_Exit, (int)NORCH_NOTHROW)
NORCH_REFUSED(quick_exit, (int)NORCH_NOTHROW)
NORCH_REFUSED(abort, () NORCH_NOTHROW)
NORCH_REFUSED(_exit, (int))
// What the assert of <assert.h> calls, for a kernel that includes it after this file.
__attribute__((visibility("hidden"), noreturn, used)) void __assert_fail(
    const char* condition, const char*, unsigned, const char*) NORCH_NOTHROW {
  char message[512];
  snprintf(message, sizeof message, "fails assert(%s)", condition);
  norch_sim::fail_at(message, __builtin_return_address(0));
}
// What -fstack-protector calls when a function returns whose local arrays were overrun.
__attribute__((visibility("hidden"), noreturn, used)) void __stack_chk_fail() {
  norch_sim::fail_at("wrote past the end of a local array of the function",
                     __builtin_return_address(0));
}
}
namespace std {
__attribute__((visibility("hidden"), noreturn, used)) void terminate() noexcept {
  norch_sim::fail_at("calls std::terminate", __builtin_return_address(0));
}
}  // namespace std

// ---- warps ----

namespace norch_sim {

template <class T>
T shuffle(unsigned mask, T value, int source, const char* file, int line) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  bits = exchange(Exchange::kShuffle, mask, bits, source, file, line);
  memcpy(&value, &bits, sizeof(T));
  return value;
}

inline int lane() { return self->index % 32; }
// The lane `source` if it lies in the caller's group of `width` lanes, else the caller itself.
inline int within(int source, int width) {
  return source / width == lane() / width && source >= 0 ? source : lane();
}

}  // namespace norch_sim

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, NORCH_HERE) {
  int first = norch_sim::lane() / width * width;
  return norch_sim::shuffle(mask, value, first + source % width, file, line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, NORCH_HERE) {
  int source = norch_sim::within(norch_sim::lane() + static_cast<int>(delta), width);
  return norch_sim::shuffle(mask, value, source, file, line);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, NORCH_HERE) {
  int source = norch_sim::within(norch_sim::lane() - static_cast<int>(delta), width);
  return norch_sim::shuffle(mask, value, source, file, line);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, NORCH_HERE) {
  int source = norch_sim::within(norch_sim::lane() ^ lanes, width);
  return norch_sim::shuffle(mask, value, source, file, line);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, NORCH_HERE) {
  return static_cast<unsigned>(
      norch_sim::exchange(norch_sim::Exchange::kBallot, mask, predicate != 0, 0, file, line));
}
inline int __any_sync(unsigned mask, int predicate, NORCH_HERE) {
  return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, NORCH_HERE) {
  return __ballot_sync(mask, !predicate, file, line) == 0;
}

// ---- atomics and arithmetic ----

template <class T>
T atomicAdd(T* address, T value) {
  return norch_sim::atomic_add(address, value);
}
template <class T>
T atomicMax(T* address, T value) {
  return norch_sim::atomic_max(address, value);
}
template <class T>
T atomicMin(T* address, T value) {
  return norch_sim::atomic_min(address, value);
}
template <class T>
T atomicExch(T* address, T value) {
  return norch_sim::atomic_exchange(address, value);
}
template <class T>
T atomicCAS(T* address, T expected, T value) {
  return norch_sim::atomic_compare_exchange(address, expected, value);
}

template <class T>
T __ldg(const T* address) {
  return *address;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline float __int_as_float(int x) {
  float y;
  memcpy(&y, &x, sizeof y);
  return y;
}
inline int __float_as_int(float x) {
  int y;
  memcpy(&y, &x, sizeof y);
  return y;
}
inline double __longlong_as_double(long long x) {
  double y;
  memcpy(&y, &x, sizeof y);
  return y;
}
inline long long __double_as_longlong(double x) {
  long long y;
  memcpy(&y, &x, sizeof y);
  return y;
}
inline float rsqrt(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __fdividef(float x, float y) { return x / y; }
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}

struct Windows;  // of window.h

// ---- registration ----

namespace norch_sim {

// One letter a parameter: p pointer, l long long, d double, w Windows, s any other struct.
template <class P>
struct Letter {
  static constexpr char value = 's';
};
template <class P>
struct Letter<P*> {
  static constexpr char value = 'p';
};
template <>
struct Letter<long long> {
  static constexpr char value = 'l';
};
template <>
struct Letter<Windows> {
  static constexpr char value = 'w';
};
template <>
struct Letter<double> {
  static constexpr char value = 'd';
};
template <>
struct Letter<int> {
  static constexpr char value = 'i';
};
template <>
struct Letter<float> {
  static constexpr char value = 'f';
};

template <size_t...>
struct Indices {};
template <size_t N, size_t... I>
struct Count : Count<N - 1, N - 1, I...> {};
template <size_t... I>
struct Count<0, I...> {
  using type = Indices<I...>;
};

template <class F, F* kernel>
struct Caller;
template <class... P, void (*kernel)(P...)>
struct Caller<void(P...), kernel> {
  static constexpr char signature[] = {Letter<P>::value..., 0};
  template <size_t... I>
  __attribute__((no_sanitize("thread"))) static void apply(void** arguments, Indices<I...>) {
    kernel(*static_cast<P*>(arguments[I])...);
  }
  __attribute__((no_sanitize("thread"))) static void call(void** arguments) {
    apply(arguments, typename Count<sizeof...(P)>::type{});
  }
};

}  // namespace norch_sim

#define NORCH_KERNEL(name)                                    \
  {#name, norch_sim::Caller<decltype(name), name>::signature, \
   norch_sim::Caller<decltype(name), name>::call}

// The end of the generated file: NORCH_LIBRARY(NORCH_KERNEL(a), NORCH_KERNEL(b), ...).
#if defined(__linux__)
#define NORCH_SHARED_BOUNDS(begin, end) (*(begin) = &anchor, *(end) = &anchor + 1)
#else
extern char norch_shared_begin __asm("section$start$__DATA$norch_shared");
extern char norch_shared_end __asm("section$end$__DATA$norch_shared");
#define NORCH_SHARED_BOUNDS(begin, end) (*(begin) = &norch_shared_begin, *(end) = &norch_shared_end)
#endif
#define NORCH_LIBRARY(...)                                                                     \
  static void norch_shared_memory(char** begin, char** end) {                                  \
    __shared__ char anchor;                                                                    \
    (void)anchor;                                                                              \
    NORCH_SHARED_BOUNDS(begin, end);                                                           \
  }                                                                                            \
  static const norch_sim::Kernel norch_kernels[] = {__VA_ARGS__};                              \
  extern "C" __attribute__((visibility("default"))) const norch_sim::Library norch_library = { \
      norch_kernels, static_cast<int>(sizeof(norch_kernels) / sizeof(norch_kernels[0])),       \
      norch_shared_memory};
