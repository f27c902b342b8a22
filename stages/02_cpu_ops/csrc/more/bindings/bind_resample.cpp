// Adaptive pooling, interpolation, columns of patches.
#include "bindings/operation.h"
#include "more/ops/resample.h"

namespace norch {
namespace {
using Scale = std::optional<std::pair<double, double>>;  // of rows and columns

// For more's bindings: an image in another size, from the arguments of a Python call.
Array resample_by(const Array& x, Resample how, const Dims& output_size, const Scale& scale) {
  const double factors[] = {scale ? scale->first : 0, scale ? scale->second : 0};
  return resample2d(x, how, output_size, scale ? factors : nullptr);
}

// For more's bindings: the gradient of a resampled image, from the arguments of a Python call.
Array resample_backward_by(const Array& grad, Resample how, const Dims& input_size,
                           const Scale& scale) {
  const double factors[] = {scale ? scale->first : 0, scale ? scale->second : 0};
  return resample2d_backward(grad, how, input_size, scale ? factors : nullptr);
}

// One of more's bindings, which Python calls as adaptive_avg_pool2d.
Array adaptive(const Array& x, const Dims& output_size) {
  return resample_by(x, Resample::kAdaptive, output_size, {});
}
// One of more's bindings, which Python calls as adaptive_avg_pool2d_backward.
Array adaptive_backward(const Array& grad, const Dims& input_size) {
  return resample_backward_by(grad, Resample::kAdaptive, input_size, {});
}

// One of more's bindings, which Python calls as upsample_nearest2d.
Array nearest(const Array& x, const Dims& output_size, const Scale& scale) {
  return resample_by(x, Resample::kNearest, output_size, scale);
}
// One of more's bindings, which Python calls as upsample_nearest2d_backward.
Array nearest_backward(const Array& grad, const Dims& input_size, const Scale& scale) {
  return resample_backward_by(grad, Resample::kNearest, input_size, scale);
}

// Which interpolation the Python argument align_corners asks for.
Resample linear(bool align_corners) {
  return align_corners ? Resample::kBilinearCorners : Resample::kBilinear;
}
// One of more's bindings, which Python calls as upsample_bilinear2d.
Array bilinear(const Array& x, const Dims& output_size, bool align_corners, const Scale& scale) {
  return resample_by(x, linear(align_corners), output_size, scale);
}
// One of more's bindings, which Python calls as upsample_bilinear2d_backward.
Array bilinear_backward(const Array& grad, const Dims& input_size, bool align_corners,
                        const Scale& scale) {
  return resample_backward_by(grad, linear(align_corners), input_size, scale);
}

// For more's bindings im2col and col2im: their options, from the lists of ints of a Python call.
PatchOptions options_of(const char* op, const Dims& kernel, const Dims& stride, const Dims& padding,
                        const Dims& dilation) {
  PatchOptions options;
  copy_sizes(op, 2, kernel, options.kernel, "kernel_size");
  copy_sizes(op, 2, stride, options.stride, "stride");
  copy_sizes(op, 2, padding, options.padding, "padding");
  copy_sizes(op, 2, dilation, options.dilation, "dilation");
  return options;
}

// One of more's bindings, which Python calls as im2col.
Array columns_of(const Array& x, const Dims& kernel, const Dims& stride, const Dims& padding,
                 const Dims& dilation) {
  return im2col(x, options_of("im2col", kernel, stride, padding, dilation));
}
// One of more's bindings, which Python calls as col2im.
Array image_of(const Array& columns, const Dims& output_size, const Dims& kernel,
               const Dims& stride, const Dims& padding, const Dims& dilation) {
  return col2im(columns, output_size, options_of("col2im", kernel, stride, padding, dilation));
}
}  // namespace

// Resampling and patches, as rows that become Python functions.
Table resample_table() {
  static const Operation rows[] = {
      {"adaptive_avg_pool2d(x, output_size)", &adaptive, "Means of as many windows as wanted.",
       kLong},
      {"adaptive_avg_pool2d_backward(grad, input_size)", &adaptive_backward,
       "The gradient is shared out equally under each window.", kLong},
      {"adaptive_max_pool2d(x, output_size)", &adaptive_max_pool2d,
       "The largest element under as many windows as wanted, and its place.", kLong},
      {"upsample_nearest2d(x, output_size, scale=None)", &nearest,
       "An image of another size; every output is the input at or before its place. `scale`: input "
       "steps per output step (rows, columns), the inverse of PyTorch's scale factor.",
       kLong},
      {"upsample_nearest2d_backward(grad, input_size, scale=None)", &nearest_backward,
       "The gradients of the outputs an input was copied to, added up.", kLong},
      {"upsample_bilinear2d(x, output_size, align_corners=False, scale=None)", &bilinear,
       "An image of another size, weighted between the four inputs around each output. `scale`: "
       "input steps per output step (rows, columns), the inverse of PyTorch's scale factor.",
       kLong},
      {"upsample_bilinear2d_backward(grad, input_size, align_corners=False, scale=None)",
       &bilinear_backward, "The gradient is shared out with the same weights.", kLong},
      {"im2col(x, kernel_size, stride, padding, dilation)", &columns_of,
       "Every patch a column: (N, C, H, W) -> (N, C KH KW, L).", kLong},
      {"col2im(columns, output_size, kernel_size, stride, padding, dilation)", &image_of,
       "Columns added back to where they came from: (N, C KH KW, L) -> (N, C, H, W).", kLong},
  };
  return rows;
}
}  // namespace norch
