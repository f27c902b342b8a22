// When a two-dimensional convolution goes Winograd's way (kernels/winograd.h), and how it gets
// there.
#pragma once

#include "core/array.h"
#include "kernels/conv.h"

namespace norch {

// A switch for lessons and tests: with false every convolution is computed in the direct way.
void set_winograd_enabled(bool on);

// What a convolution looks like from here: `patches` and `out_channels` of one group.
struct ConvGeometry {
  Patches patches;
  int64_t images, groups, out_channels;
  int dims;  // 2 or 3
};

// Contiguous arrays, checked. Each returns false, and leaves `out` half written, when the direct
// way has to be taken: it is faster, or a result was not finite.
bool winograd_conv2d(const ConvGeometry& g, const Array& x, const Array& weight, const Array* bias,
                     Array& out);
bool winograd_backward_input(const ConvGeometry& g, const Array& grad, const Array& weight,
                             Array& dx);
bool winograd_backward_weight(const ConvGeometry& g, const Array& grad, const Array& x,
                              Array& dweight);

}  // namespace norch
