// Checks, views and allocation for the matrix products.
#include "ops/matmul.h"

#include "more/kernels/quantized.h"
#include "ops/copy.h"
#include "ops/lessons.h"

#include <algorithm>
#include <cstring>

namespace norch {
namespace {
// Refuses products of different dtypes, or of those without a kernel.
void check_dtypes(const Array& a, const Array& b, const char* op) {
  if (a.dtype != b.dtype) {
    raise<Error>("[", op, "] dtypes ", name_of(a.dtype), " and ", name_of(b.dtype),
                 " differ: cast one of them first");
  }
  if (a.dtype == DType::kBool) {
    raise<DTypeError>("[", op, "] has no kernel for bool: cast to int64, to count, first");
  }
  if (a.dtype == DType::kInt8) {
    raise<DTypeError>("[", op, "] has no kernel for int8: cast to int32, where sums fit, first");
  }
}

// The same storage under another shape and strides.
Array with_layout(const Array& a, const Dims& sizes, const Dims& steps) {
  Array view = a;
  view.ndim = sizes.n;
  std::copy(sizes.begin(), sizes.end(), view.shape);
  std::copy(steps.begin(), steps.end(), view.strides);
  view.update();
  return view;
}

// A vector on the left is one row, a vector on the right one column.
Array as_matrix(const Array& a, bool left) {
  if (a.ndim > 1) return a;
  const int64_t size = a.shape[0], step = a.strides[0];
  return left ? with_layout(a, {1, size}, {0, step}) : with_layout(a, {size, 1}, {step, 0});
}

// Whether two arrays of matrices have one batch shape.
bool same_batch(const Array& a, const Array& b) {
  return a.ndim == b.ndim && std::equal(a.shape, a.shape + a.ndim - 2, b.shape);
}

// The rows of all batches as the rows of one matrix, when they lie at one stride in memory: a batch
// times a single matrix is then one product.  False leaves `a` as it was.
bool fold_batch(Array& a) {
  const int rows = a.ndim - 2;
  int64_t count = a.shape[rows], step = a.strides[rows];
  for (int i = rows - 1; i >= 0; --i) {
    if (a.shape[i] == 1) continue;
    if (count == 1)
      step = a.strides[i];
    else if (a.strides[i] != step * count)
      return false;
    count *= a.shape[i];
  }
  a = with_layout(a, {count, a.shape[rows + 1]}, {step, a.strides[rows + 1]});
  return true;
}

Dims result_shape(const Array& a, const Array& b) {  // the batch, m, n
  Dims sizes(a.shape, a.ndim - 1);
  sizes.push(b.shape[b.ndim - 1]);
  return sizes;
}

// The product by a lesson kernel if one was chosen, else by the matmul kernel.
void multiply(const Array& a, const Array& b, Array& out, bool accumulate, MatmulPath path) {
  if (path == MatmulPath::kAutomatic && lesson_multiplies(a, b, out, accumulate)) return;
  kernels<MatmulTable>().matmul(a, b, out, accumulate, path);
}
}  // namespace

// Matrices under the batch dims that stage 1 made.
Array with_batch(const Array& a, const Array& batch) {
  if (batch.ndim + 2 > kMaxDims) raise<ShapeError>("[matmul] more than ", kMaxDims, " dimensions");
  Dims sizes = dims_of(batch), steps(batch.strides, batch.ndim);
  for (int i = a.ndim - 2; i < a.ndim; ++i) {
    sizes.push(a.shape[i]);
    steps.push(a.strides[i]);
  }
  return with_layout(a, sizes, steps);
}

// Door of matmul: checks, vectors become matrices, then the kernel.
Array matmul(const Array& a, const Array& b, MatmulPath path, BroadcastBatches broadcast) {
  check_dtypes(a, b, "matmul");
  if (a.ndim == 0 || b.ndim == 0) {
    raise<ShapeError>("[matmul] shapes ", a.shape_text(), " and ", b.shape_text(),
                      ": both operands need at least one dimension; use mul for numbers");
  }
  Array left = as_matrix(a, true), right = as_matrix(b, false);
  const int64_t columns = left.shape[left.ndim - 1], rows = right.shape[right.ndim - 2];
  if (columns != rows) {
    raise<ShapeError>("[matmul] shapes ", a.shape_text(), " and ", b.shape_text(),
                      " do not match: ", columns, " columns against ", rows, " rows");
  }
  Dims sizes;
  if (left.ndim > 2 && right.ndim == 2 && left.numel > 0) {
    sizes = result_shape(left, right);
    if (!fold_batch(left)) broadcast(left, right);
  } else {
    if (!same_batch(left, right)) broadcast(left, right);
    sizes = result_shape(left, right);
  }
  Array out = Array::empty(result_shape(left, right), a.dtype);
  multiply(left, right, out, false, path);
  if (b.ndim == 1) --sizes.n;
  if (a.ndim == 1) {
    if (b.ndim > 1) sizes[sizes.n - 2] = sizes[sizes.n - 1];
    --sizes.n;
  }
  return out.reshaped(sizes);
}

namespace {
// Refuses x, weight and bias that do not belong together.
void check_linear(const Array& x, const Array& weight, const Array* bias) {
  check_dtypes(x, weight, "linear");
  if (x.ndim == 0 || weight.ndim != 2 || x.shape[x.ndim - 1] != weight.shape[1]) {
    raise<ShapeError>("[linear] x ", x.shape_text(), " and weight ", weight.shape_text(),
                      " do not match: expected x (..., in) and weight (out, in)");
  }
  if (bias == nullptr) return;
  check_dtypes(x, *bias, "linear");
  if (bias->ndim != 1 || bias->shape[0] != weight.shape[0]) {
    raise<ShapeError>("[linear] bias ", bias->shape_text(), " does not match weight ",
                      weight.shape_text(), ": expected (", weight.shape[0], ",)");
  }
}

// Every row of out becomes the bias, so that the product is added on top of it in one pass.
void fill_rows(const Array& bias, Array& out) {
  const int size = out.itemsize();
  const int64_t width = bias.shape[0];
  if (out.numel == 0) return;
  for (int64_t j = 0; j < width; ++j) {
    std::memcpy(out.bytes() + j * size, bias.bytes() + j * bias.strides[0] * size, size_t(size));
  }
  for (int64_t i = 1; i < out.numel / width; ++i) {
    std::memcpy(out.bytes() + i * width * size, out.bytes(), size_t(width * size));
  }
}
}  // namespace

// Door of linear: checks, then one product on top of the bias.
Array linear(const Array& x, const Array& weight, const Array* bias, BroadcastBatches broadcast) {
  check_linear(x, weight, bias);
  Dims sizes(x.shape, x.ndim - 1);
  sizes.push(weight.shape[0]);
  Array left = as_matrix(x, true), right = transposed(weight);
  if (left.ndim > 2 && !(left.numel > 0 && fold_batch(left))) broadcast(left, right);
  Array out = Array::empty(result_shape(left, right), x.dtype);
  if (bias != nullptr) fill_rows(*bias, out);
  multiply(left, right, out, bias != nullptr, MatmulPath::kAutomatic);
  return out.reshaped(sizes);
}

namespace {
// Refuses operands that linear_int8 cannot take.
void check_int8(const Array& x, const Array& weight, const Array& scale, const Array* bias) {
  if (weight.dtype != DType::kInt8 || x.dtype != DType::kFloat32 ||
      scale.dtype != DType::kFloat32 || (bias != nullptr && bias->dtype != DType::kFloat32)) {
    raise<DTypeError>("[linear_int8] expected a weight of int8, x, scale and bias of float32, got ",
                      name_of(weight.dtype), ", ", name_of(x.dtype), ", ", name_of(scale.dtype),
                      ", ", bias == nullptr ? "no bias" : name_of(bias->dtype));
  }
  if (x.ndim == 0 || weight.ndim != 2 || x.shape[x.ndim - 1] != weight.shape[1]) {
    raise<ShapeError>("[linear_int8] x ", x.shape_text(), " and weight ", weight.shape_text(),
                      " do not match: expected x (..., in) and weight (out, in)");
  }
  for (const Array* a : {&scale, bias}) {
    if (a == nullptr || (a->ndim == 1 && a->shape[0] == weight.shape[0])) continue;
    raise<ShapeError>("[linear_int8] ", a == bias ? "bias " : "scale ", a->shape_text(),
                      " does not match weight ", weight.shape_text(), ": expected (",
                      weight.shape[0], ",)");
  }
  if (weight.shape[1] > kMostInt8Columns) {
    raise<ShapeError>("[linear_int8] sums of ", weight.shape[1],
                      " products do not fit into int32: ", "at most ", kMostInt8Columns,
                      " columns");
  }
}
}  // namespace

// Door of linear_int8, beside matmul's and linear's: checks, allocates, then the kernel of more.
Array linear_int8(const Array& x, const Array& weight, const Array& scale, const Array* bias) {
  check_int8(x, weight, scale, bias);
  Dims sizes(x.shape, x.ndim - 1);
  sizes.push(weight.shape[0]);
  Array out = Array::empty(sizes, DType::kFloat32);
  const int64_t n = weight.shape[0], k = weight.shape[1];
  if (out.numel == 0) return out;
  const Array rows = contiguous(x), columns = contiguous(weight), scales = contiguous(scale);
  const Array added = bias == nullptr ? Array() : contiguous(*bias);
  kernels<QuantizedTable>().linear_int8(
      {rows.data<float>(), columns.data<int8_t>(), scales.data<float>(),
       bias == nullptr ? nullptr : added.data<float>(), out.data<float>(), out.numel / n, n, k});
  return out;
}
}  // namespace norch
