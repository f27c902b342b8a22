// Two-dimensional pooling and its gradients.
#include "bindings/window.h"
#include "ops/pool.h"

namespace norch {
namespace {

PoolOptions options_of(const char* op, const Dims& kernel, const Dims& stride, const Dims& padding,
                       const Dims& dilation) {
  PoolOptions options;
  copy_pair(op, kernel, options.kernel, "kernel");
  copy_pair(op, stride, options.stride, "stride");
  copy_pair(op, padding, options.padding, "padding");
  copy_pair(op, dilation, options.dilation, "dilation");
  return options;
}

Dims ones() {
  Dims dims;
  dims.push(1);
  return dims;
}

std::pair<Array, Array> max_forward(const Operand& input, const Dims& kernel, const Dims& stride,
                                    const Dims& padding, const Dims& dilation) {
  const Array& x = input.as_array("max_pool2d");
  const PoolOptions options = options_of("max_pool2d", kernel, stride, padding, dilation);
  return without_gil(x.numel, [&] { return max_pool2d(x, options); });
}

Array max_backward(const Operand& upstream, const Operand& places, const Dims& input_shape) {
  const Array& grad = upstream.as_array("max_pool2d_backward");
  const Array& index = places.as_array("max_pool2d_backward");
  return without_gil(grad.numel, [&] { return max_pool2d_backward(grad, index, input_shape); });
}

Array avg_forward(const Operand& input, const Dims& kernel, const Dims& stride, const Dims& padding,
                  bool count_include_pad) {
  const Array& x = input.as_array("avg_pool2d");
  const PoolOptions options = options_of("avg_pool2d", kernel, stride, padding, ones());
  return without_gil(x.numel, [&] { return avg_pool2d(x, options, count_include_pad); });
}

Array avg_backward(const Operand& upstream, const Dims& input_shape, const Dims& kernel,
                   const Dims& stride, const Dims& padding, bool count_include_pad) {
  const Array& grad = upstream.as_array("avg_pool2d_backward");
  const PoolOptions options = options_of("avg_pool2d_backward", kernel, stride, padding, ones());
  return without_gil(grad.numel, [&] {
    return avg_pool2d_backward(grad, input_shape, options, count_include_pad);
  });
}

}  // namespace

void bind_pool(py::module_& m) {
  using py::arg;
  m.def("max_pool2d", &max_forward, "The largest element under each window, and its place.",
        arg("x"), arg("kernel"), arg("stride"), arg("padding"), arg("dilation"));
  m.def("max_pool2d_backward", &max_backward, "The gradient goes where the maximum was.",
        arg("grad"), arg("index"), arg("input_shape"));
  m.def("avg_pool2d", &avg_forward, "The mean under each window.", arg("x"), arg("kernel"),
        arg("stride"), arg("padding"), arg("count_include_pad") = true);
  m.def("avg_pool2d_backward", &avg_backward, "The gradient is shared out equally.", arg("grad"),
        arg("input_shape"), arg("kernel"), arg("stride"), arg("padding"),
        arg("count_include_pad") = true);
}

}  // namespace norch
