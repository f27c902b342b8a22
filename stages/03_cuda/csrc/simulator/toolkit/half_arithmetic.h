// What float16 and bfloat16 have in common: arithmetic in float, rounded to the type after each
// step, one number at a time or two ("__hadd2").
//
// Included by cuda_fp16.h and cuda_bf16.h, which declare the types and convert them. A type says
// what it is by IsHalf (its float16 or bfloat16 of half.h is the base) and IsPair.
#pragma once

#include "half.h"

namespace norch_sim {

// The float from which rounding to 16 bits gives what rounding `x` itself would: the last bit of
// one that is not exact is set, so that it is no tie.
inline float narrowed(double x) {
  float near = static_cast<float>(x);
  if (static_cast<double>(near) == x || x != x || isinf(near)) return near;
  bool away = (x > 0) == (static_cast<double>(near) > x);
  unsigned bits = __float_as_uint(near) - (away ? 1 : 0);
  return __uint_as_float(bits | 1);
}

template <class Stored>
struct Half {
  Stored stored;
  // A constant: otherwise g++ asks at each use of a __shared__ array whether it was constructed.
  constexpr Half() : stored() {}
  Half(float x) : stored(x) {}
  Half(double x) : stored(narrowed(x)) {}
  template <class N, class = decltype(N() % 2)>
  Half(N x) : stored(narrowed(static_cast<double>(x))) {}
  operator float() const { return static_cast<float>(stored); }
};

template <class H>
struct IsHalf {};
template <class V>
struct IsPair {};
template <class H>
using HalfOnly = typename IsHalf<H>::type;
template <class V>
using ElementOf = typename IsPair<V>::type;

template <class H>
H half_from_bits(unsigned short bits) {
  H x;
  x.stored.bits = bits;
  return x;
}

template <class V, class F>
V each(V a, F f) {
  return V{f(a.x), f(a.y)};
}
template <class V, class F>
V each(V a, V b, F f) {
  return V{f(a.x, b.x), f(a.y, b.y)};
}

}  // namespace norch_sim

// ---- operators ----

#define NORCH_HALF_OPERATOR(op)                                       \
  template <class H, class = norch_sim::HalfOnly<H>>                  \
  __forceinline__ H operator op(H a, H b) {                           \
    return H(static_cast<float>(a) op static_cast<float>(b));         \
  }                                                                   \
  template <class V, class H = norch_sim::ElementOf<V>, class = void> \
  __forceinline__ V operator op(V a, V b) {                           \
    return V{a.x op b.x, a.y op b.y};                                 \
  }                                                                   \
  template <class H, class = norch_sim::HalfOnly<H>>                  \
  __forceinline__ H& operator op## = (H & a, H b) {                   \
    return a = a op b;                                                \
  }                                                                   \
  template <class V, class H = norch_sim::ElementOf<V>, class = void> \
  __forceinline__ V& operator op## = (V & a, V b) {                   \
    return a = a op b;                                                \
  }
NORCH_HALF_OPERATOR(+)
NORCH_HALF_OPERATOR(-)
NORCH_HALF_OPERATOR(*)
NORCH_HALF_OPERATOR(/)
#undef NORCH_HALF_OPERATOR
template <class H, class = norch_sim::HalfOnly<H>>
H operator-(H a) {
  return H(-static_cast<float>(a));
}
#define NORCH_HALF_COMPARE(op, name, name2, all)           \
  template <class H, class = norch_sim::HalfOnly<H>>       \
  bool operator op(H a, H b) {                             \
    return static_cast<float>(a) op static_cast<float>(b); \
  }                                                        \
  template <class H, class = norch_sim::HalfOnly<H>>       \
  bool name(H a, H b) {                                    \
    return a op b;                                         \
  }                                                        \
  template <class V, class H = norch_sim::ElementOf<V>>    \
  V name2(V a, V b) {                                      \
    return V{H(float(a.x op b.x)), H(float(a.y op b.y))};  \
  }                                                        \
  template <class V, class H = norch_sim::ElementOf<V>>    \
  bool all(V a, V b) {                                     \
    return a.x op b.x && a.y op b.y;                       \
  }
NORCH_HALF_COMPARE(==, __heq, __heq2, __hbeq2)
NORCH_HALF_COMPARE(!=, __hne, __hne2, __hbne2)
NORCH_HALF_COMPARE(<, __hlt, __hlt2, __hblt2)
NORCH_HALF_COMPARE(<=, __hle, __hle2, __hble2)
NORCH_HALF_COMPARE(>, __hgt, __hgt2, __hbgt2)
NORCH_HALF_COMPARE(>=, __hge, __hge2, __hbge2)
#undef NORCH_HALF_COMPARE

// ---- functions of one, two and three numbers, and of as many pairs ----

