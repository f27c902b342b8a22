// Two-dimensional pooling and its gradients.
#include "bindings/window.h"
#include "ops/pool.h"

namespace norch {
namespace {

PoolOptions options_of(const char* op, const Dims& kernel, const Dims& stride, const Dims& padding,
                       const Dims& dilation, bool ceil_mode) {
  PoolOptions options;
  copy_pair(op, kernel, options.kernel, "kernel");
  copy_pair(op, stride, options.stride, "stride");
  copy_pair(op, padding, options.padding, "padding");
  copy_pair(op, dilation, options.dilation, "dilation");
  options.ceil_mode = ceil_mode;
  return options;
}

PoolOptions average_options_of(const char* op, const Dims& kernel, const Dims& stride,
                               const Dims& padding, bool count_include_pad, bool ceil_mode,
                               int64_t divisor_override) {
  Dims one;
  one.push(1);
  PoolOptions options = options_of(op, kernel, stride, padding, one, ceil_mode);
  options.divisor = {count_include_pad, divisor_override};
  return options;
}

std::pair<Array, Array> max_forward(const Operand& input, const Dims& kernel, const Dims& stride,
                                    const Dims& padding, const Dims& dilation, bool ceil_mode) {
  const Array& x = input.as_array("max_pool2d");
  const PoolOptions options =
      options_of("max_pool2d", kernel, stride, padding, dilation, ceil_mode);
  return without_gil(x.numel, [&] { return max_pool2d(x, options); });
}

Array max_backward(const Operand& upstream, const Operand& places, const Dims& input_shape) {
  const Array& grad = upstream.as_array("max_pool2d_backward");
  const Array& index = places.as_array("max_pool2d_backward");
  return without_gil(grad.numel, [&] { return max_pool2d_backward(grad, index, input_shape); });
}

Array avg_forward(const Operand& input, const Dims& kernel, const Dims& stride, const Dims& padding,
                  bool count_include_pad, bool ceil_mode, int64_t divisor_override) {
  const Array& x = input.as_array("avg_pool2d");
  const PoolOptions options = average_options_of("avg_pool2d", kernel, stride, padding,
                                                 count_include_pad, ceil_mode, divisor_override);
  return without_gil(x.numel, [&] { return avg_pool2d(x, options); });
}

Array avg_backward(const Operand& upstream, const Dims& input_shape, const Dims& kernel,
                   const Dims& stride, const Dims& padding, bool count_include_pad, bool ceil_mode,
                   int64_t divisor_override) {
  const char* op = "avg_pool2d_backward";
  const Array& grad = upstream.as_array(op);
  const PoolOptions options = average_options_of(op, kernel, stride, padding, count_include_pad,
                                                 ceil_mode, divisor_override);
  return without_gil(grad.numel, [&] { return avg_pool2d_backward(grad, input_shape, options); });
}

}  // namespace

void bind_pool(py::module_& m) {
  using py::arg;
  m.def("max_pool2d", &max_forward, "The largest element under each window, and its place.",
        arg("x"), arg("kernel"), arg("stride"), arg("padding"), arg("dilation"),
        arg("ceil_mode") = false);
  m.def("max_pool2d_backward", &max_backward, "The gradient goes where the maximum was.",
        arg("grad"), arg("index"), arg("input_shape"));
  m.def("avg_pool2d", &avg_forward,
        "The sum under each window, divided by divisor_override or (0) by its number of places.",
        arg("x"), arg("kernel"), arg("stride"), arg("padding"), arg("count_include_pad") = true,
        arg("ceil_mode") = false, arg("divisor_override") = 0);
  m.def("avg_pool2d_backward", &avg_backward, "The gradient is shared out equally.", arg("grad"),
        arg("input_shape"), arg("kernel"), arg("stride"), arg("padding"),
        arg("count_include_pad") = true, arg("ceil_mode") = false, arg("divisor_override") = 0);
}

}  // namespace norch
