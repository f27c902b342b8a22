// Doors of the two- and three-dimensional convolution and its two gradients. `dims` is 2 or 3; a
// shape lacks D and KD where it is 2.
#pragma once

#include "core/array.h"
#include "ops/window.h"

namespace norch {
struct ConvOptions : WindowOptions {
  int64_t groups = 1;
};

// x (N, C, D, H, W) weight (O, C / groups, KD, KH, KW) bias (O) or null -> (N, O, OD, OH, OW)
Array conv(const Array& x, int dims, const Array& weight, const Array* bias,
           const ConvOptions& options);
// grad (N, O, OD, OH, OW), the shape of x -> d x
Array conv_backward_input(const Array& grad, int dims, const Array& weight, const Dims& input_shape,
                          const ConvOptions& options);
// grad (N, O, OD, OH, OW), x, the shape of weight -> d weight
Array conv_backward_weight(const Array& grad, int dims, const Array& x, const Dims& weight_shape,
                           const ConvOptions& options);
}  // namespace norch
