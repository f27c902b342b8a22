// Doors of the normalisations of channels: x is (N, C, ...), weight and bias (C) may be null.
#pragma once

#include <cstdint>

#include "core/array.h"

namespace norch {

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
