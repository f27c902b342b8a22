// conv: two-dimensional convolution and its two gradients, straight from the formula:
//
//   out[n, o, y, x] = bias[o] + sum over c, i, j of
//                     in[n, g C + c, y sh - ph + i dh, x sw - pw + j dw] weight[o, c, i, j]
//
// where g is the group of o, C the channels of a group, and what lies in the padding counts as 0.
// T is float or double. All arrays have four dimensions and any strides: a Layout here is not
// coalesced, so that its shape gives every size. Stage 2 writes patches into columns and multiplies
// matrices instead (im2col); this is what both must agree with.

#include "block.h"

struct Slide {  // how the kernel moves along one direction
  i64 stride, padding, dilation;
  // Input place under place k of the kernel for output o.
  __device__ i64 place(i64 o, i64 k) const { return o * stride - padding + k * dilation; }
};

// Position of element [a, b, c, d].
__device__ inline i64 at4(const Layout& layout, i64 a, i64 b, i64 c, i64 d) {
  const i64* s = layout.strides;
  return a * s[0] + b * s[1] + c * s[2] + d * s[3];
}

struct Index4 {
  i64 a, b, c, d;
};

// The four indices of element i, counted in row-major order of the shape.
__device__ inline Index4 index4(const Layout& layout, i64 i) {
  const i64* n = layout.shape;
  return {i / (n[1] * n[2] * n[3]), i / (n[2] * n[3]) % n[1], i / n[3] % n[2], i % n[3]};
}

// One thread: elements of out, one after the other.
extern "C" __global__ void conv2d_kernel(i64 n, Layout lx, const T* x, Layout lweight,
                                         const T* weight, i64 bias_step, const T* bias, Layout lout,
                                         T* out, i64 stride_h, i64 padding_h, i64 dilation_h,
                                         i64 stride_w, i64 padding_w, i64 dilation_w) {
  Slide down = {stride_h, padding_h, dilation_h}, right = {stride_w, padding_w, dilation_w};
  i64 channels = lweight.shape[1], groups = lx.shape[1] / channels;
  i64 outs = lout.shape[1] / groups;  // output channels of a group
  for (i64 e = first_element(); e < n; e += element_step()) {
    Index4 o = index4(lout, e);
    i64 first = o.b / outs * channels;  // the first input channel of the group
    T sum = bias == nullptr ? T(0) : bias[o.b * bias_step];
    for (i64 i = 0; i < lweight.shape[2]; i++) {
      i64 h = down.place(o.c, i);
      if (h < 0 || h >= lx.shape[2]) continue;
      for (i64 j = 0; j < lweight.shape[3]; j++) {
        i64 w = right.place(o.d, j);
        if (w < 0 || w >= lx.shape[3]) continue;
        for (i64 c = 0; c < channels; c++) {
          sum += x[at4(lx, o.a, first + c, h, w)] * weight[at4(lweight, o.b, c, i, j)];
        }
      }
    }
    out[e] = sum;
  }
}

// One thread: elements of dx. Input place h was read by output y with kernel place i if
// y stride = h + padding - i dilation; so each dx gathers, and no two threads add to one.
extern "C" __global__ void conv2d_backward_input_kernel(i64 n, Layout lgrad, const T* grad,
                                                        Layout lweight, const T* weight, Layout ldx,
                                                        T* dx, i64 stride_h, i64 padding_h,
                                                        i64 dilation_h, i64 stride_w, i64 padding_w,
                                                        i64 dilation_w) {
  i64 channels = lweight.shape[1], groups = ldx.shape[1] / channels;
  i64 outs = lweight.shape[0] / groups;
  for (i64 e = first_element(); e < n; e += element_step()) {
    Index4 p = index4(ldx, e);
    i64 first = p.b / channels * outs;  // the first output channel of the group
    T sum = 0;
    for (i64 i = 0; i < lweight.shape[2]; i++) {
      i64 y = p.c + padding_h - i * dilation_h;
      if (y < 0 || y % stride_h != 0 || y / stride_h >= lgrad.shape[2]) continue;
      for (i64 j = 0; j < lweight.shape[3]; j++) {
        i64 x = p.d + padding_w - j * dilation_w;
        if (x < 0 || x % stride_w != 0 || x / stride_w >= lgrad.shape[3]) continue;
        for (i64 o = first; o < first + outs; o++) {
          sum += grad[at4(lgrad, p.a, o, y / stride_h, x / stride_w)] *
                 weight[at4(lweight, o, p.b % channels, i, j)];
        }
      }
    }
    dx[e] = sum;
  }
}

// One block: elements of dweight. Each is a sum over all images and output places (`length` of
// them), which the threads of the block share.
extern "C" __global__ void conv2d_backward_weight_kernel(i64 n, i64 length, Layout lgrad,
                                                         const T* grad, Layout lx, const T* x,
                                                         Layout ldweight, T* dweight, i64 stride_h,
                                                         i64 padding_h, i64 dilation_h,
                                                         i64 stride_w, i64 padding_w,
                                                         i64 dilation_w) {
  Slide down = {stride_h, padding_h, dilation_h}, right = {stride_w, padding_w, dilation_w};
  i64 channels = ldweight.shape[1], groups = lx.shape[1] / channels;
  i64 outs = ldweight.shape[0] / groups;
  for (i64 e = blockIdx.x; e < n; e += gridDim.x) {
    Index4 k = index4(ldweight, e);
    i64 channel = k.a / outs * channels + k.b;
    T sum = 0;
    for (i64 q = threadIdx.x; q < length; q += blockDim.x) {
      i64 y = q / lgrad.shape[3] % lgrad.shape[2], z = q % lgrad.shape[3];
      i64 image = q / (lgrad.shape[2] * lgrad.shape[3]);
      i64 h = down.place(y, k.c), w = right.place(z, k.d);
      if (h < 0 || h >= lx.shape[2] || w < 0 || w >= lx.shape[3]) continue;
      sum += grad[at4(lgrad, image, k.a, y, z)] * x[at4(lx, image, channel, h, w)];
    }
    sum = fold_for_all(sum, [](T a, T b) { return a + b; });
    if (threadIdx.x == 0) dweight[e] = sum;
  }
}
