// Pooling of two and three dimensions and its gradients: one text, compiled for each.
#include "bindings/window.h"
#include "ops/pool.h"

namespace norch {
namespace {

template <int dims>
struct Pool {
  static constexpr const char* kMax = dims == 2 ? "max_pool2d" : "max_pool3d";
  static constexpr const char* kAvg = dims == 2 ? "avg_pool2d" : "avg_pool3d";

  static PoolOptions options_of(const char* op, const Dims& kernel, const Dims& stride,
                                const Dims& padding, bool ceil_mode) {
    PoolOptions options;
    copy_sizes(op, dims, kernel, options.kernel, "kernel");
    copy_sizes(op, dims, stride, options.stride, "stride");
    copy_sizes(op, dims, padding, options.padding, "padding");
    options.ceil_mode = ceil_mode;
    return options;
  }

  static std::pair<Array, Array> max_forward(const Operand& input, const Dims& kernel,
                                             const Dims& stride, const Dims& padding,
                                             const Dims& dilation, bool ceil_mode) {
    const Array& x = input.as_array(kMax);
    PoolOptions options = options_of(kMax, kernel, stride, padding, ceil_mode);
    copy_sizes(kMax, dims, dilation, options.dilation, "dilation");
    return without_gil(kLong, [&] { return max_pool(x, dims, options); });
  }

  static Array max_backward(const Operand& upstream, const Operand& places,
                            const Dims& input_shape) {
    const char* op = dims == 2 ? "max_pool2d_backward" : "max_pool3d_backward";
    const Array &grad = upstream.as_array(op), &index = places.as_array(op);
    return without_gil(kLong, [&] { return max_pool_backward(grad, dims, index, input_shape); });
  }

  static Array avg_forward(const Operand& input, const Dims& kernel, const Dims& stride,
                           const Dims& padding, bool count_include_pad, bool ceil_mode,
                           int64_t divisor_override) {
    const Array& x = input.as_array(kAvg);
    PoolOptions options = options_of(kAvg, kernel, stride, padding, ceil_mode);
    options.divisor = {count_include_pad, divisor_override};
    return without_gil(kLong, [&] { return avg_pool(x, dims, options); });
  }

  static Array avg_backward(const Operand& upstream, const Dims& input_shape, const Dims& kernel,
                            const Dims& stride, const Dims& padding, bool count_include_pad,
                            bool ceil_mode, int64_t divisor_override) {
    const char* op = dims == 2 ? "avg_pool2d_backward" : "avg_pool3d_backward";
    const Array& grad = upstream.as_array(op);
    PoolOptions options = options_of(op, kernel, stride, padding, ceil_mode);
    options.divisor = {count_include_pad, divisor_override};
    return without_gil(kLong, [&] { return avg_pool_backward(grad, dims, input_shape, options); });
  }

  static void bind(py::module_& m) {
    using py::arg;
    const std::string max = kMax, avg = kAvg;
    m.def(kMax, &max_forward, "The largest element under each window, and its place.", arg("x"),
          arg("kernel"), arg("stride"), arg("padding"), arg("dilation"), arg("ceil_mode") = false);
    m.def((max + "_backward").c_str(), &max_backward, "The gradient goes where the maximum was.",
          arg("grad"), arg("index"), arg("input_shape"));
    m.def(kAvg, &avg_forward,
          "The sum under each window, divided by divisor_override or (0) by its number of places.",
          arg("x"), arg("kernel"), arg("stride"), arg("padding"), arg("count_include_pad") = true,
          arg("ceil_mode") = false, arg("divisor_override") = 0);
    m.def((avg + "_backward").c_str(), &avg_backward, "The gradient is shared out equally.",
          arg("grad"), arg("input_shape"), arg("kernel"), arg("stride"), arg("padding"),
          arg("count_include_pad") = true, arg("ceil_mode") = false, arg("divisor_override") = 0);
  }
};

}  // namespace

void bind_pool(py::module_& m) {
  Pool<2>::bind(m);
  Pool<3>::bind(m);
}

}  // namespace norch
