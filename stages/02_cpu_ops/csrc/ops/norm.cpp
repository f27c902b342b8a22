// Checks and allocation for layer_norm and its backward.
#include "ops/norm.h"

#include "kernels/norm.h"
#include "ops/copy.h"

namespace norch {
namespace {

void check_input(const Array& x, const char* op) {
  if (x.dtype != DType::kFloat32 && x.dtype != DType::kFloat64) {
    raise<TypeError>("[", op, "] expected x of float32 or float64, got ", name_of(x.dtype));
  }
  if (x.ndim == 0 || x.shape[x.ndim - 1] == 0) {
    raise<ShapeError>("[", op, "] x ", x.shape_text(),
                      " has no elements in its last dim to average over");
  }
}

void check_like_channels(const Array& x, const Array* a, const char* what, const char* op) {
  if (a == nullptr) return;
  const int64_t channels = x.shape[x.ndim - 1];
  if (a->ndim != 1 || a->shape[0] != channels) {
    raise<ShapeError>("[", op, "] ", what, " ", a->shape_text(), " does not match x ",
                      x.shape_text(), ": expected (", channels, ",)");
  }
  if (a->dtype != x.dtype) {
    raise<TypeError>("[", op, "] x is ", name_of(x.dtype), " but ", what, " is ",
                     name_of(a->dtype));
  }
}

Dims rows_of(const Array& x) {  // the shape without the last dim
  Dims sizes;
  for (int i = 0; i < x.ndim - 1; ++i) sizes.push(x.shape[i]);
  return sizes;
}

Array as_rows(const Array& x) {  // (..., C) -> (N, C), contiguous
  Dims sizes;
  sizes.push(x.numel / x.shape[x.ndim - 1]);
  sizes.push(x.shape[x.ndim - 1]);
  return contiguous(x).reshaped(sizes);
}

// `a` contiguous, or null where it was not given.
struct Optional {
  Array array;
  const Array* get = nullptr;
  explicit Optional(const Array* a) {
    if (a == nullptr) return;
    array = contiguous(*a);
    get = &array;
  }
  Optional(const Optional&) = delete;
};

}  // namespace

LayerNorm layer_norm(const Array& x, const Array* weight, const Array* bias, double eps) {
  check_input(x, "layer_norm");
  check_like_channels(x, weight, "weight", "layer_norm");
  check_like_channels(x, bias, "bias", "layer_norm");
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
  check_like_channels(x, weight, "weight", op);
  const Dims rows = rows_of(x);
  for (const Array* a : {&mean, &rstd}) {
    if (!grad.same_shape(x) || a->numel != x.numel / x.shape[x.ndim - 1]) {
      raise<ShapeError>("[", op, "] x ", x.shape_text(), " needs a grad of its shape and mean and ",
                        "rstd ", shape_text(rows.v, rows.n), ", got ", grad.shape_text(), ", ",
                        mean.shape_text(), " and ", rstd.shape_text());
    }
    if (grad.dtype != x.dtype || a->dtype != x.dtype) {
      raise<TypeError>("[", op, "] grad, mean and rstd must be ", name_of(x.dtype), " as x is");
    }
  }
  const Optional w(weight);
  const int64_t channels = x.shape[x.ndim - 1];
  LayerNormGradients result{Array::empty_like(x, x.dtype), Array::empty(&channels, 1, x.dtype),
                            Array::empty(&channels, 1, x.dtype)};
  kernels<NormTable>().layer_norm_backward(as_rows(grad), as_rows(x), contiguous(mean),
                                           contiguous(rstd), w.get, result.dx, result.dweight,
                                           result.dbias);
  return result;
}

}  // namespace norch
