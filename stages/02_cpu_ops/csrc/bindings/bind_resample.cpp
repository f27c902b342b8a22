// Adaptive pooling, interpolation, columns of patches.
#include "bindings/window.h"
#include "ops/resample.h"

namespace norch {
namespace {

using Scale = std::optional<std::pair<double, double>>;

Array resized(const Operand& input, Resample how, const Dims& output_size, const Scale& scale,
              const char* op) {
  const Array& x = input.as_array(op);
  const double factors[] = {scale ? scale->first : 0, scale ? scale->second : 0};
  return without_gil(kLong,
                     [&] { return resample2d(x, how, output_size, scale ? factors : nullptr); });
}

Array resized_backward(const Operand& upstream, Resample how, const Dims& input_size,
                       const Scale& scale, const char* op) {
  const Array& grad = upstream.as_array(op);
  const double factors[] = {scale ? scale->first : 0, scale ? scale->second : 0};
  return without_gil(
      kLong, [&] { return resample2d_backward(grad, how, input_size, scale ? factors : nullptr); });
}

PatchOptions options_of(const char* op, const Dims& kernel, const Dims& stride, const Dims& padding,
                        const Dims& dilation) {
  PatchOptions options;
  copy_sizes(op, 2, kernel, options.kernel, "kernel_size");
  copy_sizes(op, 2, stride, options.stride, "stride");
  copy_sizes(op, 2, padding, options.padding, "padding");
  copy_sizes(op, 2, dilation, options.dilation, "dilation");
  return options;
}

Resample linear(bool align_corners) {
  return align_corners ? Resample::kBilinearCorners : Resample::kBilinear;
}

void bind_adaptive(py::module_& m) {
  using py::arg;
  m.def(
      "adaptive_avg_pool2d",
      [](const Operand& x, const Dims& output_size) {
        return resized(x, Resample::kAdaptive, output_size, {}, "adaptive_avg_pool2d");
      },
      "Means of as many windows as wanted.", arg("x"), arg("output_size"));
  m.def(
      "adaptive_avg_pool2d_backward",
      [](const Operand& grad, const Dims& input_size) {
        return resized_backward(grad, Resample::kAdaptive, input_size, {},
                                "adaptive_avg_pool2d_backward");
      },
      "The gradient is shared out equally under each window.", arg("grad"), arg("input_size"));
  m.def(
      "adaptive_max_pool2d",
      [](const Operand& input, const Dims& output_size) {
        const Array& x = input.as_array("adaptive_max_pool2d");
        return without_gil(kLong, [&] { return adaptive_max_pool2d(x, output_size); });
      },
      "The largest element under as many windows as wanted, and its place.", arg("x"),
      arg("output_size"));
}

void bind_upsample(py::module_& m) {
  using py::arg;
  m.def(
      "upsample_nearest2d",
      [](const Operand& x, const Dims& output_size, const Scale& scale) {
        return resized(x, Resample::kNearest, output_size, scale, "upsample_nearest2d");
      },
      "An image of another size; every output is the input at or before its place. `scale`: input "
      "steps per output step (rows, columns), the inverse of PyTorch's scale factor.",
      arg("x"), arg("output_size"), arg("scale") = py::none());
  m.def(
      "upsample_nearest2d_backward",
      [](const Operand& grad, const Dims& input_size, const Scale& scale) {
        return resized_backward(grad, Resample::kNearest, input_size, scale,
                                "upsample_nearest2d_backward");
      },
      "The gradients of the outputs an input was copied to, added up.", arg("grad"),
      arg("input_size"), arg("scale") = py::none());
  m.def(
      "upsample_bilinear2d",
      [](const Operand& x, const Dims& output_size, bool align_corners, const Scale& scale) {
        return resized(x, linear(align_corners), output_size, scale, "upsample_bilinear2d");
      },
      "An image of another size, weighted between the four inputs around each output. `scale`: "
      "input steps per output step (rows, columns), the inverse of PyTorch's scale factor.",
      arg("x"), arg("output_size"), arg("align_corners") = false, arg("scale") = py::none());
  m.def(
      "upsample_bilinear2d_backward",
      [](const Operand& grad, const Dims& input_size, bool align_corners, const Scale& scale) {
        return resized_backward(grad, linear(align_corners), input_size, scale,
                                "upsample_bilinear2d_backward");
      },
      "The gradient is shared out with the same weights.", arg("grad"), arg("input_size"),
      arg("align_corners") = false, arg("scale") = py::none());
}

void bind_columns(py::module_& m) {
  using py::arg;
  m.def(
      "im2col",
      [](const Operand& input, const Dims& kernel, const Dims& stride, const Dims& padding,
         const Dims& dilation) {
        const Array& x = input.as_array("im2col");
        const PatchOptions options = options_of("im2col", kernel, stride, padding, dilation);
        return without_gil(kLong, [&] { return im2col(x, options); });
      },
      "Every patch a column: (N, C, H, W) -> (N, C KH KW, L).", arg("x"), arg("kernel_size"),
      arg("stride"), arg("padding"), arg("dilation"));
  m.def(
      "col2im",
      [](const Operand& input, const Dims& output_size, const Dims& kernel, const Dims& stride,
         const Dims& padding, const Dims& dilation) {
        const Array& columns = input.as_array("col2im");
        const PatchOptions options = options_of("col2im", kernel, stride, padding, dilation);
        return without_gil(kLong, [&] { return col2im(columns, output_size, options); });
      },
      "Columns added back to where they came from: (N, C KH KW, L) -> (N, C, H, W).",
      arg("columns"), arg("output_size"), arg("kernel_size"), arg("stride"), arg("padding"),
      arg("dilation"));
}

}  // namespace

void bind_resample(py::module_& m) {
  bind_adaptive(m);
  bind_upsample(m);
  bind_columns(m);
}

}  // namespace norch
