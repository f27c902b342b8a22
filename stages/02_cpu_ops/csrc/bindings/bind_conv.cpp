// Convolutions of two and three dimensions and their gradients: one text, compiled for each.
#include "bindings/operation.h"
#include "more/ops/fast_conv.h"
#include "ops/conv.h"

namespace norch {
namespace {
// The options of the convolution bindings, from the lists of ints of the Python call.
template <int dims>
ConvOptions options_of(const Dims& stride, const Dims& padding, const Dims& dilation,
                       int64_t groups) {
  const char* op = dims == 2 ? "conv2d" : "conv3d";
  ConvOptions options;
  copy_sizes(op, dims, stride, options.stride, "stride");
  copy_sizes(op, dims, padding, options.padding, "padding");
  copy_sizes(op, dims, dilation, options.dilation, "dilation");
  options.groups = groups;
  return options;
}

// The binding that Python calls as conv2d and conv3d. Like its gradients', it holds the GIL until
// it has asked for OpenBLAS.
template <int dims>
Array forward(const Array& x, const Array& weight, const Array* bias, const Dims& stride,
              const Dims& padding, const Dims& dilation, int64_t groups) {
  find_blas();
  const ConvOptions options = options_of<dims>(stride, padding, dilation, groups);
  return without_gil(kLong, [&] { return conv(x, dims, weight, bias, options); });
}

// The binding that Python calls as conv2d_backward_input and conv3d_backward_input.
template <int dims>
Array backward_input(const Array& grad, const Array& weight, const Dims& input_shape,
                     const Dims& stride, const Dims& padding, const Dims& dilation,
                     int64_t groups) {
  find_blas();
  const ConvOptions options = options_of<dims>(stride, padding, dilation, groups);
  return without_gil(kLong,
                     [&] { return conv_backward_input(grad, dims, weight, input_shape, options); });
}

// The binding that Python calls as conv2d_backward_weight and conv3d_backward_weight.
template <int dims>
Array backward_weight(const Array& grad, const Array& x, const Dims& weight_shape,
                      const Dims& stride, const Dims& padding, const Dims& dilation,
                      int64_t groups) {
  find_blas();
  const ConvOptions options = options_of<dims>(stride, padding, dilation, groups);
  return without_gil(kLong,
                     [&] { return conv_backward_weight(grad, dims, x, weight_shape, options); });
}
}  // namespace

// The convolutions, as rows that become Python functions.
Table conv_table() {
  static const Operation rows[] = {
      {"conv2d(x, weight, bias, stride, padding, dilation, groups)", &forward<2>,
       "Two-dimensional convolution: x (N, C, H, W) -> (N, O, OH, OW).", kHoldsGil},
      {"conv2d_backward_input(grad, weight, input_shape, stride, padding, dilation, groups)",
       &backward_input<2>, "The gradient with respect to x.", kHoldsGil},
      {"conv2d_backward_weight(grad, x, weight_shape, stride, padding, dilation, groups)",
       &backward_weight<2>, "The gradient with respect to the weight.", kHoldsGil},
      {"conv3d(x, weight, bias, stride, padding, dilation, groups)", &forward<3>,
       "Three-dimensional convolution: x (N, C, D, H, W) -> (N, O, OD, OH, OW).", kHoldsGil},
      {"conv3d_backward_input(grad, weight, input_shape, stride, padding, dilation, groups)",
       &backward_input<3>, "The gradient with respect to x.", kHoldsGil},
      {"conv3d_backward_weight(grad, x, weight_shape, stride, padding, dilation, groups)",
       &backward_weight<3>, "The gradient with respect to the weight.", kHoldsGil},
      {"set_winograd_enabled(on)", &set_winograd_enabled,
       "Switch Winograd's convolution off, or on again."},
      {"set_direct_enabled(on)", &set_direct_enabled,
       "Switch convolution straight from the pixels off, or on again."},
  };
  return rows;
}
}  // namespace norch
