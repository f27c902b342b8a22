// Checks and the loop over images and groups; the products are kernels/matmul.cpp's.
#include "ops/conv.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/thread_pool.h"
#include "kernels/conv.h"
#include "kernels/matmul.h"
#include "ops/copy.h"
#include "ops/winograd.h"

namespace norch {
namespace {

struct Geometry : ConvGeometry {
  bool is_plain;  // a 1 x 1 kernel that moves by one: the image is its own matrix of columns
};

std::string text_of(const Dims& dims) { return shape_text(dims.v, dims.n); }

Geometry geometry(const Dims& x, const Dims& weight, const ConvOptions& o, const char* op) {
  if (x.n != 4 || weight.n != 4) {
    raise<ShapeError>("[", op, "] expected x (N, C, H, W) and weight (O, C / groups, KH, KW), got ",
                      text_of(x), " and ", text_of(weight));
  }
  if (o.groups < 1 || weight[0] % o.groups != 0 || x[1] != weight[1] * o.groups) {
    raise<ShapeError>("[", op, "] x ", text_of(x), " has ", x[1], " channels, but weight ",
                      text_of(weight), " with groups ", o.groups, " expects ", weight[1] * o.groups,
                      " and outputs divisible by groups");
  }
  Geometry g;
  const Window h = window_of(x[2], weight[2], o, 0, op), w = window_of(x[3], weight[3], o, 1, op);
  g.patches = {weight[1], h, w};
  g.images = x[0];
  g.groups = o.groups;
  g.out_channels = weight[0] / o.groups;
  const auto moves_by_one = [](const Window& v) {
    return v.kernel == 1 && v.stride == 1 && v.padding == 0;
  };
  g.is_plain = moves_by_one(h) && moves_by_one(w);
  return g;
}

Dims dims_of(const Array& a) {
  Dims dims;
  for (int i = 0; i < a.ndim; ++i) dims.push(a.shape[i]);
  return dims;
}

void check_types(const Array& a, const Array& b, const char* op) {
  if ((a.dtype != DType::kFloat32 && a.dtype != DType::kFloat64) || a.dtype != b.dtype) {
    raise<TypeError>("[", op, "] expected float32 or float64, the same for all, got ",
                     name_of(a.dtype), " and ", name_of(b.dtype));
  }
}

void check_grad(const Array& grad, const Geometry& g, const char* op) {
  const int64_t expected[] = {g.images, g.groups * g.out_channels, g.patches.h.out,
                              g.patches.w.out};
  if (grad.ndim != 4 || !std::equal(expected, expected + 4, grad.shape)) {
    raise<ShapeError>("[", op, "] expected grad of shape ", shape_text(expected, 4), ", got ",
                      grad.shape_text());
  }
}

// Part number k of a contiguous array, seen as a matrix (rows, cols), or transposed.
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

Array transposed(Array m) {
  std::swap(m.shape[0], m.shape[1]);
  std::swap(m.strides[0], m.strides[1]);
  m.update();
  return m;
}

void multiply(const Array& a, const Array& b, Array out, bool accumulate) {
  kernels<MatmulTable>().matmul(a, b, out, accumulate, MatmulPath::kAutomatic);
}

Array make_columns(const Geometry& g, DType dtype) {
  const int64_t sizes[] = {g.patches.rows(), g.patches.cols()};
  return Array::empty(sizes, 2, dtype);
}

// The columns of group k (counted over all images): `room` filled, or the image itself.
Array columns_of(const Array& x, int64_t k, const Geometry& g, const Array& room) {
  const Patches& p = g.patches;
  if (g.is_plain) return matrix(x, k, p.rows(), p.cols());
  const int64_t size = p.channels * p.h.size * p.w.size * x.itemsize();
  kernels<ConvTable>().im2col(p, x.dtype, x.bytes() + k * size, room.bytes());
  return room;
}

void fill_with_bias(const Array& bias, Array& out) {  // bias (O) over out (N, O, OH, OW)
  Array spread = bias;
  spread.ndim = 4;
  std::copy_n(out.shape, 4, spread.shape);
  for (const int i : {0, 2, 3}) spread.strides[i] = 0;
  spread.strides[1] = bias.strides[0];
  spread.update();
  copy_elements(out, spread);
}

}  // namespace

Array conv2d(const Array& x, const Array& weight, const Array* bias, const ConvOptions& options) {
  check_types(x, weight, "conv2d");
  const Geometry g = geometry(dims_of(x), dims_of(weight), options, "conv2d");
  const int64_t sizes[] = {g.images, weight.shape[0], g.patches.h.out, g.patches.w.out};
  if (bias != nullptr) {
    check_types(x, *bias, "conv2d");
    if (bias->ndim != 1 || bias->shape[0] != weight.shape[0]) {
      raise<ShapeError>("[conv2d] bias ", bias->shape_text(), " does not match weight ",
                        weight.shape_text(), ": expected (", weight.shape[0], ",)");
    }
  }
  Array out = Array::empty(sizes, 4, x.dtype, "conv2d");
  const Array input = contiguous(x), weights = contiguous(weight);
  if (winograd_conv2d(g, input, weights, bias, out)) return out;
  if (bias != nullptr) fill_with_bias(*bias, out);
  const int64_t rows = g.patches.rows(), cols = g.patches.cols();
  parallel_for(g.images, 1, [&](int64_t begin, int64_t end) {
    const Array room = make_columns(g, x.dtype);
    for (int64_t k = begin * g.groups; k < end * g.groups; ++k) {
      multiply(matrix(weights, k % g.groups, g.out_channels, rows), columns_of(input, k, g, room),
               matrix(out, k, g.out_channels, cols), bias != nullptr);
    }
  });
  return out;
}

Array conv2d_backward_input(const Array& grad, const Array& weight, const Dims& input_shape,
                            const ConvOptions& options) {
  const char* op = "conv2d_backward_input";
  check_types(grad, weight, op);
  const Geometry g = geometry(input_shape, dims_of(weight), options, op);
  check_grad(grad, g, op);
  const Patches& p = g.patches;
  Array dx = Array::empty(input_shape, grad.dtype);
  const Array upstream = contiguous(grad), weights = contiguous(weight);
  if (winograd_backward_input(g, upstream, weights, dx)) return dx;
  fill_elements(dx, Scalar::of(0.0), op);
  const int64_t size = p.channels * p.h.size * p.w.size * dx.itemsize();
  parallel_for(g.images, 1, [&](int64_t begin, int64_t end) {
    const Array columns = make_columns(g, grad.dtype);
    for (int64_t k = begin * g.groups; k < end * g.groups; ++k) {
      multiply(transposed(matrix(weights, k % g.groups, g.out_channels, p.rows())),
               matrix(upstream, k, g.out_channels, p.cols()), columns, false);
      kernels<ConvTable>().col2im(p, grad.dtype, columns.bytes(), dx.bytes() + k * size);
    }
  });
  return dx;
}

// The images are cut into at most kParts parts, whatever the number of threads; each part has sums
// of its own, and these are added in order at the end.
Array conv2d_backward_weight(const Array& grad, const Array& x, const Dims& weight_shape,
                             const ConvOptions& options) {
  constexpr int64_t kParts = 8;
  const char* op = "conv2d_backward_weight";
  check_types(grad, x, op);
  const Geometry g = geometry(dims_of(x), weight_shape, options, op);
  check_grad(grad, g, op);
  const int64_t rows = g.patches.rows(), cols = g.patches.cols();
  Array total = Array::empty(weight_shape, grad.dtype);
  const Array upstream = contiguous(grad), input = contiguous(x);
  if (winograd_backward_weight(g, upstream, input, total)) return total;
  const int64_t parts = std::clamp<int64_t>(g.images, 1, kParts);
  Dims sizes;
  sizes.push(parts);
  for (const int64_t size : weight_shape) sizes.push(size);
  Array sums = full(sizes, Scalar::of(0.0), grad.dtype);
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    const Array room = make_columns(g, grad.dtype);
    for (int64_t part = begin; part < end; ++part) {
      const int64_t first = g.images * part / parts, last = g.images * (part + 1) / parts;
      for (int64_t k = first * g.groups; k < last * g.groups; ++k) {
        multiply(matrix(upstream, k, g.out_channels, cols),
                 transposed(columns_of(input, k, g, room)),
                 matrix(sums, part * g.groups + k % g.groups, g.out_channels, rows), true);
      }
    }
  });
  visit_floating(grad.dtype, op, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* part = sums.data<T>();
    T* out = total.data<T>();
    std::copy_n(part, total.numel, out);
    for (int64_t k = 1; k < parts; ++k) {
      for (int64_t i = 0; i < total.numel; ++i) out[i] += part[k * total.numel + i];
    }
  });
  return total;
}

}  // namespace norch
