// conv2d and its gradients.
#include "bindings/openblas.h"
#include "bindings/window.h"
#include "ops/conv.h"
#include "ops/winograd.h"

namespace norch {
namespace {

ConvOptions options_of(const Dims& stride, const Dims& padding, const Dims& dilation,
                       int64_t groups) {
  ConvOptions options;
  copy_pair("conv2d", stride, options.stride, "stride");
  copy_pair("conv2d", padding, options.padding, "padding");
  copy_pair("conv2d", dilation, options.dilation, "dilation");
  options.groups = groups;
  return options;
}

constexpr int64_t kLong = int64_t{1} << 20;  // a convolution is always worth letting go of the GIL

Array forward(const Operand& input, const Operand& kernel, const Operand& added, const Dims& stride,
              const Dims& padding, const Dims& dilation, int64_t groups) {
  const Array &x = input.as_array("conv2d"), &weight = kernel.as_array("conv2d");
  const Array* bias = added.object == Py_None ? nullptr : &added.as_array("conv2d");
  find_blas();
  const ConvOptions options = options_of(stride, padding, dilation, groups);
  return without_gil(kLong, [&] { return conv2d(x, weight, bias, options); });
}

Array backward_input(const Operand& upstream, const Operand& kernel, const Dims& input_shape,
                     const Dims& stride, const Dims& padding, const Dims& dilation,
                     int64_t groups) {
  const char* op = "conv2d_backward_input";
  const Array &grad = upstream.as_array(op), &weight = kernel.as_array(op);
  find_blas();
  const ConvOptions options = options_of(stride, padding, dilation, groups);
  return without_gil(kLong,
                     [&] { return conv2d_backward_input(grad, weight, input_shape, options); });
}

Array backward_weight(const Operand& upstream, const Operand& input, const Dims& weight_shape,
                      const Dims& stride, const Dims& padding, const Dims& dilation,
                      int64_t groups) {
  const char* op = "conv2d_backward_weight";
  const Array &grad = upstream.as_array(op), &x = input.as_array(op);
  find_blas();
  const ConvOptions options = options_of(stride, padding, dilation, groups);
  return without_gil(kLong, [&] { return conv2d_backward_weight(grad, x, weight_shape, options); });
}

}  // namespace

void bind_conv(py::module_& m) {
  using py::arg;
  m.def("conv2d", &forward, "Two-dimensional convolution: x (N, C, H, W) -> (N, O, OH, OW).",
        arg("x"), arg("weight"), arg("bias"), arg("stride"), arg("padding"), arg("dilation"),
        arg("groups"));
  m.def("conv2d_backward_input", &backward_input, "The gradient with respect to x.", arg("grad"),
        arg("weight"), arg("input_shape"), arg("stride"), arg("padding"), arg("dilation"),
        arg("groups"));
  m.def("conv2d_backward_weight", &backward_weight, "The gradient with respect to the weight.",
        arg("grad"), arg("x"), arg("weight_shape"), arg("stride"), arg("padding"), arg("dilation"),
        arg("groups"));
  m.def("set_winograd_enabled", &set_winograd_enabled, arg("on"),
        "Switch Winograd's convolution off, or on again.");
}

}  // namespace norch
