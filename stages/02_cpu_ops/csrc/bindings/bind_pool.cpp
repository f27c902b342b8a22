// Pooling of two and three dimensions and its gradients: one text, compiled for each.
#include "bindings/operation.h"
#include "ops/pool.h"

namespace norch {
namespace {
// The options of the pooling bindings, from the lists of ints of the Python call.
template <int dims>
PoolOptions options_of(const char* op, const Dims& kernel, const Dims& stride, const Dims& padding,
                       bool ceil_mode) {
  PoolOptions options;
  copy_sizes(op, dims, kernel, options.kernel, "kernel");
  copy_sizes(op, dims, stride, options.stride, "stride");
  copy_sizes(op, dims, padding, options.padding, "padding");
  options.ceil_mode = ceil_mode;
  return options;
}

// The binding that Python calls as max_pool2d and max_pool3d.
template <int dims>
std::pair<Array, Array> max_forward(const Array& x, const Dims& kernel, const Dims& stride,
                                    const Dims& padding, const Dims& dilation, bool ceil_mode) {
  const char* op = dims == 2 ? "max_pool2d" : "max_pool3d";
  PoolOptions options = options_of<dims>(op, kernel, stride, padding, ceil_mode);
  copy_sizes(op, dims, dilation, options.dilation, "dilation");
  return max_pool(x, dims, options);
}

// The binding that Python calls as max_pool2d_backward and max_pool3d_backward.
template <int dims>
Array max_backward(const Array& grad, const Array& index, const Dims& input_shape) {
  return max_pool_backward(grad, dims, index, input_shape);
}

// The binding that Python calls as avg_pool2d and avg_pool3d.
template <int dims>
Array avg_forward(const Array& x, const Dims& kernel, const Dims& stride, const Dims& padding,
                  bool count_include_pad, bool ceil_mode, int64_t divisor_override) {
  const char* op = dims == 2 ? "avg_pool2d" : "avg_pool3d";
  PoolOptions options = options_of<dims>(op, kernel, stride, padding, ceil_mode);
  options.divisor = {count_include_pad, divisor_override};
  return avg_pool(x, dims, options);
}

// The binding that Python calls as avg_pool2d_backward and avg_pool3d_backward.
template <int dims>
Array avg_backward(const Array& grad, const Dims& input_shape, const Dims& kernel,
                   const Dims& stride, const Dims& padding, bool count_include_pad, bool ceil_mode,
                   int64_t divisor_override) {
  const char* op = dims == 2 ? "avg_pool2d_backward" : "avg_pool3d_backward";
  PoolOptions options = options_of<dims>(op, kernel, stride, padding, ceil_mode);
  options.divisor = {count_include_pad, divisor_override};
  return avg_pool_backward(grad, dims, input_shape, options);
}

constexpr const char* kMaxDoc = "The largest element under each window, and its place.";
constexpr const char* kMaxBackwardDoc = "The gradient goes where the maximum was.";
constexpr const char* kAvgDoc =
    "The sum under each window, divided by divisor_override or (0) by its number of places.";
constexpr const char* kAvgBackwardDoc = "The gradient is shared out equally.";
}  // namespace

// The poolings, as rows that become Python functions.
Table pool_table() {
  static const Operation rows[] = {
      {"max_pool2d(x, kernel, stride, padding, dilation, ceil_mode=False)", &max_forward<2>,
       kMaxDoc, kLong},
      {"max_pool2d_backward(grad, index, input_shape)", &max_backward<2>, kMaxBackwardDoc, kLong},
      {"avg_pool2d(x, kernel, stride, padding, count_include_pad=True, ceil_mode=False, "
       "divisor_override=0)",
       &avg_forward<2>, kAvgDoc, kLong},
      {"avg_pool2d_backward(grad, input_shape, kernel, stride, padding, count_include_pad=True, "
       "ceil_mode=False, divisor_override=0)",
       &avg_backward<2>, kAvgBackwardDoc, kLong},
      {"max_pool3d(x, kernel, stride, padding, dilation, ceil_mode=False)", &max_forward<3>,
       kMaxDoc, kLong},
      {"max_pool3d_backward(grad, index, input_shape)", &max_backward<3>, kMaxBackwardDoc, kLong},
      {"avg_pool3d(x, kernel, stride, padding, count_include_pad=True, ceil_mode=False, "
       "divisor_override=0)",
       &avg_forward<3>, kAvgDoc, kLong},
      {"avg_pool3d_backward(grad, input_shape, kernel, stride, padding, count_include_pad=True, "
       "ceil_mode=False, divisor_override=0)",
       &avg_backward<3>, kAvgBackwardDoc, kLong},
  };
  return rows;
}
}  // namespace norch
