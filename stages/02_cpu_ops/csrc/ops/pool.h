// Doors of two-dimensional pooling and its gradients; x is (N, C, H, W) or (C, H, W).
#pragma once

#include <utility>

#include "core/array.h"
#include "kernels/pool.h"
#include "ops/window.h"

namespace norch {

struct PoolOptions : WindowOptions {
  int64_t kernel[2];
  Divisor divisor;  // of the average
};

// -> (out, index): index (int64) is the place of each maximum in its plane, h W + w
std::pair<Array, Array> max_pool2d(const Array& x, const PoolOptions& options);
Array max_pool2d_backward(const Array& grad, const Array& index, const Dims& input_shape);

Array avg_pool2d(const Array& x, const PoolOptions& options);
Array avg_pool2d_backward(const Array& grad, const Dims& input_shape, const PoolOptions& options);

}  // namespace norch
