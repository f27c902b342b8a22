// Which inputs make each output, and the checks.
#include "more/ops/resample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/thread_pool.h"
#include "kernels/conv.h"
#include "more/kernels/resample.h"
#include "ops/copy.h"

namespace norch {
namespace {
// What messages call a way of resampling.
const char* name_of(Resample how) {
  if (how == Resample::kAdaptive) return "adaptive_avg_pool2d";
  return how == Resample::kNearest ? "upsample_nearest2d" : "upsample_bilinear2d";
}

// For the resampling ops: refuses arrays that are no images of floats.
void check_images(const Array& x, const char* op) {
  if (!is_floating(x.dtype)) {
    raise<DTypeError>("[", op, "] expected a floating dtype, got ", norch::name_of(x.dtype));
  }
  if (x.ndim != 3 && x.ndim != 4) {
    raise<ShapeError>("[", op, "] expected (N, C, H, W) or (C, H, W), got ", x.shape_text());
  }
}

// Output o of `out` covers the places from floor(o in / out) to ceil((o + 1) in / out), equally.
Resampling adaptive(int64_t in, int64_t out) {
  Resampling line{in};
  for (int64_t o = 0; o < out; ++o) {
    const int64_t first = o * in / out, last = ((o + 1) * in + out - 1) / out;
    for (int64_t i = first; i < last; ++i) line.add(i, 1.0 / double(last - first));
    line.end_output();
  }
  return line;
}

// The input at or before where output o falls. The numbers are float32's, as PyTorch's are, so that
// the same input is chosen; they are cut at the end of the input while no integer can overflow.
Resampling nearest(int64_t in, int64_t out, const double* scale) {
  Resampling line{in};
  const float step = scale != nullptr ? float(*scale) : float(in) / float(out);
  for (int64_t o = 0; o < out; ++o) {
    const float place = std::min(float(in), std::floor(float(o) * step));
    line.add(std::min(in - 1, int64_t(place)), 1.0);
    line.end_output();
  }
  return line;
}

// Between the two inputs around where output o falls, nearer ones count more. Pixels are squares
// with a middle, or (with `corners`) points, the first and last of which stay where they are.
template <class T>
Resampling linear(int64_t in, int64_t out, const double* scale, bool corners) {
  Resampling line{in};
  T step = scale != nullptr ? T(*scale) : T(in) / T(out);
  if (corners) step = out > 1 ? T(in - 1) / T(out - 1) : T(0);
  for (int64_t o = 0; o < out; ++o) {
    const T middle = std::max(T(0), (T(o) + T(0.5)) * step - T(0.5));
    const T place = std::min(T(in), corners ? T(o) * step : middle);
    const int64_t before = std::min(in - 1, int64_t(place));
    const T after = std::clamp(place - T(before), T(0), T(1));
    line.add(before, double(T(1) - after));
    line.add(std::min(in - 1, before + 1), double(after));
    line.end_output();
  }
  return line;
}

// Refuses sizes and scales from which no line can be made.
void check_line(Resample how, int64_t in, int64_t out, const double* scale, const char* op) {
  if (out < (how == Resample::kAdaptive ? 0 : 1) || in < 1) {
    raise<ShapeError>("[", op, "] cannot make ", out, " places out of ", in,
                      ": expected an image with elements and an output_size above 0");
  }
  if (scale != nullptr && !(*scale > 0 && *scale <= std::numeric_limits<float>::max())) {
    raise<ValueError>("[", op, "] expected scale above 0, and finite in float32, got ", *scale);
  }
}

// The inputs and weights of each output along one line.
Resampling line_of(Resample how, int64_t in, int64_t out, const double* scale, DType dtype) {
  if (how == Resample::kAdaptive) return adaptive(in, out);
  if (how == Resample::kNearest) return nearest(in, out, scale);
  const bool corners = how == Resample::kBilinearCorners;
  if (dtype == DType::kFloat64) return linear<double>(in, out, scale, corners);
  return linear<float>(in, out, scale, corners);
}

// The scale of the columns, behind that of the rows.
const double* of_cols(const double* scale) { return scale == nullptr ? nullptr : scale + 1; }

// check_line for rows and columns.
void check_lines(Resample how, const Dims& in, const Dims& out, const double* scale,
                 const char* op) {
  check_line(how, in[0], out[0], scale, op);
  check_line(how, in[1], out[1], of_cols(scale), op);
}

struct Lines {
  Resampling rows, cols;
};

// The inputs and weights of rows and columns, for the resampling ops. As long as the images are, so
// only built when these fit into memory and have elements.
Lines lines_of(Resample how, const Dims& in, const Dims& out, const double* scale, DType dtype) {
  return {line_of(how, in[0], out[0], scale, dtype),
          line_of(how, in[1], out[1], of_cols(scale), dtype)};
}

// For the resampling ops: refuses a size that is not two integers.
void check_two(const Dims& size, const char* op, const char* what) {
  if (size.n != 2)
    raise<ValueError>("[", op, "] expected ", what, " as two integers, got ", size.n);
}

// For the resampling ops: height and width of images.
Dims last_two(const Array& x) { return {x.shape + x.ndim - 2, 2}; }

// For the resampling ops: the shape of images in another size.
Dims shape_with(const Array& x, const Dims& size) {
  Dims shape(x.shape, x.ndim - 2);
  for (const int64_t s : size) shape.push(s);
  return shape;
}
}  // namespace

// Door of interpolation and adaptive pooling: checks, weights, kernel.
Array resample2d(const Array& x, Resample how, const Dims& output_size, const double* scale) {
  const char* op = name_of(how);
  check_images(x, op);
  check_two(output_size, op, "output_size");
  check_lines(how, last_two(x), output_size, scale, op);
  const DType wide = compute_type(x.dtype);
  Array out = Array::empty(shape_with(x, output_size), wide);
  const Array input = contiguous_as(x, wide);
  if (out.numel == 0) return cast(out, x.dtype);
  const Lines lines = lines_of(how, last_two(x), output_size, scale, wide);
  kernels<ResampleTable>().resample(lines.rows, lines.cols, input, out);
  return cast(out, x.dtype);
}

// Door of the gradient of interpolation and adaptive pooling: checks, weights, kernel.
Array resample2d_backward(const Array& grad, Resample how, const Dims& input_size,
                          const double* scale) {
  const char* op = name_of(how);
  check_images(grad, op);
  check_two(input_size, op, "input_size");
  check_lines(how, input_size, last_two(grad), scale, op);
  const DType wide = compute_type(grad.dtype);
  Array dx = Array::empty(shape_with(grad, input_size), wide);
  const Array upstream = contiguous_as(grad, wide);
  if (dx.numel == 0) return cast(dx, grad.dtype);
  const Lines lines = lines_of(how, input_size, last_two(grad), scale, wide);
  kernels<ResampleTable>().resample_backward(lines.rows, lines.cols, upstream, dx);
  return cast(dx, grad.dtype);
}

// Door of adaptive_max_pool2d, one of more's ops for resampling: checks, then the kernel.
std::pair<Array, Array> adaptive_max_pool2d(const Array& x, const Dims& output_size) {
  const char* op = "adaptive_max_pool2d";
  check_images(x, op);
  check_two(output_size, op, "output_size");
  check_lines(Resample::kAdaptive, last_two(x), output_size, nullptr, op);
  const DType wide = compute_type(x.dtype);
  const Dims shape = shape_with(x, output_size);
  Array out = Array::empty(shape, wide), index = Array::empty(shape, DType::kInt64);
  const Array input = contiguous_as(x, wide);
  if (out.numel == 0) return {cast(out, x.dtype), index};
  const Lines lines = lines_of(Resample::kAdaptive, last_two(x), output_size, nullptr, wide);
  kernels<ResampleTable>().resample_max(lines.rows, lines.cols, input, out, index);
  return {cast(out, x.dtype), index};
}

namespace {
// For more's ops im2col and col2im: the patches of one channel; so many that their number overflows
// are an error.
Patches patches_of(const Dims& size, const PatchOptions& o, const char* op) {
  Patches p{1, {1, 1, 1, 0, 1, 1}, {}, {}};
  p.h = window_of(size[0], o.kernel[1], o, 1, op);
  p.w = window_of(size[1], o.kernel[2], o, 2, op);
  const int64_t counts[] = {p.h.out, p.w.out};
  checked_numel(counts, 2, 1, op);
  return p;
}
}  // namespace

// Door of im2col, one of more's ops: checks, then the kernel image by image.
Array im2col(const Array& x, const PatchOptions& options) {
  check_images(x, "im2col");
  const int first = x.ndim - 3;
  Patches p = patches_of(last_two(x), options, "im2col");
  p.channels = x.shape[first];
  const int64_t factors[] = {p.channels, p.h.kernel, p.w.kernel};
  checked_numel(factors, 3, 1, "im2col");
  const int64_t images = first == 0 ? 1 : x.shape[0];
  Dims shape;
  if (first == 1) shape.push(images);
  for (const int64_t size : {p.rows(), p.cols()}) shape.push(size);
  const DType wide = compute_type(x.dtype);
  Array columns = Array::empty(shape, wide);
  const Array input = contiguous_as(x, wide);
  parallel_for(images, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      kernels<ConvTable>().im2col(p, wide, input.bytes() + k * p.image() * input.itemsize(),
                                  columns.bytes() + k * p.rows() * p.cols() * input.itemsize());
    }
  });
  return cast(columns, x.dtype);
}

