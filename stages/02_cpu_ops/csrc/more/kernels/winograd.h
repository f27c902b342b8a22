// Winograd's convolutions F(4x4, 3x3) and F(2x2, 5x5): kernels that move by one, in float32. The
// sixteen or four outputs of a tile cost 36 multiplications for each pair of channels instead of
// 144 or 100. See winograd_transform.h for why; more/ops/conv_way.cpp decides when.
#pragma once

#include <cstdint>

#include "core/isa.h"

namespace norch {
// One group of a convolution. The channels of an image lie next to each other; `in_step` and
// `out_step` are the elements from one image to the next.
struct WinogradShape {
  int64_t images, in_channels, out_channels, kernel;  // kernel: 3 or 5
  int64_t height, width, out_height, out_width;
  int64_t pad_h, pad_w;  // zeros before the first row and column; below 0: rows that are left out
  int64_t in_step, out_step;
};

// Both return false when a result is not finite. Infinities, NaN and numbers near the largest
// spread over a whole tile here: the caller then computes everything again in the direct way.
struct WinogradTable {
  // out = x convolved with weight (O, C, K, K), plus bias (O) or null. `turned` is for the gradient
  // of the input: weight is (C, O, K, K) with every kernel turned by half a circle.
  bool (*convolve)(const WinogradShape& s, const float* x, const float* weight, bool turned,
                   const float* bias, float* out);
  // dweight (O, C, K, K), from x and the gradient of the output
  bool (*weight_gradient)(const WinogradShape& s, const float* x, const float* grad,
                          float* dweight);
};
}  // namespace norch
