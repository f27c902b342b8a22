// Two-dimensional convolution in float32 that multiplies no zeros: neither those of the padding,
// nor those that a stride puts between the gradients on their way back. For images of few pixels,
// where the padding is a large part, and for input gradients of strides; more/ops/conv_way.cpp
// decides.
#pragma once

#include "core/isa.h"
#include "more/kernels/direct.h"

namespace norch {

// One group of a convolution, as in direct.h.
struct UnpaddedTable {
  // out = x convolved with weight (O, C, KH, KW), plus bias (O) or null
  void (*convolve)(const DirectShape& s, const float* x, const float* weight, const float* bias,
                   float* out);
  // dx, from the gradient of the output; any stride
  void (*input_gradient)(const DirectShape& s, const float* grad, const float* weight, float* dx);
  // dweight (O, C, KH, KW), from x and the gradient of the output
  void (*weight_gradient)(const DirectShape& s, const float* x, const float* grad, float* dweight);
};

}  // namespace norch
