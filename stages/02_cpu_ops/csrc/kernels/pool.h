// Pooling of images (planes, D, H, W), all contiguous; every plane is on its own. Two-dimensional
// images have a depth of one.
#pragma once

#include "core/array.h"
#include "core/isa.h"
#include "kernels/window.h"

namespace norch {
// How a window moves in each direction.
struct Windows {
  Window d, h, w;
  int64_t in() const { return d.size * h.size * w.size; }
  int64_t out() const { return d.out * h.out * w.out; }
};

// What the sum under a window is divided by: `fixed`, or (if that is 0) the number of its places.
struct Divisor {
  bool counts_padding = true;  // padding counts as zeros, or not at all
  int64_t fixed = 0;
};

struct PoolTable {
  // out = the largest element (a float or an int64) under the window (NaN wins, of equals the
  // first), index (int64) = its place in the plane, (d H + h) W + w
  void (*max_pool)(const Array& x, const Windows& w, Array& out, Array& index);
  // dx = zeros, then dx[index] += grad; false if an index lies outside its plane. planes > 0
  bool (*max_pool_backward)(const Array& grad, const Array& index, Array& dx, int64_t planes);
  // out = the sum under the window, divided
  void (*avg_pool)(const Array& x, const Windows& w, const Divisor& divisor, Array& out);
  // dx, every element of it
  void (*avg_pool_backward)(const Array& grad, const Windows& w, const Divisor& divisor, Array& dx);
};
}  // namespace norch
