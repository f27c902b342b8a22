// Pooling of images (planes, H, W), all contiguous; every plane is on its own.
#pragma once

#include "core/array.h"
#include "core/isa.h"
#include "kernels/window.h"

namespace norch {

// What the sum under a window is divided by: `fixed`, or (if that is 0) the number of its places.
struct Divisor {
  bool counts_padding = true;  // padding counts as zeros, or not at all
  int64_t fixed = 0;
};

struct PoolTable {
  // out = the largest element under the window (NaN wins), index = its place in the plane, h W + w
  void (*max_pool2d)(const Array& x, const Window& h, const Window& w, Array& out, Array& index);
  // dx[index] += grad; dx comes in as zeros
  void (*max_pool2d_backward)(const Array& grad, const Array& index, Array& dx, int64_t planes);
  // out = the sum under the window, divided
  void (*avg_pool2d)(const Array& x, const Window& h, const Window& w, const Divisor& divisor,
                     Array& out);
  void (*avg_pool2d_backward)(const Array& grad, const Window& h, const Window& w,
                              const Divisor& divisor, Array& dx);
};

}  // namespace norch
