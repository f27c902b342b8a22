// out[i] = f(x[i], y[i], ...) for every element: the loop of kernels that treat each element alone.
//
// Used by elementwise.h and copy.cu, which say what f is. Where all operands lie without gaps, a
// thread fetches and writes four neighbours at once: fewer instructions, and four times the bytes
// on their way. All other elements are handled one by one, wherever the layouts say.
#pragma once

#include "kernel.h"

// Four neighbours, moved by one instruction: 16 bytes, if they are floats.
template <class V>
struct alignas(4 * sizeof(V)) Four {
  V items[4];
};
template <>
struct alignas(4) Four<Bool> {
  unsigned char items[4];  // a Bool is copied alone, to leave 0 or 1
};

// Do the elements lie one behind the other?
__device__ inline bool is_flat(const Layout& layout) {
  return layout.ndim == 1 && layout.strides[0] == 1;
}
template <class V>
__device__ bool is_aligned(const V* values) {
  return reinterpret_cast<u64>(values) % sizeof(Four<V>) == 0;
}

// An array that is read: where its elements lie, and the first.
template <class V>
struct Operand {
  const Layout& layout;
  const V* values;

  __device__ bool has_fours() const { return is_flat(layout) && is_aligned(values); }
  __device__ Four<V> four(u32 i) const { return reinterpret_cast<const Four<V>*>(values)[i]; }
  __device__ V one(i64 i, bool few) const {
    return values[few ? at<u32>(layout, static_cast<u32>(i)) : at(layout, i)];
  }
};

template <class Out, class F, class... V>
__device__ Four<Out> apply_to_four(F f, const Four<V>&... x) {
  Four<Out> result;
#pragma unroll  // else the items would lie in local memory
  for (int k = 0; k < 4; k++) result.items[k] = f(x.items[k]...);
  return result;
}

// One thread: out[i] = f(x[i], ...) for every i of its share.
template <class Out, class F, class... Operands>
__device__ void map_elements(i64 n, Out* out, F f, const Operands&... x) {
  bool few = n <= kMostOf32Bits;
  i64 done = 0;
  if (few && is_aligned(out) && (x.has_fours() && ...)) {
    u32 fours = static_cast<u32>(n) / 4, step = static_cast<u32>(element_step());
    for (u32 i = static_cast<u32>(first_element()); i < fours; i += step) {
      reinterpret_cast<Four<Out>*>(out)[i] = apply_to_four<Out>(f, x.four(i)...);
    }
    done = fours * 4;
  }
  for (i64 i = done + first_element(); i < n; i += element_step()) out[i] = f(x.one(i, few)...);
}
