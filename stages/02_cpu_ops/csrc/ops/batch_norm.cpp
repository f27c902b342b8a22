// Checks and allocation for batch_norm and group_norm. Inputs whose planes have no gaps are used
// where they lie; others are made contiguous first.
#include "ops/batch_norm.h"

#include <limits>

#include "core/dtype_error.h"
#include "kernels/batch_norm.h"
#include "ops/copy.h"
#include "ops/optional.h"

namespace norch {
namespace {

void check_input(const Array& x, const char* op) {
  if (x.dtype != DType::kFloat32 && x.dtype != DType::kFloat64) {
    raise<DTypeError>("[", op, "] expected x of float32 or float64, got ", name_of(x.dtype));
  }
  if (x.ndim < 2) {
    raise<ShapeError>("[", op, "] x ", x.shape_text(), " has no channels: expected (N, C, ...)");
  }
}

void check_alike(const Array& grad, const Array& x, const char* op) {
  if (!grad.same_shape(x)) {
    raise<ShapeError>("[", op, "] grad ", grad.shape_text(), " must have the shape of x ",
                      x.shape_text());
  }
  if (grad.dtype != x.dtype) {
    raise<DTypeError>("[", op, "] grad is ", name_of(grad.dtype), " but x ", name_of(x.dtype));
  }
}

bool has_whole_planes(const Array& x) {
  int64_t step = 1;
  for (int i = x.ndim - 1; i >= 2; --i) {
    if (x.shape[i] != 1 && x.strides[i] != step) return false;
    step *= x.shape[i];
  }
  return true;
}

// (N, C, ...) -> (N, C, S) with planes S without gaps.
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

void check_groups(const Array& x, int64_t groups, const char* op) {
  if (groups < 1 || x.shape[1] % groups != 0) {
    raise<ShapeError>("[", op, "] ", x.shape[1], " channels of x ", x.shape_text(), " do not make ",
                      groups, " groups");
  }
}

Array channels_like(const Array& x) { return Array::empty(&x.shape[1], 1, x.dtype); }

Array filled_channels(const Array& x, double value) {
  Array out = channels_like(x);
  fill_elements(out, Scalar::of(value), "fill");
  return out;
}

Array filled_groups(const Array& x, int64_t groups, double value) {
  return full({x.shape[0], groups}, Scalar::of(value), x.dtype);
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

BatchNorm batch_norm(const Array& x, const Array* weight, const Array* bias, double eps) {
  const char* op = "batch_norm";
  check_input(x, op);
  check_like_channels(x, 1, weight, "weight", op);
  check_like_channels(x, 1, bias, "bias", op);
  if (x.numel == 0) {
    return {Array::empty_like(x, x.dtype), filled_channels(x, 0), filled_channels(x, 0)};
  }
  const Optional w(weight), b(bias);
  BatchNorm result{Array::empty_like(x, x.dtype), channels_like(x), channels_like(x)};
  Array out = as_planes(result.out);
  kernels<BatchNormTable>().batch_norm(as_planes(x), w.get, b.get, eps, out, result.mean,
                                       result.var);
  return result;
}

Array batch_norm_eval(const Array& x, const Array& mean, const Array& var, const Array* weight,
                      const Array* bias, double eps) {
  const char* op = "batch_norm_eval";
  check_input(x, op);
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

ChannelGradients batch_norm_backward(const Array& grad, const Array& x, const Array& mean,
                                     const Array& var, const Array* weight, double eps) {
  const char* op = "batch_norm_backward";
  check_input(x, op);
  check_alike(grad, x, op);
  check_like_channels(x, 1, &mean, "mean", op);
  check_like_channels(x, 1, &var, "var", op);
  check_like_channels(x, 1, weight, "weight", op);
  if (x.numel == 0) {
    return {Array::empty_like(x, x.dtype), filled_channels(x, 0), filled_channels(x, 0)};
  }
  const Optional w(weight);
  ChannelGradients result{Array::empty_like(x, x.dtype), channels_like(x), channels_like(x)};
  Array dx = as_planes(result.dx);
  kernels<BatchNormTable>().batch_norm_backward(as_planes(grad), as_planes(x), contiguous(mean),
                                                contiguous(var), w.get, eps, dx, result.dweight,
                                                result.dbias);
  return result;
}

GroupNorm group_norm(const Array& x, int64_t groups, const Array* weight, const Array* bias,
                     double eps) {
  const char* op = "group_norm";
  check_input(x, op);
  check_groups(x, groups, op);
  check_like_channels(x, 1, weight, "weight", op);
  check_like_channels(x, 1, bias, "bias", op);
  if (x.numel == 0) {  // as in PyTorch
    return {Array::empty_like(x, x.dtype), filled_groups(x, groups, 0),
            filled_groups(x, groups, kNaN)};
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

ChannelGradients group_norm_backward(const Array& grad, const Array& x, const Array& mean,
                                     const Array& rstd, int64_t groups, const Array* weight) {
  const char* op = "group_norm_backward";
  check_input(x, op);
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
    return {Array::empty_like(x, x.dtype), filled_channels(x, x.shape[0] == 0 ? 0 : kNaN),
            filled_channels(x, 0)};
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
