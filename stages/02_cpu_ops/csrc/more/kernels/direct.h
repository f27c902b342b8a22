// Two-dimensional convolution in float32 without a matrix of columns: products are added up in
// registers, straight from the pixels. Three forms: all channels with all (direct.cpp), every
// channel for itself (depthwise.cpp), no product with a zero (unpadded.cpp). more/ops/conv_way.cpp
// decides.
#pragma once

#include <cstdint>

#include "core/isa.h"
#include "kernels/window.h"

namespace norch {
// One group. The channels of an image lie next to each other; `in_step` and `out_step` are the
// elements from one image to the next. A padding below 0 leaves rows or columns out.
struct DirectShape {
  int64_t images, in_channels, out_channels;
  Window h, w;
  int64_t in_step, out_step;
};

// The convolution that leads back through a stride of 1: what the kernel reaches over is padded,
// less what was padded before.
inline Window turned(const Window& w) {
  return {w.out, w.kernel, 1, (w.kernel - 1) * w.dilation - w.padding, w.dilation, w.size};
}

struct DirectTable {
  // out = x convolved with weight (O, C, KH, KW), plus bias (O) or null
  void (*convolve)(const DirectShape& s, const float* x, const float* weight, const float* bias,
                   float* out);
  // dx, from the gradient of the output; direct.cpp's for a stride of 1 alone
  void (*input_gradient)(const DirectShape& s, const float* grad, const float* weight, float* dx);
  // dweight (O, C, KH, KW), from x and the gradient of the output
  void (*weight_gradient)(const DirectShape& s, const float* x, const float* grad, float* dweight);
};

// in_channels == out_channels, and weight is (C, 1, KH, KW).
struct DepthwiseTable : DirectTable {};

// Multiplies no zeros: neither those of the padding, nor those that a stride puts between the
// gradients on their way back. For images of few pixels and for input gradients of strides.
struct UnpaddedTable : DirectTable {};
}  // namespace norch
