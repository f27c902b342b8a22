// conv3d: three-dimensional convolution and its two gradients: conv.cu with one direction more.
//
//   out[n, o, z, y, x] = bias[o] + sum over c, k of in[n, g C + c, place of k] weight[o, c, k]
//
// where k runs over the (KD, KH, KW) places of the kernel. T is float or double. All arrays have
// five dimensions and any strides; a Layout here is not coalesced, so that its shape gives every
// size. Read conv.cu first.

#include "block.h"

struct Place {  // depth, height, width
  i64 d, h, w;
};

// How the kernel moves: the input place under place k of the kernel, for output o.
struct Slide {
  Place stride, padding, dilation;
  __device__ Place place(Place o, Place k) const {
    return {o.d * stride.d - padding.d + k.d * dilation.d,
            o.h * stride.h - padding.h + k.h * dilation.h,
            o.w * stride.w - padding.w + k.w * dilation.w};
  }
};

// The three sizes at the end of a shape, and the steps that belong to them.
__device__ inline Place size_of(const Layout& l) { return {l.shape[2], l.shape[3], l.shape[4]}; }
__device__ inline i64 step_to(const Layout& l, Place p) {
  return p.d * l.strides[2] + p.h * l.strides[3] + p.w * l.strides[4];
}
__device__ inline bool inside(Place p, Place size) {
  return p.d >= 0 && p.d < size.d && p.h >= 0 && p.h < size.h && p.w >= 0 && p.w < size.w;
}
__device__ inline i64 count(Place size) { return size.d * size.h * size.w; }
// Place number i of so many, in row-major order.
__device__ inline Place nth(i64 i, Place size) {
  return {i / (size.h * size.w), i / size.w % size.h, i % size.w};
}

// One thread: elements of out, one after the other.
extern "C" __global__ void conv3d_kernel(i64 n, Layout lx, const T* x, Layout lweight,
                                         const T* weight, i64 bias_step, const T* bias, Layout lout,
                                         T* out, i64 stride_d, i64 padding_d, i64 dilation_d,
                                         i64 stride_h, i64 padding_h, i64 dilation_h, i64 stride_w,
                                         i64 padding_w, i64 dilation_w) {
  Slide slide = {{stride_d, stride_h, stride_w},
                 {padding_d, padding_h, padding_w},
                 {dilation_d, dilation_h, dilation_w}};
  Place image = size_of(lx), kernel = size_of(lweight), result = size_of(lout);
  i64 channels = lweight.shape[1], outs = lout.shape[1] / (lx.shape[1] / channels);
  for (i64 e = first_element(); e < n; e += element_step()) {
    Place here = nth(e % count(result), result);
    i64 o = e / count(result) % lout.shape[1], first = o / outs * channels;
    const T* volume = x + e / count(result) / lout.shape[1] * lx.strides[0];
    T sum = bias == nullptr ? T(0) : bias[o * bias_step];
    for (i64 k = 0; k < count(kernel); k++) {
      Place under = nth(k, kernel), from = slide.place(here, under);
      if (!inside(from, image)) continue;
      const T* value = volume + first * lx.strides[1] + step_to(lx, from);
      const T* factor = weight + o * lweight.strides[0] + step_to(lweight, under);
      for (i64 c = 0; c < channels; c++) {
        sum += value[c * lx.strides[1]] * factor[c * lweight.strides[1]];
      }
    }
    out[e] = sum;
  }
}

// The output that place k of the kernel touched input place p for, in one direction; -1 if none.
__device__ inline i64 output_of(i64 p, i64 k, i64 stride, i64 padding, i64 dilation) {
  i64 moved = p + padding - k * dilation;
  return moved >= 0 && moved % stride == 0 ? moved / stride : -1;
}

// One thread: elements of dx; each gathers from the outputs it was read for.
extern "C" __global__ void conv3d_backward_input_kernel(i64 n, Layout lgrad, const T* grad,
                                                        Layout lweight, const T* weight, Layout ldx,
                                                        T* dx, i64 stride_d, i64 padding_d,
                                                        i64 dilation_d, i64 stride_h, i64 padding_h,
                                                        i64 dilation_h, i64 stride_w, i64 padding_w,
                                                        i64 dilation_w) {
  Place image = size_of(ldx), kernel = size_of(lweight), result = size_of(lgrad);
  i64 channels = lweight.shape[1], outs = lweight.shape[0] / (ldx.shape[1] / channels);
  for (i64 e = first_element(); e < n; e += element_step()) {
    Place here = nth(e % count(image), image);
    i64 c = e / count(image) % ldx.shape[1], first = c / channels * outs;
    const T* upstream = grad + e / count(image) / ldx.shape[1] * lgrad.strides[0];
    T sum = 0;
    for (i64 k = 0; k < count(kernel); k++) {
      Place under = nth(k, kernel);
      Place to = {output_of(here.d, under.d, stride_d, padding_d, dilation_d),
                  output_of(here.h, under.h, stride_h, padding_h, dilation_h),
                  output_of(here.w, under.w, stride_w, padding_w, dilation_w)};
      if (!inside(to, result)) continue;
      for (i64 o = first; o < first + outs; o++) {
        i64 factor = o * lweight.strides[0] + c % channels * lweight.strides[1];
        sum += upstream[o * lgrad.strides[1] + step_to(lgrad, to)] *
               weight[factor + step_to(lweight, under)];
      }
    }
    dx[e] = sum;
  }
}

// One block: elements of dweight. Each is a sum over all volumes and output places (`length` of
// them), which the threads of the block share.
extern "C" __global__ void conv3d_backward_weight_kernel(
    i64 n, i64 length, Layout lgrad, const T* grad, Layout lx, const T* x, Layout ldweight,
    T* dweight, i64 stride_d, i64 padding_d, i64 dilation_d, i64 stride_h, i64 padding_h,
    i64 dilation_h, i64 stride_w, i64 padding_w, i64 dilation_w) {
  Slide slide = {{stride_d, stride_h, stride_w},
                 {padding_d, padding_h, padding_w},
                 {dilation_d, dilation_h, dilation_w}};
  Place image = size_of(lx), kernel = size_of(ldweight), result = size_of(lgrad);
  i64 channels = ldweight.shape[1], outs = ldweight.shape[0] / (lx.shape[1] / channels);
  for (i64 e = blockIdx.x; e < n; e += gridDim.x) {
    Place under = nth(e % count(kernel), kernel);
    i64 o = e / count(kernel) / channels, c = e / count(kernel) % channels;
    const T* values = x + (o / outs * channels + c) * lx.strides[1];
    const T* upstream = grad + o * lgrad.strides[1];
    T sum = sum_for_all(length, [=](i64 q) -> T {
      Place to = nth(q % count(result), result), from = slide.place(to, under);
      i64 volume = q / count(result);
      if (!inside(from, image)) return 0;
      return upstream[volume * lgrad.strides[0] + step_to(lgrad, to)] *
             values[volume * lx.strides[0] + step_to(lx, from)];
    });
    if (threadIdx.x == 0) dweight[e] = sum;
  }
}
