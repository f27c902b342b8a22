// pool: the largest element, or the mean, under a window that slides over volumes (D, H, W); an
// image is a volume of depth 1. T is float or double.
//
// x has the layout (volumes, D, H, W), not coalesced: its shape gives the sizes; out and index are
// contiguous. What lies in the padding is skipped: a padding of zeros would beat negative numbers.
// The gradient of the maximum is scatter.cu's: it goes to the place that `index` names.

#include "window.h"

// One thread: elements of out with their places (d H + h) W + w. Of equal ones the first is taken;
// a NaN is larger than all numbers.
extern "C" __global__ void max_pool_kernel(i64 n, Layout lx, const T* x, T* out, i64* index,
                                           Windows v) {
  for (i64 e = first_element(); e < n; e += element_step()) {
    Element to = nth_output(e, v);
    const T* volume = x + to.volume * lx.strides[0];
    T most = T(0);  // until there is a place
    i64 place = -1;
    for_each_under(v, to.place, [&](Place, Place p) {
      T value = volume[steps(lx.strides + 1, p)];
      if (place < 0 || value > most || value != value) {
        most = value;
        place = (p.d * v.h.size + p.h) * v.w.size + p.w;
      }
    });
    out[e] = most;
    index[e] = place;
  }
}

// How many places of one direction of a window that is not dilated count: those inside, or those
// up to the end of the padding.
__device__ __forceinline__ i64 count_places(const Window& w, i64 o, i64 with_padding) {
  i64 start = o * w.stride - w.padding, end = start + w.kernel;
  if (with_padding) return min(end, w.size + w.padding) - start;
  return min(end, w.size) - max(start, 0LL);
}

// One thread: elements of out, each a sum divided by `fixed`, or (0) by the number of its places.
extern "C" __global__ void avg_pool_kernel(i64 n, Layout lx, const T* x, T* out, Windows v,
                                           i64 with_padding, i64 fixed) {
  for (i64 e = first_element(); e < n; e += element_step()) {
    Element to = nth_output(e, v);
    const T* volume = x + to.volume * lx.strides[0];
    T sum = 0;
    for_each_under(v, to.place, [&](Place, Place p) { sum += volume[steps(lx.strides + 1, p)]; });
    i64 places = fixed;
    if (fixed == 0) {
      places = count_places(v.d, to.place.d, with_padding) *
               count_places(v.h, to.place.h, with_padding) *
               count_places(v.w, to.place.w, with_padding);
    }
    out[e] = sum / static_cast<T>(places);
  }
}

// The outputs first, ..., end - 1 have place p in their windows, which are not dilated.
struct Range {
  i64 first, end;
};
__device__ __forceinline__ Range windows_over(const Window& w, i64 p) {
  i64 moved = p + w.padding;
  if (w.stride == 1) return {max(moved - w.kernel + 1, 0LL), min(moved + 1, w.out)};
  return {max(moved - w.kernel + w.stride, 0LL) / w.stride, min(moved / w.stride + 1, w.out)};
}

// One thread: elements of dx (volumes, D, H, W). It gathers its share from every window it lay
// under. lgrad is (volumes, OD, OH, OW).
extern "C" __global__ void avg_pool_backward_kernel(i64 n, Layout lgrad, const T* grad, T* dx,
                                                    Windows v, i64 with_padding, i64 fixed) {
  for (i64 e = first_element(); e < n; e += element_step()) {
    Element from = nth_input(e, v);
    const T* volume = grad + from.volume * lgrad.strides[0];
    const i64* s = lgrad.strides;
    Place p = from.place;
    Range d = windows_over(v.d, p.d), h = windows_over(v.h, p.h), w = windows_over(v.w, p.w);
    T sum = 0;
    for (i64 z = d.first; z < d.end; z++) {
      i64 slices = count_places(v.d, z, with_padding);
      for (i64 y = h.first; y < h.end; y++) {
        i64 rows = slices * count_places(v.h, y, with_padding);
        const T* row = volume + z * s[1] + y * s[2];
        for (i64 x = w.first; x < w.end; x++) {
          i64 places = fixed != 0 ? fixed : rows * count_places(v.w, x, with_padding);
          sum += row[x * s[3]] / static_cast<T>(places);
        }
      }
    }
    dx[e] = sum;
  }
}
