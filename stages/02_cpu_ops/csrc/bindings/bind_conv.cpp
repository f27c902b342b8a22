// Convolutions of two and three dimensions and their gradients: one text, compiled for each.
#include "bindings/openblas.h"
#include "bindings/window.h"
#include "ops/conv.h"
#include "ops/fast_conv.h"

namespace norch {
namespace {

template <int dims>
struct Conv {
  static constexpr const char* kName = dims == 2 ? "conv2d" : "conv3d";

  static ConvOptions options_of(const Dims& stride, const Dims& padding, const Dims& dilation,
                                int64_t groups) {
    ConvOptions options;
    copy_sizes(kName, dims, stride, options.stride, "stride");
    copy_sizes(kName, dims, padding, options.padding, "padding");
    copy_sizes(kName, dims, dilation, options.dilation, "dilation");
    options.groups = groups;
    return options;
  }

  static Array forward(const Operand& input, const Operand& kernel, const Operand& added,
                       const Dims& stride, const Dims& padding, const Dims& dilation,
                       int64_t groups) {
    const Array &x = input.as_array(kName), &weight = kernel.as_array(kName);
    const Array* bias = added.object == Py_None ? nullptr : &added.as_array(kName);
    find_blas();
    const ConvOptions options = options_of(stride, padding, dilation, groups);
    return without_gil(kLong, [&] { return conv(x, dims, weight, bias, options); });
  }

  static Array backward_input(const Operand& upstream, const Operand& kernel,
                              const Dims& input_shape, const Dims& stride, const Dims& padding,
                              const Dims& dilation, int64_t groups) {
    const char* op = dims == 2 ? "conv2d_backward_input" : "conv3d_backward_input";
    const Array &grad = upstream.as_array(op), &weight = kernel.as_array(op);
    find_blas();
    const ConvOptions options = options_of(stride, padding, dilation, groups);
    return without_gil(
        kLong, [&] { return conv_backward_input(grad, dims, weight, input_shape, options); });
  }

  static Array backward_weight(const Operand& upstream, const Operand& input,
                               const Dims& weight_shape, const Dims& stride, const Dims& padding,
                               const Dims& dilation, int64_t groups) {
    const char* op = dims == 2 ? "conv2d_backward_weight" : "conv3d_backward_weight";
    const Array &grad = upstream.as_array(op), &x = input.as_array(op);
    find_blas();
    const ConvOptions options = options_of(stride, padding, dilation, groups);
    return without_gil(kLong,
                       [&] { return conv_backward_weight(grad, dims, x, weight_shape, options); });
  }

  static void bind(py::module_& m, const char* doc) {
    using py::arg;
    const std::string name = kName;
    m.def(name.c_str(), &forward, doc, arg("x"), arg("weight"), arg("bias"), arg("stride"),
          arg("padding"), arg("dilation"), arg("groups"));
    m.def((name + "_backward_input").c_str(), &backward_input, "The gradient with respect to x.",
          arg("grad"), arg("weight"), arg("input_shape"), arg("stride"), arg("padding"),
          arg("dilation"), arg("groups"));
    m.def((name + "_backward_weight").c_str(), &backward_weight,
          "The gradient with respect to the weight.", arg("grad"), arg("x"), arg("weight_shape"),
          arg("stride"), arg("padding"), arg("dilation"), arg("groups"));
  }
};

}  // namespace

void bind_conv(py::module_& m) {
  Conv<2>::bind(m, "Two-dimensional convolution: x (N, C, H, W) -> (N, O, OH, OW).");
  Conv<3>::bind(m, "Three-dimensional convolution: x (N, C, D, H, W) -> (N, O, OD, OH, OW).");
  m.def("set_winograd_enabled", &set_winograd_enabled, py::arg("on"),
        "Switch Winograd's convolution off, or on again.");
  m.def("set_direct_enabled", &set_direct_enabled, py::arg("on"),
        "Switch convolution straight from the pixels off, or on again.");
}

}  // namespace norch
