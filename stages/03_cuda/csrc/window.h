// A window that slides over volumes (D, H, W): where it stops and what lies under it. An image is a
// volume of depth 1. Used by conv.cu, pool.cu and im2col.cu.
#pragma once

#include "kernel.h"

struct Window {  // one direction
  i64 size, kernel, stride, padding, dilation, out;
  // Input place under place k of the kernel for output o; outside of the input it is padding.
  __device__ i64 place(i64 o, i64 k) const { return o * stride - padding + k * dilation; }
  __device__ bool holds(i64 p) const { return p >= 0 && p < size; }
  // The output for which place k of the kernel lies on input place p; -1 if there is none.
  __device__ i64 output(i64 p, i64 k) const {
    i64 moved = p + padding - k * dilation;
    return moved >= 0 && moved % stride == 0 && moved / stride < out ? moved / stride : -1;
  }
};
struct Windows {
  Window d, h, w;
};
struct Place {
  i64 d, h, w;
};
struct Element {
  i64 volume;  // its number; all channels of all samples count
  Place place;
};

// Where element i of many volumes lies, counted in row-major order.
__device__ __forceinline__ Element nth(i64 i, i64 depth, i64 height, i64 width) {
  i64 row = i / width, plane = row / height;
  i64 volume = depth == 1 ? plane : plane / depth;  // an image saves a slow division
  return {volume, {plane - volume * depth, row % height, i % width}};
}
// The same for outputs of windows, and for their inputs.
__device__ __forceinline__ Element nth_output(i64 i, const Windows& v) {
  return nth(i, v.d.out, v.h.out, v.w.out);
}
__device__ __forceinline__ Element nth_input(i64 i, const Windows& v) {
  return nth(i, v.d.size, v.h.size, v.w.size);
}

// Steps from the first element of a volume to a place; `s` are the strides of (D, H, W).
__device__ __forceinline__ i64 steps(const i64* s, Place p) {
  return p.d * s[0] + p.h * s[1] + p.w * s[2];
}

// Calls f(k, p) for every place k of the kernel that lies on an input place p, for output o.
template <class F>
__device__ void for_each_under(const Windows& v, Place o, F f) {
  for (i64 i = 0; i < v.d.kernel; i++) {
    i64 d = v.d.place(o.d, i);
    if (!v.d.holds(d)) continue;
    for (i64 j = 0; j < v.h.kernel; j++) {
      i64 h = v.h.place(o.h, j);
      if (!v.h.holds(h)) continue;
      for (i64 k = 0; k < v.w.kernel; k++) {
        i64 w = v.w.place(o.w, k);
        if (v.w.holds(w)) f(Place{i, j, k}, Place{d, h, w});
      }
    }
  }
}

// Calls f(k, o) for every output o for which a place k of the kernel lies on input place p.
template <class F>
__device__ void for_each_over(const Windows& v, Place p, F f) {
  for (i64 i = 0; i < v.d.kernel; i++) {
    i64 z = v.d.output(p.d, i);
    if (z < 0) continue;
    for (i64 j = 0; j < v.h.kernel; j++) {
      i64 y = v.h.output(p.h, j);
      if (y < 0) continue;
      for (i64 k = 0; k < v.w.kernel; k++) {
        i64 x = v.w.output(p.w, k);
        if (x >= 0) f(Place{i, j, k}, Place{z, y, x});
      }
    }
  }
}
