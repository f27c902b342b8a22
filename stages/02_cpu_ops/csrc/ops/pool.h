// Doors of pooling and its gradients. `dims` is 2 or 3: x is (N, C, H, W) or (N, C, D, H, W), and
// may lack N.
#pragma once

#include <utility>

#include "core/array.h"
#include "kernels/pool.h"
#include "ops/window.h"

namespace norch {
struct PoolOptions : WindowOptions {
  int64_t kernel[kDirections] = {1, 1, 1};
  Divisor divisor;  // of the average
};

// -> (out, index): index (int64) is the place of each maximum in its plane, (d H + h) W + w
std::pair<Array, Array> max_pool(const Array& x, int dims, const PoolOptions& options);
Array max_pool_backward(const Array& grad, int dims, const Array& index, const Dims& input_shape);

Array avg_pool(const Array& x, int dims, const PoolOptions& options);
Array avg_pool_backward(const Array& grad, int dims, const Dims& input_shape,
                        const PoolOptions& options);
}  // namespace norch
