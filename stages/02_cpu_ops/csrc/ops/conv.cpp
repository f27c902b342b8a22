// Checks and the loop over images and groups; the products are kernels/matmul.cpp's.
#include "ops/conv.h"

#include <algorithm>
#include <string>

#include "core/thread_pool.h"
#include "kernels/conv.h"
#include "kernels/matmul.h"
#include "more/ops/fast_conv.h"
#include "ops/copy.h"

namespace norch {
namespace {
struct Geometry : ConvGeometry {
  bool is_plain;  // a kernel of one place that moves by one: the image is its own matrix of columns
};

// The operation's name in messages: conv2d or conv3d, and what follows.
std::string op_name(int dims, const char* end = "") {
  return std::string(dims == 2 ? "conv2d" : "conv3d") + end;
}

// A shape as the messages of the convolution op write it.
std::string text_of(const Dims& dims) { return shape_text(dims.v, dims.n); }

// Sizes and windows of a convolution, all of it checked.
Geometry geometry(const Dims& x, int dims, const Dims& weight, const ConvOptions& o,
                  const std::string& op) {
  if (x.n != dims + 2 || weight.n != dims + 2) {
    raise<ShapeError>("[", op, "] expected x ", dims == 2 ? "(N, C, H, W)" : "(N, C, D, H, W)",
                      " and weight (O, C / groups, ", dims == 2 ? "KH, KW)" : "KD, KH, KW)",
                      ", got ", text_of(x), " and ", text_of(weight));
  }
  if (o.groups < 1 || weight[0] < o.groups) {
    raise<ShapeError>("[", op, "] weight ", text_of(weight), " has ", weight[0],
                      " outputs: expected groups of at least 1 and at least one output for each, ",
                      "got groups ", o.groups);
  }
  int64_t channels;
  const bool is_beyond = __builtin_mul_overflow(weight[1], o.groups, &channels);
  if (is_beyond || weight[0] % o.groups != 0 || x[1] != channels) {
    raise<ShapeError>("[", op, "] x ", text_of(x), " has ", x[1], " channels, but weight ",
                      text_of(weight), " with groups ", o.groups, " expects ",
                      is_beyond ? "2^63 or more" : std::to_string(channels),
                      " and outputs divisible by groups");
  }
  Geometry g{{{weight[1], {1, 1, 1, 0, 1, 1}, {}, {}}, x[0], o.groups, weight[0] / o.groups, dims},
             true};
  Window* each[] = {&g.patches.d, &g.patches.h, &g.patches.w};
  for (int i = kDirections - dims; i < kDirections; ++i) {
    const int dim = dims + 2 - kDirections + i;
    const Window w = *each[i] = window_of(x[dim], weight[dim], o, i, op.c_str());
    g.is_plain = g.is_plain && w.kernel == 1 && w.stride == 1 && w.padding == 0;
  }
  return g;
}

// The shape of a convolution's result.
Dims output_shape(const Geometry& g) {
  Dims shape{g.images, g.groups * g.out_channels};
  if (g.dims == 3) shape.push(g.patches.d.out);
  for (const Window& w : {g.patches.h, g.patches.w}) shape.push(w.out);
  return shape;
}

// Refuses operands of a convolution with different or no floating dtypes.
void check_types(const Array& a, const Array& b, const std::string& op) {
  if (is_floating(a.dtype) && is_floating(b.dtype) && a.dtype != b.dtype) {
    raise<Error>("[", op, "] dtypes ", name_of(a.dtype), " and ", name_of(b.dtype),
                 " differ: cast one of them first");
  }
  if (!is_floating(a.dtype) || a.dtype != b.dtype) {
    raise<DTypeError>("[", op, "] expected a floating dtype, the same for all, got ",
                      name_of(a.dtype), " and ", name_of(b.dtype));
  }
}

// For the op conv by columns: part number k of a contiguous array, seen as a matrix (rows, cols).
Array matrix(const Array& a, int64_t k, int64_t rows, int64_t cols) {
  Array m = a;
  m.ndim = 2;
  m.offset += k * rows * cols;
  m.shape[0] = rows;
  m.shape[1] = cols;
  m.strides[0] = cols;
  m.strides[1] = 1;
  m.update();
  return m;
}

// For the op conv by columns: out (+)= a b, by the matmul kernel.
void multiply(const Array& a, const Array& b, Array out, bool accumulate) {
  kernels<MatmulTable>().matmul(a, b, out, accumulate, MatmulPath::kAutomatic);
}

// For the op conv by columns: memory for those of one image.
Array make_columns(const Geometry& g, DType dtype) {
  return Array::empty({g.patches.rows(), g.patches.cols()}, dtype);
}

// For the op conv: the columns of group k (counted over all images), `room` filled by the kernel,
// or the image itself.
Array columns_of(const Array& x, int64_t k, const Geometry& g, const Array& room) {
  const Patches& p = g.patches;
  if (g.is_plain) return matrix(x, k, p.rows(), p.cols());
  const int64_t size = p.image() * x.itemsize();
  kernels<ConvTable>().im2col(p, x.dtype, x.bytes() + k * size, room.bytes());
  return room;
}

// For the op conv by columns: the bias of one group over out (O, cols), just before products are
// added there: so out is still in the cache.
void fill_with_bias(const Array& bias, int64_t group, Array out) {
  Array spread = matrix(bias, group, out.shape[0], 1);
  spread.shape[1] = out.shape[1];
  spread.strides[1] = 0;
  spread.update();
  copy_elements(out, spread);
}

// Refuses a bias that has not one number for each output channel.
void check_bias(const Array& x, const Array& weight, const Array& bias, const std::string& op) {
  check_types(x, bias, op);
  if (bias.ndim != 1 || bias.shape[0] != weight.shape[0]) {
    raise<ShapeError>("[", op, "] bias ", bias.shape_text(), " does not match weight ",
                      weight.shape_text(), ": expected (", weight.shape[0], ",)");
  }
}

// out = weight times columns, image by image and group by group
void multiply_columns(const Geometry& g, const Array& x, const Array& weight, const Array* bias,
                      Array& out) {
  const int64_t rows = g.patches.rows(), cols = g.patches.cols();
  parallel_for(g.images, 1, [&](int64_t begin, int64_t end) {
    const Array room = make_columns(g, x.dtype);
    for (int64_t k = begin * g.groups; k < end * g.groups; ++k) {
      const Array image = matrix(out, k, g.out_channels, cols);
      if (bias != nullptr) fill_with_bias(*bias, k % g.groups, image);
      multiply(matrix(weight, k % g.groups, g.out_channels, rows), columns_of(x, k, g, room), image,
               bias != nullptr);
    }
  });
}

// dx = weight transposed times grad, columns added back to the image
void add_columns(const Geometry& g, const Array& grad, const Array& weight, Array& dx) {
  const Patches& p = g.patches;
  const int64_t size = p.image() * dx.itemsize();
  parallel_for(g.images, 1, [&](int64_t begin, int64_t end) {
    const Array columns = make_columns(g, grad.dtype);
    for (int64_t k = begin * g.groups; k < end * g.groups; ++k) {
      multiply(transposed(matrix(weight, k % g.groups, g.out_channels, p.rows())),
               matrix(grad, k, g.out_channels, p.cols()), columns, false);
      Array image = matrix(dx, k, 1, p.image());
      fill_elements(image, Scalar::of(0.0), "conv");
      kernels<ConvTable>().col2im(p, grad.dtype, columns.bytes(), dx.bytes() + k * size);
    }
  });
}

// For the op conv_backward_weight: out = the sum of the parts (parts, out.numel), in order.
void add_parts(const Array& sums, int64_t parts, Array& out) {
  visit_floating(out.dtype, "conv", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* part = sums.data<T>();
    T* total = out.data<T>();
    std::copy_n(part, out.numel, total);
    for (int64_t k = 1; k < parts; ++k) {
      for (int64_t i = 0; i < out.numel; ++i) total[i] += part[k * out.numel + i];
    }
  });
}

// dweight = grad times columns transposed, summed over images. These are cut into at most kParts
// parts, whatever the number of threads; each part has sums of its own, added in order at the end.
void sum_products(const Geometry& g, const Array& grad, const Array& x, Array& dweight) {
  constexpr int64_t kParts = 8;
  const int64_t rows = g.patches.rows(), cols = g.patches.cols();
  const int64_t parts = std::clamp<int64_t>(g.images, 1, kParts);
  const Array sums = full({parts, dweight.numel}, Scalar::of(0.0), grad.dtype);
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    const Array room = make_columns(g, grad.dtype);
    for (int64_t part = begin; part < end; ++part) {
      const int64_t first = g.images * part / parts, last = g.images * (part + 1) / parts;
      for (int64_t k = first * g.groups; k < last * g.groups; ++k) {
        multiply(matrix(grad, k, g.out_channels, cols), transposed(columns_of(x, k, g, room)),
                 matrix(sums, part * g.groups + k % g.groups, g.out_channels, rows), true);
      }
    }
  });
  add_parts(sums, parts, dweight);
}
}  // namespace

