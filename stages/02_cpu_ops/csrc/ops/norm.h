// Doors of the normalisations of rows.
#pragma once

#include "core/array.h"

namespace norch {

struct LayerNorm {
  Array out, mean, rstd;  // (..., C), (...), (...): the last two are what backward needs
};

// Over the last dim of x (..., C); weight and bias (C) may be null.
LayerNorm layer_norm(const Array& x, const Array* weight, const Array* bias, double eps);

struct LayerNormGradients {
  Array dx, dweight, dbias;  // (..., C), (C), (C)
};

LayerNormGradients layer_norm_backward(const Array& grad, const Array& x, const Array& mean,
                                       const Array& rstd, const Array* weight);

struct RmsNorm {
  Array out, rstd;  // (..., C), (...)
};

RmsNorm rms_norm(const Array& x, const Array* weight, double eps);

struct RmsNormGradients {
  Array dx, dweight;
};

RmsNormGradients rms_norm_backward(const Array& grad, const Array& x, const Array& rstd,
                                   const Array* weight);

}  // namespace norch
