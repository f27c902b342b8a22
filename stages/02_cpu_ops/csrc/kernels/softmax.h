// softmax, its logarithm, and the cross-entropy on top of it, each in one sweep over a row. Shapes,
// dtypes (float32 or float64, all the same) and targets were checked in ops/softmax.cpp.
#pragma once

#include "core/array.h"
#include "core/isa.h"

namespace norch {
struct SoftmaxTable {
  // out[..., i, ...] = exp(a[..., i, ...]) / sum over dim, or the logarithm of that; out contiguous
  void (*softmax)(const Array& a, int dim, Array& out);
  void (*log_softmax)(const Array& a, int dim, Array& out);
  // y = softmax(a): out = y (grad - sum over dim of grad y)
  void (*softmax_backward)(const Array& grad, const Array& y, int dim, Array& out);
  // y = log_softmax(a): out = grad - exp(y) sum over dim of grad
  void (*log_softmax_backward)(const Array& grad, const Array& y, int dim, Array& out);
  // out = log sum over dim of exp(a); out is contiguous and has the other dims of a
  void (*logsumexp)(const Array& a, int dim, Array& out);
  // logits (N, C), target (N) -> losses (N) = lse - logits[i, target[i]] and lse (N), contiguous;
  // a target equal to ignore_index has loss 0
  void (*cross_entropy)(const Array& logits, const int64_t* target, int64_t ignore_index,
                        Array& losses, Array& lse);
  // out (N, C) = grad[i] (softmax(logits)[i] - one_hot(target[i])), 0 for ignored rows
  void (*cross_entropy_backward)(const Array& grad, const Array& logits, const Array& lse,
                                 const int64_t* target, int64_t ignore_index, Array& out);
};
}  // namespace norch