// Door of conv2d and conv3d: checks, then a fast way or columns.
Array conv(const Array& x, int dims, const Array& weight, const Array* bias,
           const ConvOptions& options) {
  const std::string op = op_name(dims);
  check_types(x, weight, op);
  const Geometry g = geometry(dims_of(x), dims, dims_of(weight), options, op);
  if (bias != nullptr) check_bias(x, weight, *bias, op);
  const Dims shape = output_shape(g);
  const DType wide = compute_type(x.dtype);
  Array out = Array::empty(shape.v, shape.n, wide, op.c_str());
  const Array input = contiguous_as(x, wide), weights = contiguous_as(weight, wide);
  const Array row = bias == nullptr ? Array() : contiguous_as(*bias, wide);
  const Array* added = bias == nullptr ? nullptr : &row;
  if (!fast_conv(g, ConvPass::kForward, input, weights, added, out)) {
    multiply_columns(g, input, weights, added, out);
  }
  return cast(out, x.dtype);
}

// Door of the gradient of a convolution's input.
Array conv_backward_input(const Array& grad, int dims, const Array& weight, const Dims& input_shape,
                          const ConvOptions& options) {
  const std::string op = op_name(dims, "_backward_input");
  check_types(grad, weight, op);
  const Geometry g = geometry(input_shape, dims, dims_of(weight), options, op);
  check_grad(grad, output_shape(g), op.c_str());
  const DType wide = compute_type(grad.dtype);
  Array dx = Array::empty(input_shape.v, input_shape.n, wide, op.c_str());
  const Array upstream = contiguous_as(grad, wide), weights = contiguous_as(weight, wide);
  if (!fast_conv(g, ConvPass::kToInput, upstream, weights, nullptr, dx)) {
    add_columns(g, upstream, weights, dx);
  }
  return cast(dx, grad.dtype);
}

// Door of the gradient of a convolution's weight.
Array conv_backward_weight(const Array& grad, int dims, const Array& x, const Dims& weight_shape,
                           const ConvOptions& options) {
  const std::string op = op_name(dims, "_backward_weight");
  check_types(grad, x, op);
  const Geometry g = geometry(dims_of(x), dims, weight_shape, options, op);
  check_grad(grad, output_shape(g), op.c_str());
  const DType wide = compute_type(grad.dtype);
  Array dweight = Array::empty(weight_shape.v, weight_shape.n, wide, op.c_str());
  const Array upstream = contiguous_as(grad, wide), input = contiguous_as(x, wide);
  if (!fast_conv(g, ConvPass::kToWeight, input, upstream, nullptr, dweight)) {
    sum_products(g, upstream, input, dweight);
  }
  return cast(dweight, grad.dtype);
}
}  // namespace norch
