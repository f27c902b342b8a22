// layer_norm and rms_norm over the last dim of rows (N, C), forward and backward. The elements of
// a row lie side by side; the rows of x and grad may lie apart, all other arrays are contiguous.
#pragma once

#include "core/array.h"
#include "core/isa.h"

namespace norch {
struct NormTable {
  // out = (x - mean) rstd weight + bias with mean, rstd (N); weight and bias (C) may be null
  void (*layer_norm)(const Array& x, const Array* weight, const Array* bias, double eps, Array& out,
                     Array& mean, Array& rstd);
  // grad, x, dx (N, C); mean, rstd (N); dweight, dbias (C); weight may be null
  void (*layer_norm_backward)(const Array& grad, const Array& x, const Array& mean,
                              const Array& rstd, const Array* weight, Array& dx, Array& dweight,
                              Array& dbias);
  // out = x rstd weight with rstd (N) = 1 / sqrt(mean of squares + eps); weight (C) may be null
  void (*rms_norm)(const Array& x, const Array* weight, double eps, Array& out, Array& rstd);
  // grad, x, dx (N, C); rstd (N); dweight (C); weight may be null
  void (*rms_norm_backward)(const Array& grad, const Array& x, const Array& rstd,
                            const Array* weight, Array& dx, Array& dweight);
};
}  // namespace norch
