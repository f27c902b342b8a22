// im2col: what lies under a sliding kernel is written into columns, so that a convolution becomes a
// product of matrices; col2im adds columns back to where they came from. T is float or double.
//
// Images are (N, C, H, W), columns (N, C KH KW, OH OW): row (c, i, j), column (y, x) holds
// image[c, y sh - ph + i dh, x sw - pw + j dw], or 0 in the padding. A Layout is not coalesced.

#include "window.h"

// One thread: elements of columns.
extern "C" __global__ void im2col_kernel(i64 n, Layout lx, const T* x, T* columns, Windows v) {
  for (i64 e = first_element(); e < n; e += element_step()) {
    i64 row = e / v.outputs(), channel = row / v.places();  // of all images
    i64 h = v.h.place(e / v.w.out % v.h.out, row / v.w.kernel % v.h.kernel);
    i64 w = v.w.place(e % v.w.out, row % v.w.kernel);
    i64 image = channel / lx.shape[1] * lx.strides[0] + channel % lx.shape[1] * lx.strides[1];
    bool inside = v.h.holds(h) && v.w.holds(w);
    columns[e] = inside ? x[image + h * lx.strides[2] + w * lx.strides[3]] : T(0);
  }
}

// One thread: elements of the image; each gathers from all columns it was written to.
extern "C" __global__ void col2im_kernel(i64 n, Layout lcolumns, const T* columns, T* image,
                                         i64 channels, Windows v) {
  for (i64 e = first_element(); e < n; e += element_step()) {
    i64 channel = e / v.inputs(), first_row = channel % channels * v.places();
    const T* from = columns + channel / channels * lcolumns.strides[0];
    T sum = 0;
    for_each_over(v, nth_input(e, v), [&](Place k, Place o) {
      i64 row = first_row + k.h * v.w.kernel + k.w, column = o.h * v.w.out + o.w;
      sum += from[row * lcolumns.strides[1] + column * lcolumns.strides[2]];
    });
    image[e] = sum;
  }
}
