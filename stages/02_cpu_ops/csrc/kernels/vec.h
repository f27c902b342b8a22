// Vectors as wide as the instruction set being compiled for has them, by the vector extensions of
// GCC and clang: the same source becomes SSE2, AVX2, AVX-512 or NEON.  Kernel files only; internal
// linkage, because each instruction set needs its own copy.
#pragma once

#include <cstdint>

#ifdef __SSE2__
#include <immintrin.h>
#define NORCH_HAS_STREAM
#endif

namespace norch {
namespace {
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T>
struct VecOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
  typedef T anywhere __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));
};

template <class T>
using Vec = typename VecOf<T>::type;
template <class T>
constexpr int kLanes = kVectorBytes / int(sizeof(T));

// A vector from neighbours in memory.
template <class T>
inline Vec<T> load(const T* p) {
  return *reinterpret_cast<const typename VecOf<T>::anywhere*>(p);
}

// A vector to neighbours in memory.
template <class T>
inline void store(T* p, Vec<T> v) {
  *reinterpret_cast<typename VecOf<T>::anywhere*>(p) = v;
}

#ifdef NORCH_HAS_STREAM
// A vector of bytes past the caches, to a place aligned as one.
inline void stream(char* p, Vec<char> v) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(p), reinterpret_cast<__m512i>(v));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(p), reinterpret_cast<__m256i>(v));
#else
  _mm_stream_si128(reinterpret_cast<__m128i*>(p), reinterpret_cast<__m128i>(v));
#endif
}
#endif

// A vector of one number.
template <class T>
inline Vec<T> broadcast(T x) {
  return Vec<T>{} + x;
}

// f of all lanes, in each of them; its order does not depend on the data.
template <class V, class F>
inline V fold_all(V v, F f) {
  constexpr int kCount = int(sizeof(V) / sizeof(v[0]));
#pragma GCC unroll 8
  for (int distance = kCount / 2; distance > 0; distance /= 2) {
    V other;
#pragma GCC unroll 64
    for (int k = 0; k < kCount; ++k) other[k] = v[k ^ distance];  // a shuffle
    v = f(v, other);
  }
  return v;
}

// Halves the vector until one number is left: the order does not depend on the data.
template <class T, class F>
inline T fold(Vec<T> v, F f) {
  T lanes[kLanes<T>];
  store(lanes, v);
  for (int half = kLanes<T> / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] = f(lanes[i], lanes[i + half]);
  }
  return lanes[0];
}
}  // namespace
}  // namespace norch
