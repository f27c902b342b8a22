// layer_norm over the last dim of contiguous rows (N, C), forward and backward, one sweep a row.
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
};

}  // namespace norch
