// Checks and allocation for layer_norm, rms_norm, batch_norm, group_norm and their backward. Inputs
// whose rows or planes have no gaps are used where they lie; others are made contiguous first.
#include "ops/norm.h"

#include <limits>

#include "kernels/batch_norm.h"
#include "kernels/norm.h"
#include "ops/copy.h"

namespace norch {
namespace {
// Refuses a `what` that does not fit x, whose channels are its dim `dim`.
void check_like_channels(const Array& x, int dim, const Array* a, const char* what,
                         const char* op) {
  if (a == nullptr) return;
  if (a->ndim != 1 || a->shape[0] != x.shape[dim]) {
    raise<ShapeError>("[", op, "] ", what, " ", a->shape_text(), " does not match x ",
                      x.shape_text(), ": expected (", x.shape[dim], ",)");
  }
  if (a->dtype != x.dtype) {
    raise<DTypeError>("[", op, "] x is ", name_of(x.dtype), " but ", what, " is ",
                      name_of(a->dtype));
  }
}

// Refuses an x that layer_norm and rms_norm have no rows of.
void check_rows(const Array& x, const char* op) {
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

// How many rows x has, for the doors of layer_norm and rms_norm.
int64_t count_rows(const Array& x) {
  int64_t rows = 1;
  for (int i = 0; i < x.ndim - 1; ++i) rows *= x.shape[i];
  return rows;
}

// Rows of nothing have, as in PyTorch, mean 0 and the rstd NaN; no gradient comes from them.
Array full_of(const Dims& sizes, double value, DType dtype) {
  return full(sizes, Scalar::of(value), dtype);
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The shape of weight and bias that the door expects for rows.
Dims channels_of(const Array& x) { return {x.shape[x.ndim - 1]}; }

// Refuses a grad that does not fit x, or an `a` (mean or rstd) that does not fit its rows.
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

// Whether the door may pass x on without a copy: its rows lie one `step` after the other, each
// without gaps, as those of x[:, 0] do.
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

// Door of layer_norm: checks, allocates, then the kernel.
LayerNorm layer_norm(const Array& x, const Array* weight, const Array* bias, double eps) {
  check_rows(x, "layer_norm");
  check_like_channels(x, x.ndim - 1, weight, "weight", "layer_norm");
  check_like_channels(x, x.ndim - 1, bias, "bias", "layer_norm");
  if (x.numel == 0) {
    return {Array::empty_like(x, x.dtype), full_of(rows_of(x), 0, x.dtype),
            full_of(rows_of(x), kNaN, x.dtype)};
  }
  const Optional w(weight), b(bias);
  LayerNorm result{Array::empty_like(x, x.dtype), Array::empty(rows_of(x), x.dtype),
                   Array::empty(rows_of(x), x.dtype)};
  kernels<NormTable>().layer_norm(as_rows(x), w.get, b.get, eps, result.out, result.mean,
                                  result.rstd);
  return result;
}

// Door of layer_norm_backward: checks, allocates, then the kernel.
LayerNormGradients layer_norm_backward(const Array& grad, const Array& x, const Array& mean,
                                       const Array& rstd, const Array* weight) {
  const char* op = "layer_norm_backward";
  check_rows(x, op);
  check_like_channels(x, x.ndim - 1, weight, "weight", op);
  check_like_rows(grad, x, mean, "mean", op);
  check_like_rows(grad, x, rstd, "rstd", op);
  const Dims channels = channels_of(x);
  if (x.numel == 0) {
    return {Array::empty_like(x, x.dtype), full_of(channels, 0, x.dtype),
            full_of(channels, 0, x.dtype)};
  }
  const Optional w(weight);
  LayerNormGradients result{Array::empty_like(x, x.dtype), Array::empty(channels, x.dtype),
                            Array::empty(channels, x.dtype)};
  kernels<NormTable>().layer_norm_backward(as_rows(grad), as_rows(x), contiguous(mean),
                                           contiguous(rstd), w.get, result.dx, result.dweight,
                                           result.dbias);
  return result;
}

// Door of rms_norm: checks, allocates, then the kernel.
RmsNorm rms_norm(const Array& x, const Array* weight, double eps) {
  check_rows(x, "rms_norm");
  check_like_channels(x, x.ndim - 1, weight, "weight", "rms_norm");
  if (x.numel == 0) return {Array::empty_like(x, x.dtype), full_of(rows_of(x), kNaN, x.dtype)};
  const Optional w(weight);
  RmsNorm result{Array::empty_like(x, x.dtype), Array::empty(rows_of(x), x.dtype)};
  kernels<NormTable>().rms_norm(as_rows(x), w.get, eps, result.out, result.rstd);
  return result;
}

// Door of rms_norm_backward: checks, allocates, then the kernel.
RmsNormGradients rms_norm_backward(const Array& grad, const Array& x, const Array& rstd,
                                   const Array* weight) {
  const char* op = "rms_norm_backward";
  check_rows(x, op);
  check_like_channels(x, x.ndim - 1, weight, "weight", op);
  check_like_rows(grad, x, rstd, "rstd", op);
  const Dims channels = channels_of(x);
  if (x.numel == 0) return {Array::empty_like(x, x.dtype), full_of(channels, 0, x.dtype)};
  const Optional w(weight);
  RmsNormGradients result{Array::empty_like(x, x.dtype), Array::empty(channels, x.dtype)};
  kernels<NormTable>().rms_norm_backward(as_rows(grad), as_rows(x), contiguous(rstd), w.get,
                                         result.dx, result.dweight);
  return result;
}

namespace {
// Refuses an x that batch_norm and group_norm have no channels of.
void check_channels(const Array& x, const char* op) {
  if (x.dtype != DType::kFloat32 && x.dtype != DType::kFloat64) {
    raise<DTypeError>("[", op, "] expected x of float32 or float64, got ", name_of(x.dtype));
  }
  if (x.ndim < 2) {
    raise<ShapeError>("[", op, "] x ", x.shape_text(), " has no channels: expected (N, C, ...)");
  }
}

// Refuses a gradient that has not x's shape and dtype.
void check_alike(const Array& grad, const Array& x, const char* op) {
  if (!grad.same_shape(x)) {
    raise<ShapeError>("[", op, "] grad ", grad.shape_text(), " must have the shape of x ",
                      x.shape_text());
  }
  if (grad.dtype != x.dtype) {
    raise<DTypeError>("[", op, "] grad is ", name_of(grad.dtype), " but x ", name_of(x.dtype));
  }
}

// Whether the door may pass x on without a copy: the elements of each channel lie without gaps.
bool has_whole_planes(const Array& x) {
  int64_t step = 1;
  for (int i = x.ndim - 1; i >= 2; --i) {
    if (x.shape[i] != 1 && x.strides[i] != step) return false;
    step *= x.shape[i];
  }
  return true;
}

// x as the door hands it to the kernel: (N, C, ...) -> (N, C, S) with planes S without gaps.
Array as_planes(const Array& x) {
  Array view = has_whole_planes(x) ? x : contiguous(x);
  int64_t size = 1;
  for (int i = 2; i < x.ndim; ++i) size *= x.shape[i];
  view.ndim = 3;
  view.shape[2] = size;
  view.strides[2] = 1;
  view.update();
  return view;
}

// Refuses a number of groups that does not divide the channels.
void check_groups(const Array& x, int64_t groups, const char* op) {
  if (groups < 1 || x.shape[1] % groups != 0) {
    raise<ShapeError>("[", op, "] ", x.shape[1], " channels of x ", x.shape_text(), " do not make ",
                      groups, " groups");
  }
}

// The door allocates one number a channel.
Array channels_like(const Array& x) { return Array::empty(&x.shape[1], 1, x.dtype); }

// The door's result for an empty x: one number for every channel.
Array full_channels(const Array& x, double value) {
  Array out = channels_like(x);
  fill_elements(out, Scalar::of(value), "fill");
  return out;
}

// The door's result for an empty x: one number for every group of every sample.
Array full_groups(const Array& x, int64_t groups, double value) {
  return full({x.shape[0], groups}, Scalar::of(value), x.dtype);
}
}  // namespace

// Door of batch_norm: checks, allocates, then the kernel.
BatchNorm batch_norm(const Array& x, const Array* weight, const Array* bias, double eps) {
  const char* op = "batch_norm";
  check_channels(x, op);
  check_like_channels(x, 1, weight, "weight", op);
  check_like_channels(x, 1, bias, "bias", op);
  if (x.numel == 0) {
    return {Array::empty_like(x, x.dtype), full_channels(x, 0), full_channels(x, 0)};
  }
  const Optional w(weight), b(bias);
  BatchNorm result{Array::empty_like(x, x.dtype), channels_like(x), channels_like(x)};
  Array out = as_planes(result.out);
  kernels<BatchNormTable>().batch_norm(as_planes(x), w.get, b.get, eps, out, result.mean,
                                       result.var);
  return result;
}

// Door of batch_norm_eval: checks, allocates, then the kernel.
Array batch_norm_eval(const Array& x, const Array& mean, const Array& var, const Array* weight,
                      const Array* bias, double eps) {
  const char* op = "batch_norm_eval";
  check_channels(x, op);
  check_like_channels(x, 1, &mean, "mean", op);
  check_like_channels(x, 1, &var, "var", op);
  check_like_channels(x, 1, weight, "weight", op);
  check_like_channels(x, 1, bias, "bias", op);
  const Optional w(weight), b(bias);
  const Array result = Array::empty_like(x, x.dtype);
  Array out = as_planes(result);
  kernels<BatchNormTable>().batch_norm_eval(as_planes(x), contiguous(mean), contiguous(var), w.get,
                                            b.get, eps, out);
  return result;
}

// Door of batch_norm_backward: checks, allocates, then the kernel.
ChannelGradients batch_norm_backward(const Array& grad, const Array& x, const Array& mean,
                                     const Array& var, const Array* weight, double eps) {
  const char* op = "batch_norm_backward";
  check_channels(x, op);
  check_alike(grad, x, op);
  check_like_channels(x, 1, &mean, "mean", op);
  check_like_channels(x, 1, &var, "var", op);
  check_like_channels(x, 1, weight, "weight", op);
  if (x.numel == 0) {
    return {Array::empty_like(x, x.dtype), full_channels(x, 0), full_channels(x, 0)};
  }
  const Optional w(weight);
  ChannelGradients result{Array::empty_like(x, x.dtype), channels_like(x), channels_like(x)};
  Array dx = as_planes(result.dx);
  kernels<BatchNormTable>().batch_norm_backward(as_planes(grad), as_planes(x), contiguous(mean),
                                                contiguous(var), w.get, eps, dx, result.dweight,
                                                result.dbias);
  return result;
}

// Door of group_norm: checks, allocates, then the kernel.
GroupNorm group_norm(const Array& x, int64_t groups, const Array* weight, const Array* bias,
                     double eps) {
  const char* op = "group_norm";
  check_channels(x, op);
  check_groups(x, groups, op);
  check_like_channels(x, 1, weight, "weight", op);
  check_like_channels(x, 1, bias, "bias", op);
  if (x.numel == 0) {  // as in PyTorch
    return {Array::empty_like(x, x.dtype), full_groups(x, groups, 0), full_groups(x, groups, kNaN)};
  }
  const Optional w(weight), b(bias);
  const Dims sizes{x.shape[0], groups};
  GroupNorm result{Array::empty_like(x, x.dtype), Array::empty(sizes, x.dtype),
                   Array::empty(sizes, x.dtype)};
  Array out = as_planes(result.out);
  kernels<BatchNormTable>().group_norm(as_planes(x), groups, w.get, b.get, eps, out, result.mean,
                                       result.rstd);
  return result;
}

// Door of group_norm_backward: checks, allocates, then the kernel.
ChannelGradients group_norm_backward(const Array& grad, const Array& x, const Array& mean,
                                     const Array& rstd, int64_t groups, const Array* weight) {
  const char* op = "group_norm_backward";
  check_channels(x, op);
  check_groups(x, groups, op);
  check_alike(grad, x, op);
  check_like_channels(x, 1, weight, "weight", op);
  for (const Array* a : {&mean, &rstd}) {
    if (a->ndim != 2 || a->shape[0] != x.shape[0] || a->shape[1] != groups) {
      raise<ShapeError>("[", op, "] mean ", mean.shape_text(), " and rstd ", rstd.shape_text(),
                        " must be (", x.shape[0], ", ", groups, ")");
    }
    if (a->dtype != x.dtype) {
      raise<DTypeError>("[", op, "] mean and rstd must be ", name_of(x.dtype), " as x is");
    }
  }
  if (x.numel == 0) {  // as in PyTorch: dweight is a sum over samples of 0 times rstd, which is NaN
    return {Array::empty_like(x, x.dtype), full_channels(x, x.shape[0] == 0 ? 0 : kNaN),
            full_channels(x, 0)};
  }
  const Optional w(weight);
  ChannelGradients result{Array::empty_like(x, x.dtype), channels_like(x), channels_like(x)};
  Array dx = as_planes(result.dx);
  kernels<BatchNormTable>().group_norm_backward(as_planes(grad), as_planes(x), contiguous(mean),
                                                contiguous(rstd), groups, w.get, dx, result.dweight,
                                                result.dbias);
  return result;
}
}  // namespace norch
