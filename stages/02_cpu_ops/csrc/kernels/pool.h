// Pooling of images (planes, H, W), all contiguous; every plane is on its own.
#pragma once

#include "core/array.h"
#include "core/isa.h"
#include "kernels/window.h"

namespace norch {

struct PoolTable {
  // out = the largest element under the window (NaN wins), index = its place in the plane, h W + w
  void (*max_pool2d)(const Array& x, const Window& h, const Window& w, Array& out, Array& index);
  // dx[index] += grad; dx comes in as zeros
  void (*max_pool2d_backward)(const Array& grad, const Array& index, Array& dx, int64_t planes);
  // out = the mean under the window; padding counts as zeros, or not at all
  void (*avg_pool2d)(const Array& x, const Window& h, const Window& w, bool count_padding,
                     Array& out);
  void (*avg_pool2d_backward)(const Array& grad, const Window& h, const Window& w,
                              bool count_padding, Array& dx);
};

}  // namespace norch