#define NORCH_HALF1(name, name2, expression)                \
  template <class H, class = norch_sim::HalfOnly<H>>        \
  H name(H half) {                                          \
    float a = half;                                         \
    return H(expression);                                   \
  }                                                         \
  template <class V, class H = norch_sim::ElementOf<V>>     \
  V name2(V a) {                                            \
    return norch_sim::each(a, [](H x) { return name(x); }); \
  }
NORCH_HALF1(__hneg, __hneg2, -a)
NORCH_HALF1(__habs, __habs2, fabsf(a))
NORCH_HALF1(hexp, h2exp, exp(double(a)))
NORCH_HALF1(hexp2, h2exp2, exp2(double(a)))
NORCH_HALF1(hexp10, h2exp10, pow(10.0, double(a)))
NORCH_HALF1(hlog, h2log, log(double(a)))
NORCH_HALF1(hlog2, h2log2, log2(double(a)))
NORCH_HALF1(hlog10, h2log10, log10(double(a)))
NORCH_HALF1(hsqrt, h2sqrt, sqrt(double(a)))
NORCH_HALF1(hrsqrt, h2rsqrt, 1.0 / sqrt(double(a)))
NORCH_HALF1(hrcp, h2rcp, 1.0 / double(a))
NORCH_HALF1(hsin, h2sin, sin(double(a)))
NORCH_HALF1(hcos, h2cos, cos(double(a)))
NORCH_HALF1(htanh, h2tanh, tanh(double(a)))
NORCH_HALF1(hfloor, h2floor, floorf(a))
NORCH_HALF1(hceil, h2ceil, ceilf(a))
NORCH_HALF1(htrunc, h2trunc, truncf(a))
NORCH_HALF1(hrint, h2rint, nearbyintf(a))
#undef NORCH_HALF1

#define NORCH_HALF2(name, name2, expression)                           \
  template <class H, class = norch_sim::HalfOnly<H>>                   \
  H name(H first, H second) {                                          \
    float a = first, b = second;                                       \
    return H(expression);                                              \
  }                                                                    \
  template <class V, class H = norch_sim::ElementOf<V>>                \
  V name2(V a, V b) {                                                  \
    return norch_sim::each(a, b, [](H x, H y) { return name(x, y); }); \
  }
NORCH_HALF2(__hadd, __hadd2, a + b)
NORCH_HALF2(__hsub, __hsub2, a - b)
NORCH_HALF2(__hmul, __hmul2, a* b)
NORCH_HALF2(__hdiv, __h2div, a / b)
NORCH_HALF2(__hadd_rn, __hadd2_rn, a + b)
NORCH_HALF2(__hsub_rn, __hsub2_rn, a - b)
NORCH_HALF2(__hmul_rn, __hmul2_rn, a* b)
NORCH_HALF2(__hadd_sat, __hadd2_sat, __saturatef(a + b))
NORCH_HALF2(__hmul_sat, __hmul2_sat, __saturatef(a* b))
NORCH_HALF2(__hmin, __hmin2, fminf(a, b))
NORCH_HALF2(__hmax, __hmax2, fmaxf(a, b))
#undef NORCH_HALF2

// The product is exact in double, so only the sum is rounded.
template <class H, class = norch_sim::HalfOnly<H>>
H __hfma(H a, H b, H c) {
  return H(static_cast<double>(float(a)) * static_cast<double>(float(b)) +
           static_cast<double>(float(c)));
}
template <class V, class H = norch_sim::ElementOf<V>>
V __hfma2(V a, V b, V c) {
  return V{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
template <class H, class = norch_sim::HalfOnly<H>>
H __hfma_relu(H a, H b, H c) {
  return __hmax(__hfma(a, b, c), H(0.0f));
}
template <class H, class = norch_sim::HalfOnly<H>>
bool __hisnan(H a) {
  return isnan(static_cast<float>(a));
}
template <class H, class = norch_sim::HalfOnly<H>>
int __hisinf(H a) {
  float x = a;
  return isinf(x) ? (x > 0 ? 1 : -1) : 0;
}

// ---- the halves of a pair ----

template <class V, class H = norch_sim::ElementOf<V>>
float __low2float(V a) {
  return a.x;
}
template <class V, class H = norch_sim::ElementOf<V>>
float __high2float(V a) {
  return a.y;
}
template <class V, class H = norch_sim::ElementOf<V>>
V __lowhigh2highlow(V a) {
  return V{a.y, a.x};
}
template <class V, class H = norch_sim::ElementOf<V>>
V __lows2half2(V a, V b) {
  return V{a.x, b.x};
}
template <class V, class H = norch_sim::ElementOf<V>>
V __highs2half2(V a, V b) {
  return V{a.y, b.y};
}
template <class V, class H = norch_sim::ElementOf<V>>
V __low2half2(V a) {
  return V{a.x, a.x};
}
template <class V, class H = norch_sim::ElementOf<V>>
V __high2half2(V a) {
  return V{a.y, a.y};
}
