// The ways of a two-dimensional float32 convolution that need no matrix of columns, done
// group by group. Where conv_way.h names none of them, ops/conv.cpp multiplies matrices of columns.
#pragma once

#include "core/array.h"
#include "more/ops/conv_way.h"

namespace norch {

// Of contiguous arrays, checked: x, weight and bias make out; grad and weight make dx; x and grad
// make dweight. Returns false, and leaves the result half written, when the convolution has to be
// computed with columns.
bool fast_conv(const ConvGeometry& g, ConvPass pass, const Array& a, const Array& b,
               const Array* bias, Array& out);

}  // namespace norch
