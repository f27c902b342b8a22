// The ways of a two-dimensional float32 convolution that need no matrix of columns, done
// group by group. Where conv_way.h names none of them, ops/conv.cpp multiplies matrices of columns.
#pragma once

#include "core/array.h"
#include "more/ops/conv_way.h"

namespace norch {

// Contiguous arrays, checked. Each returns false, and leaves its result half written, when the
// convolution has to be computed with columns.
bool fast_conv2d(const ConvGeometry& g, const Array& x, const Array& weight, const Array* bias,
                 Array& out);
bool fast_backward_input(const ConvGeometry& g, const Array& grad, const Array& weight, Array& dx);
bool fast_backward_weight(const ConvGeometry& g, const Array& grad, const Array& x, Array& dweight);

}  // namespace norch
