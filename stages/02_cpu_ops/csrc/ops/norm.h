// Doors of the normalisations: of rows (the last dim of x), and of channels, where x is (N, C, ...)
// and weight and bias (C) may be null.
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

struct BatchNorm {
  Array out, mean, var;  // like x, (C), (C); var is the biased one
};

BatchNorm batch_norm(const Array& x, const Array* weight, const Array* bias, double eps);
// The same with statistics (C) that are given.
Array batch_norm_eval(const Array& x, const Array& mean, const Array& var, const Array* weight,
                      const Array* bias, double eps);

struct ChannelGradients {
  Array dx, dweight, dbias;  // like x, (C), (C)
};

ChannelGradients batch_norm_backward(const Array& grad, const Array& x, const Array& mean,
                                     const Array& var, const Array* weight, double eps);

struct GroupNorm {
  Array out, mean, rstd;  // like x, (N, G), (N, G)
};

GroupNorm group_norm(const Array& x, int64_t groups, const Array* weight, const Array* bias,
                     double eps);
ChannelGradients group_norm_backward(const Array& grad, const Array& x, const Array& mean,
                                     const Array& rstd, int64_t groups, const Array* weight);
}  // namespace norch
