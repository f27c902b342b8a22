// batch_norm over the channels of (N, C, S) and group_norm over groups of channels of each sample.
// Shapes and dtypes (float32 or float64, all the same) were checked in ops/norm.cpp. Inputs
// have planes (the last dim) without gaps and any other strides; results are contiguous; weight and
// bias (C) are contiguous or null.
#pragma once

#include "core/array.h"
#include "core/isa.h"

namespace norch {
struct BatchNormTable {
  // out = (x - mean) rstd weight + bias with mean and biased var (C), rstd = 1 / sqrt(var + eps)
  void (*batch_norm)(const Array& x, const Array* weight, const Array* bias, double eps, Array& out,
                     Array& mean, Array& var);
  void (*batch_norm_backward)(const Array& grad, const Array& x, const Array& mean,
                              const Array& var, const Array* weight, double eps, Array& dx,
                              Array& dweight, Array& dbias);
  // the same formula with mean and var (C) given
  void (*batch_norm_eval)(const Array& x, const Array& mean, const Array& var, const Array* weight,
                          const Array* bias, double eps, Array& out);
  // mean and rstd (N, G) of the elements of each group
  void (*group_norm)(const Array& x, int64_t groups, const Array* weight, const Array* bias,
                     double eps, Array& out, Array& mean, Array& rstd);
  void (*group_norm_backward)(const Array& grad, const Array& x, const Array& mean,
                              const Array& rstd, int64_t groups, const Array* weight, Array& dx,
                              Array& dweight, Array& dbias);
};
}  // namespace norch
