// Loops over one row that the compiler can vectorise. Kernel files only: everything here has
// internal linkage, because each instruction set needs its own copy.
#pragma once

#include <cstdint>

// Reads and writes of one row may coincide element by element (a += b) but never overlap askew;
// the doors make sure of that. This tells the compiler so.
#if defined(__clang__)
#define NORCH_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define NORCH_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace norch {
namespace {
// Asks for the cache lines of p[0] ... p[count - 1] and does not wait for them. Nothing is read, so
// they may lie anywhere. A row that is worked on in several sweeps leaves memory idle after the
// first one, unless somebody asks for the next row.
template <class T>
inline void prefetch(const T* p, int64_t count) {
  for (int64_t j = 0; j < count; j += 64 / int64_t(sizeof(T))) __builtin_prefetch(p + j);
}

// out[i] = f(a[i]); steps in bytes.
template <class Out, class A, class F>
inline void map_row(char* const* data, const int64_t* step, int64_t n, F f) {
  char *po = data[0], *pa = data[1];
  const int64_t so = step[0], sa = step[1];
  if (so == sizeof(Out) && sa == sizeof(A)) {
    Out* out = reinterpret_cast<Out*>(po);
    const A* a = reinterpret_cast<const A*>(pa);
    NORCH_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = f(a[i]);
  } else if (so == sizeof(Out) && sa == 0) {
    Out* out = reinterpret_cast<Out*>(po);
    const Out value = f(*reinterpret_cast<const A*>(pa));
    for (int64_t i = 0; i < n; ++i) out[i] = value;
  } else {
    for (int64_t i = 0; i < n; ++i) {
      *reinterpret_cast<Out*>(po + i * so) = f(*reinterpret_cast<const A*>(pa + i * sa));
    }
  }
}

// out[i] = f(a[i], b[i]); steps in bytes.
template <class Out, class A, class B, class F>
inline void map_row2(char* const* data, const int64_t* step, int64_t n, F f) {
  char *po = data[0], *pa = data[1], *pb = data[2];
  const int64_t so = step[0], sa = step[1], sb = step[2];
  Out* out = reinterpret_cast<Out*>(po);
  const A* a = reinterpret_cast<const A*>(pa);
  const B* b = reinterpret_cast<const B*>(pb);
  const bool out_packed = so == sizeof(Out);
  if (out_packed && sa == sizeof(A) && sb == sizeof(B)) {
    NORCH_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
  } else if (out_packed && sa == sizeof(A) && sb == 0) {
    const B y = *b;
    NORCH_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = f(a[i], y);
  } else if (out_packed && sa == 0 && sb == sizeof(B)) {
    const A x = *a;
    NORCH_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = f(x, b[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      *reinterpret_cast<Out*>(po + i * so) =
          f(*reinterpret_cast<const A*>(pa + i * sa), *reinterpret_cast<const B*>(pb + i * sb));
    }
  }
}
}  // namespace
}  // namespace norch
