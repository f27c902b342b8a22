// Checks and allocation for layer_norm, rms_norm and their backward.
#include "ops/norm.h"

#include <limits>

#include "core/dtype_error.h"
#include "kernels/norm.h"
#include "ops/copy.h"
#include "ops/optional.h"

namespace norch {
namespace {

void check_input(const Array& x, const char* op) {
  if (x.dtype != DType::kFloat32 && x.dtype != DType::kFloat64) {
    raise<DTypeError>("[", op, "] expected x of float32 or float64, got ", name_of(x.dtype));
  }
  if (x.ndim == 0) {
    raise<ShapeError>("[", op, "] x () has no dim to average over: expected (..., C)");
  }
}

Dims rows_of(const Array& x) {  // the shape without the last dim
  return {x.shape, x.ndim - 1};
}

int64_t count_rows(const Array& x) {
  int64_t rows = 1;
  for (int i = 0; i < x.ndim - 1; ++i) rows *= x.shape[i];
  return rows;
}

// Rows of nothing have, as in PyTorch, mean 0 and the rstd NaN; no gradient comes from them.
Array filled(const Dims& sizes, double value, DType dtype) {
  return full(sizes, Scalar::of(value), dtype);
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Dims channels_of(const Array& x) { return {x.shape[x.ndim - 1]}; }

// grad belongs to x, and `a` (mean or rstd) to its rows.
void check_like_rows(const Array& grad, const Array& x, const Array& a, const char* what,
                     const char* op) {
  const Dims rows = rows_of(x);
  if (!grad.same_shape(x) || a.numel != count_rows(x)) {
    raise<ShapeError>("[", op, "] x ", x.shape_text(), " needs a grad of its shape and ", what, " ",
                      shape_text(rows.v, rows.n), ", got ", grad.shape_text(), " and ",
                      a.shape_text());
  }
  if (grad.dtype != x.dtype || a.dtype != x.dtype) {
    raise<DTypeError>("[", op, "] grad and ", what, " must be ", name_of(x.dtype), " as x is");
  }
}

// Whether the rows lie one `step` after the other, each without gaps, as those of x[:, 0] do.
bool has_even_rows(const Array& x, int64_t& step) {
  const int last = x.ndim - 1;
  if (x.strides[last] != 1 && x.shape[last] != 1) return false;
  int64_t rows = 1;
  step = x.shape[last];
  for (int i = last - 1; i >= 0; --i) {
    if (x.shape[i] == 1) continue;
    if (rows == 1) step = x.strides[i];
    if (x.strides[i] != step * rows) return false;
    rows *= x.shape[i];
  }
  return true;
}

Array as_rows(const Array& x) {  // (..., C) -> (N, C): a view where the rows are even, else a copy
  const Dims sizes{count_rows(x), x.shape[x.ndim - 1]};
  int64_t step = 0;
  if (!has_even_rows(x, step)) return contiguous(x).reshaped(sizes);
  return x.view(sizes, {step, 1}, x.offset);
}

}  // namespace

LayerNorm layer_norm(const Array& x, const Array* weight, const Array* bias, double eps) {
  check_input(x, "layer_norm");
  check_like_channels(x, x.ndim - 1, weight, "weight", "layer_norm");
  check_like_channels(x, x.ndim - 1, bias, "bias", "layer_norm");
  if (x.numel == 0) {
    return {Array::empty_like(x, x.dtype), filled(rows_of(x), 0, x.dtype),
            filled(rows_of(x), kNaN, x.dtype)};
  }
  const Optional w(weight), b(bias);
  LayerNorm result{Array::empty_like(x, x.dtype), Array::empty(rows_of(x), x.dtype),
                   Array::empty(rows_of(x), x.dtype)};
  kernels<NormTable>().layer_norm(as_rows(x), w.get, b.get, eps, result.out, result.mean,
                                  result.rstd);
  return result;
}

LayerNormGradients layer_norm_backward(const Array& grad, const Array& x, const Array& mean,
                                       const Array& rstd, const Array* weight) {
  const char* op = "layer_norm_backward";
  check_input(x, op);
  check_like_channels(x, x.ndim - 1, weight, "weight", op);
  check_like_rows(grad, x, mean, "mean", op);
  check_like_rows(grad, x, rstd, "rstd", op);
  const Dims channels = channels_of(x);
  if (x.numel == 0) {
    return {Array::empty_like(x, x.dtype), filled(channels, 0, x.dtype),
            filled(channels, 0, x.dtype)};
  }
  const Optional w(weight);
  LayerNormGradients result{Array::empty_like(x, x.dtype), Array::empty(channels, x.dtype),
                            Array::empty(channels, x.dtype)};
  kernels<NormTable>().layer_norm_backward(as_rows(grad), as_rows(x), contiguous(mean),
                                           contiguous(rstd), w.get, result.dx, result.dweight,
                                           result.dbias);
  return result;
}

RmsNorm rms_norm(const Array& x, const Array* weight, double eps) {
  check_input(x, "rms_norm");
  check_like_channels(x, x.ndim - 1, weight, "weight", "rms_norm");
  if (x.numel == 0) return {Array::empty_like(x, x.dtype), filled(rows_of(x), kNaN, x.dtype)};
  const Optional w(weight);
  RmsNorm result{Array::empty_like(x, x.dtype), Array::empty(rows_of(x), x.dtype)};
  kernels<NormTable>().rms_norm(as_rows(x), w.get, eps, result.out, result.rstd);
  return result;
}

RmsNormGradients rms_norm_backward(const Array& grad, const Array& x, const Array& rstd,
                                   const Array* weight) {
  const char* op = "rms_norm_backward";
  check_input(x, op);
  check_like_channels(x, x.ndim - 1, weight, "weight", op);
  check_like_rows(grad, x, rstd, "rstd", op);
  const Dims channels = channels_of(x);
  if (x.numel == 0) return {Array::empty_like(x, x.dtype), filled(channels, 0, x.dtype)};
  const Optional w(weight);
  RmsNormGradients result{Array::empty_like(x, x.dtype), Array::empty(channels, x.dtype)};
  kernels<NormTable>().rms_norm_backward(as_rows(grad), as_rows(x), contiguous(rstd), w.get,
                                         result.dx, result.dweight);
  return result;
}

}  // namespace norch