// Door of col2im, one of more's ops: checks, then the kernel image by image.
Array col2im(const Array& columns, const Dims& output_size, const PatchOptions& options) {
  const char* op = "col2im";
  check_two(output_size, op, "output_size");
  if (!is_floating(columns.dtype)) {
    raise<DTypeError>("[", op, "] expected a floating dtype, got ", norch::name_of(columns.dtype));
  }
  Patches p = patches_of(output_size, options, op);
  const int64_t places = p.places();
  const int first = columns.ndim - 2;
  if ((first != 0 && first != 1) || columns.shape[first] % places != 0) {
    raise<ShapeError>("[", op,
                      "] expected columns (N, C KH KW, L) or (C KH KW, L) with KH KW = ", places,
                      ", got ", columns.shape_text());
  }
  p.channels = columns.shape[first] / places;
  if (columns.shape[first + 1] != p.cols()) {
    raise<ShapeError>("[", op, "] columns ", columns.shape_text(), " hold ",
                      columns.shape[first + 1], " patches, but an output of ",
                      shape_text(output_size.v, 2), " has ", p.h.out, " x ", p.w.out);
  }
  Dims shape;
  if (first == 1) shape.push(columns.shape[0]);
  for (const int64_t size : {p.channels, output_size[0], output_size[1]}) shape.push(size);
  const DType wide = compute_type(columns.dtype);
  Array x = full(shape, Scalar::of(0.0), wide);
  const Array from = contiguous_as(columns, wide);
  parallel_for(first == 1 ? columns.shape[0] : 1, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      kernels<ConvTable>().col2im(p, wide, from.bytes() + k * p.rows() * p.cols() * from.itemsize(),
                                  x.bytes() + k * p.image() * from.itemsize());
    }
  });
  return cast(x, columns.dtype);
}
}  // namespace norch
