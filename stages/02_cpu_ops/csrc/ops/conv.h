// Doors of the two-dimensional convolution and its two gradients.
#pragma once

#include "core/array.h"
#include "ops/window.h"

namespace norch {

struct ConvOptions : WindowOptions {
  int64_t groups = 1;
};

// x (N, C, H, W) weight (O, C / groups, KH, KW) bias (O) or null -> (N, O, OH, OW)
Array conv2d(const Array& x, const Array& weight, const Array* bias, const ConvOptions& options);
// grad (N, O, OH, OW), the shape of x -> d x
Array conv2d_backward_input(const Array& grad, const Array& weight, const Dims& input_shape,
                            const ConvOptions& options);
// grad (N, O, OH, OW), x, the shape of weight -> d weight
Array conv2d_backward_weight(const Array& grad, const Array& x, const Dims& weight_shape,
                             const ConvOptions& options);

}  // namespace norch
