// out[i] = f(x[i], y[i], ...) for every element: the loop of kernels that treat each element alone.
//
// Used by elementwise.h and copy.cu, which say what f is. Where all operands lie without gaps, a
// thread fetches and writes several neighbours at once: fewer instructions, and as many times the
// bytes on their way. All other elements are handled one by one, wherever the layouts say.
#pragma once

#include "kernel.h"

constexpr int kWidth = sizeof(T) == 2 ? 8 : 4;

// Neighbours, moved by one instruction: 16 bytes, if they are floats or halves.
template <class V>
struct alignas(sizeof(V) < 4 ? kWidth * sizeof(V) : 16) Wide {
  V items[kWidth];
};
template <>
struct alignas(kWidth) Wide<Bool> {
  unsigned char items[kWidth];  // a Bool is copied alone, to leave 0 or 1
};

// Do the elements lie one behind the other?
__device__ inline bool is_flat(const Layout& layout) {
  return layout.ndim == 1 && layout.strides[0] == 1;
}
template <class V>
__device__ bool is_aligned(const V* values) {
  return reinterpret_cast<u64>(values) % alignof(Wide<V>) == 0;
}

// An array that is read: where its elements lie, and the first.
template <class V>
struct Operand {
  const Layout& layout;
  const V* values;

  __device__ bool is_wide() const { return is_flat(layout) && is_aligned(values); }
  __device__ Wide<V> wide(u32 i) const { return reinterpret_cast<const Wide<V>*>(values)[i]; }
  __device__ V one(i64 i, bool few) const {
    return values[few ? at<u32>(layout, static_cast<u32>(i)) : at(layout, i)];
  }
};

// A number in the place of an array: the same at every element.
template <class V>
struct Number {
  V number;

  __device__ bool is_wide() const { return true; }
  __device__ Wide<V> wide(u32) const {
    Wide<V> result;
    for (V& item : result.items) item = number;
    return result;
  }
  __device__ V one(i64, bool) const { return number; }
};

// Inlined, as the simulator's checker does not see what a function writes as its result.
template <class Out, class F, class... V>
__device__ __forceinline__ Wide<Out> apply_to_wide(F f, const Wide<V>&... x) {
  Wide<Out> result;
#pragma unroll  // else the items would lie in local memory
  for (int k = 0; k < kWidth; k++) result.items[k] = f(x.items[k]...);
  return result;
}

// One thread: out[i] = f(x[i], ...) for every i of its share.
template <class Out, class F, class... Operands>
__device__ void map_elements(i64 n, Out* out, F f, const Operands&... x) {
  bool few = n <= kMostOf32Bits;
  i64 done = 0;
  if (few && is_aligned(out) && (x.is_wide() && ...)) {
    u32 groups = static_cast<u32>(n) / kWidth, step = static_cast<u32>(element_step());
    for (u32 i = static_cast<u32>(first_element()); i < groups; i += step) {
      reinterpret_cast<Wide<Out>*>(out)[i] = apply_to_wide<Out>(f, x.wide(i)...);
    }
    done = groups * kWidth;
  }
  for (i64 i = done + first_element(); i < n; i += element_step()) out[i] = f(x.one(i, few)...);
}
