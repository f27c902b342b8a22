// conv: convolution and its two gradients, straight from the formula. For images
//
//   out[n, o, y, x] = bias[o] + sum over c, i, j of
//                     in[n, g C + c, y sh - ph + i dh, x sw - pw + j dw] weight[o, c, i, j]
//
// where g is the group of o, C the channels of a group, and what lies in the padding counts as 0;
// volumes have one direction more, and an image is a volume of depth 1. T is float or double. All
// arrays have five dimensions (N or O, C, D, H, W) and any strides: a Layout here is not coalesced.
// Stage 2 multiplies matrices instead (im2col); this is what both must agree with.

#include "block.h"
#include "window.h"

// One thread: elements of out, one after the other.
extern "C" __global__ void conv_kernel(i64 n, Layout lx, const T* x, Layout lweight,
                                       const T* weight, i64 bias_step, const T* bias, Layout lout,
                                       T* out, Windows v) {
  i64 channels = lweight.shape[1];  // none: the groups do not matter
  i64 outs = channels == 0 ? lout.shape[1] : lout.shape[1] / (lx.shape[1] / channels);
  i64 step_x = lx.strides[1], step_weight = lweight.strides[1];
  for (i64 e = first_element(); e < n; e += element_step()) {
    Element to = nth_output(e, v);
    i64 o = to.volume % lout.shape[1];
    i64 first = o / outs * channels;  // the first input channel of the group
    const T* values = x + to.volume / lout.shape[1] * lx.strides[0] + first * step_x;
    const T* factors = weight + o * lweight.strides[0];
    T sum = bias == nullptr ? T(0) : bias[o * bias_step];
    for_each_under(v, to.place, [&](Place k, Place p) {
      const T *value = values + steps(lx.strides + 2, p),
              *factor = factors + steps(lweight.strides + 2, k);
      for (i64 c = 0; c < channels; c++) sum += value[c * step_x] * factor[c * step_weight];
    });
    out[e] = sum;
  }
}

// One thread: elements of dx. Each gathers from the outputs that it was read for, so no two threads
// add to one number.
extern "C" __global__ void conv_backward_input_kernel(i64 n, Layout lgrad, const T* grad,
                                                      Layout lweight, const T* weight, Layout ldx,
                                                      T* dx, Windows v) {
  i64 channels = lweight.shape[1], outs = lweight.shape[0] / (ldx.shape[1] / channels);
  i64 step_grad = lgrad.strides[1], step_weight = lweight.strides[0];
  for (i64 e = first_element(); e < n; e += element_step()) {
    Element from = nth_input(e, v);
    i64 c = from.volume % ldx.shape[1];
    i64 first = c / channels * outs;  // the first output channel of the group
    const T* upstream = grad + from.volume / ldx.shape[1] * lgrad.strides[0] + first * step_grad;
    const T* factors = weight + first * step_weight + c % channels * lweight.strides[1];
    T sum = 0;
    for_each_over(v, from.place, [&](Place k, Place o) {
      const T *value = upstream + steps(lgrad.strides + 2, o),
              *factor = factors + steps(lweight.strides + 2, k);
      for (i64 i = 0; i < outs; i++) sum += value[i * step_grad] * factor[i * step_weight];
    });
    dx[e] = sum;
  }
}

// One block: elements of dweight. Each is a sum over all volumes and output places (`length` of
// them), which the threads of the block share.
extern "C" __global__ void conv_backward_weight_kernel(i64 n, i64 length, Layout lgrad,
                                                       const T* grad, Layout lx, const T* x,
                                                       Layout ldweight, T* dweight, Windows v) {
  i64 channels = ldweight.shape[1], outs = ldweight.shape[0] / (lx.shape[1] / channels);
  for (i64 e = blockIdx.x; e < n; e += gridDim.x) {
    Element factor = nth(e, v.d.kernel, v.h.kernel, v.w.kernel);
    i64 o = factor.volume / channels, c = factor.volume % channels;
    Place k = factor.place;
    const T* values = x + (o / outs * channels + c) * lx.strides[1];
    const T* upstream = grad + o * lgrad.strides[1];
    T sum = sum_for_all(length, [&](i64 q) -> T {
      Element to = nth_output(q, v);
      Place o = to.place;
      Place p = {v.d.place(o.d, k.d), v.h.place(o.h, k.h), v.w.place(o.w, k.w)};
      if (!v.d.holds(p.d) || !v.h.holds(p.h) || !v.w.holds(p.w)) return 0;
      return upstream[to.volume * lgrad.strides[0] + steps(lgrad.strides + 2, o)] *
             values[to.volume * lx.strides[0] + steps(lx.strides + 2, p)];
    });
    if (threadIdx.x == 0) dweight[e] = sum;
  }
}
