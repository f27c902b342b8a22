// im2col: what lies under a sliding kernel is written into columns, so that a convolution becomes a
// product of matrices; col2im adds columns back to where they came from. T is float or double.
//
// Images are (N, C, H, W), columns (N, C KH KW, OH OW): row (c, i, j), column (y, x) holds
// image[c, y sh - ph + i dh, x sw - pw + j dw], or 0 in the padding. A Layout is not coalesced.

#include "window.h"

// One thread: elements of columns.
extern "C" __global__ void im2col_kernel(i64 n, Layout lx, const T* x, T* columns, Windows v) {
  for (i64 e = first_element(); e < n; e += element_step()) {
    Element to = nth_output(e, v);                                       // in a row
    Element under = nth(to.volume, v.d.kernel, v.h.kernel, v.w.kernel);  // of a channel
    i64 h = v.h.place(to.place.h, under.place.h), w = v.w.place(to.place.w, under.place.w);
    i64 sample = under.volume / lx.shape[1], channel = under.volume % lx.shape[1];
    i64 image = sample * lx.strides[0] + channel * lx.strides[1];
    bool inside = v.h.holds(h) && v.w.holds(w);
    columns[e] = inside ? x[image + h * lx.strides[2] + w * lx.strides[3]] : T(0);
  }
}

// One thread: elements of the image; each gathers from all columns it was written to.
extern "C" __global__ void col2im_kernel(i64 n, Layout lcolumns, const T* columns, T* image,
                                         i64 channels, Windows v) {
  for (i64 e = first_element(); e < n; e += element_step()) {
    Element to = nth_input(e, v);
    i64 first_row = to.volume % channels * v.h.kernel * v.w.kernel;
    const T* from = columns + to.volume / channels * lcolumns.strides[0];
    T sum = 0;
    for_each_over(v, to.place, [&](Place k, Place o) {
      i64 row = first_row + k.h * v.w.kernel + k.w, column = o.h * v.w.out + o.w;
      sum += from[row * lcolumns.strides[1] + column * lcolumns.strides[2]];
    });
    image[e] = sum;
  }
}
