// <helper_math.h> of CUDA's samples: arithmetic of vector types, part by part.
//
// Written anew, with the samples' names, as templates over what a vector type is.
#pragma once
#include <cuda_runtime.h>
#include <math.h>

namespace norch_sim {
// The type and the number of the parts of a vector type; a number has none.
template <class V, class = void>
struct Parts {
  static constexpr int count = 0;
};
template <class V>
struct Parts<V, std::enable_if_t<std::is_class_v<V> && std::is_arithmetic_v<decltype(V::x)>>> {
  using type = decltype(V::x);
  static constexpr int count = std::is_same_v<V, dim3> ? 0 : int(sizeof(V) / sizeof(type));
};
template <class V>
using IfVector = std::enable_if_t<(Parts<V>::count > 1), V>;
template <class V>
using PartType = typename Parts<V>::type;
template <class V>
auto& part(V& v, int i) {
  return (&v.x)[i];
}
// f(i) for each part.
template <class V, class F>
V by_part(const F& f) {
  V made;
  for (int i = 0; i < Parts<V>::count; i++) part(made, i) = PartType<V>(f(i));
  return made;
}
}  // namespace norch_sim

#define NORCH_OPERATOR(op)                                                           \
  template <class V>                                                                 \
  norch_sim::IfVector<V> operator op(V a, V b) {                                     \
    return norch_sim::by_part<V>(                                                    \
        [&](int i) { return norch_sim::part(a, i) op norch_sim::part(b, i); });      \
  }                                                                                  \
  template <class V>                                                                 \
  norch_sim::IfVector<V> operator op(V a, norch_sim::PartType<V> b) {                \
    return norch_sim::by_part<V>([&](int i) { return norch_sim::part(a, i) op b; }); \
  }                                                                                  \
  template <class V>                                                                 \
  norch_sim::IfVector<V> operator op(norch_sim::PartType<V> a, V b) {                \
    return norch_sim::by_part<V>([&](int i) { return a op norch_sim::part(b, i); }); \
  }                                                                                  \
  template <class V, class B>                                                        \
  norch_sim::IfVector<V>& operator op## = (V & a, B b) {                             \
    return a = a op b;                                                               \
  }
NORCH_OPERATOR(+)
NORCH_OPERATOR(-)
NORCH_OPERATOR(*)
NORCH_OPERATOR(/)
#undef NORCH_OPERATOR
template <class V>
norch_sim::IfVector<V> operator-(V a) {
  return norch_sim::by_part<V>([&](int i) { return -norch_sim::part(a, i); });
}

// Of one vector, and of two, or of a number.
#define NORCH_PARTWISE(name, function)                                                    \
  template <class V>                                                                      \
  norch_sim::IfVector<V> name(V a) {                                                      \
    return norch_sim::by_part<V>([&](int i) { return function(norch_sim::part(a, i)); }); \
  }
NORCH_PARTWISE(floorf, ::floorf)
NORCH_PARTWISE(fabs, ::fabs)
#define NORCH_PARTWISE_TWO(name, function)                                              \
  template <class V>                                                                    \
  norch_sim::IfVector<V> name(V a, V b) {                                               \
    return norch_sim::by_part<V>(                                                       \
        [&](int i) { return function(norch_sim::part(a, i), norch_sim::part(b, i)); }); \
  }
NORCH_PARTWISE_TWO(fminf, ::fminf)
NORCH_PARTWISE_TWO(fmaxf, ::fmaxf)
#undef NORCH_PARTWISE
#undef NORCH_PARTWISE_TWO

inline float lerp(float a, float b, float t) { return a + t * (b - a); }
inline float clamp(float x, float low, float high) { return fmaxf(low, fminf(x, high)); }
inline int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
template <class V>
norch_sim::IfVector<V> lerp(V a, V b, float t) {
  return a + t * (b - a);
}
template <class V>
norch_sim::IfVector<V> clamp(V v, norch_sim::PartType<V> low, norch_sim::PartType<V> high) {
  return norch_sim::by_part<V>([&](int i) { return clamp(norch_sim::part(v, i), low, high); });
}
template <class V>
norch_sim::PartType<norch_sim::IfVector<V>> dot(V a, V b) {
  norch_sim::PartType<V> sum = 0;
  for (int i = 0; i < norch_sim::Parts<V>::count; i++) {
    sum += norch_sim::part(a, i) * norch_sim::part(b, i);
  }
  return sum;
}
template <class V, class = norch_sim::IfVector<V>>
float length(V v) {
  return sqrtf(dot(v, v));
}
template <class V>
norch_sim::IfVector<V> normalize(V v) {
  return v * (1.0f / sqrtf(dot(v, v)));
}
template <class V>
norch_sim::IfVector<V> reflect(V i, V n) {
  return i - 2.0f * n * dot(n, i);
}
inline float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// From one number, and from shorter and longer vectors.
inline float2 make_float2(float s) { return make_float2(s, s); }
inline float3 make_float3(float s) { return make_float3(s, s, s); }
inline float3 make_float3(float2 a, float z = 0) { return make_float3(a.x, a.y, z); }
inline float3 make_float3(float4 a) { return make_float3(a.x, a.y, a.z); }
inline float4 make_float4(float s) { return make_float4(s, s, s, s); }
inline float4 make_float4(float3 a, float w = 0) { return make_float4(a.x, a.y, a.z, w); }
inline float2 make_float2(float3 a) { return make_float2(a.x, a.y); }
