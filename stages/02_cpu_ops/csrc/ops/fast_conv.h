// The fast ways of a two-dimensional float32 convolution, and when each is taken: Winograd's
// (kernels/winograd.h), every channel for itself, or all with all straight from the pixels
// (kernels/direct.h). Where none is, ops/conv.cpp multiplies matrices of columns.
#pragma once

#include "core/array.h"
#include "kernels/conv.h"

namespace norch {

// Switches for lessons and tests: with false the convolutions go the next slower way.
void set_winograd_enabled(bool on);
void set_direct_enabled(bool on);

// What a convolution looks like from here: `patches` and `out_channels` of one group.
struct ConvGeometry {
  Patches patches;
  int64_t images, groups, out_channels;
  int dims;  // 2 or 3
};

// Contiguous arrays, checked. Each returns false, and leaves its result half written, when the
// convolution has to be computed with columns.
bool fast_conv2d(const ConvGeometry& g, const Array& x, const Array& weight, const Array* bias,
                 Array& out);
bool fast_backward_input(const ConvGeometry& g, const Array& grad, const Array& weight, Array& dx);
bool fast_backward_weight(const ConvGeometry& g, const Array& grad, const Array& x, Array& dweight);

}  // namespace norch
