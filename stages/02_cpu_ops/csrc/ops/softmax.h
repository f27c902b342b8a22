// Doors of the softmax family: dims, dtypes and targets are checked before anything is computed.
#pragma once

#include <utility>

#include "core/array.h"

namespace norch {
// exp(a) / sum of exp(a) along dim, and its logarithm; a floating array of any shape.
Array softmax(const Array& a, int64_t dim);
Array log_softmax(const Array& a, int64_t dim);

// The gradients of both, given the result y: grad and y alike.
Array softmax_backward(const Array& grad, const Array& y, int64_t dim);
Array log_softmax_backward(const Array& grad, const Array& y, int64_t dim);

// log(sum(exp(a))) over `dims`, which were normalised (stage 1) and are distinct.
Array logsumexp(const Array& a, const Dims& dims, bool keepdim);

// logits (N, C), target (N) int64 -> (losses (N), logsumexp (N)); no mean is taken.
std::pair<Array, Array> cross_entropy(const Array& logits, const Array& target,
                                      int64_t ignore_index);
// grad (N), logits (N, C), lse (N), target (N) -> d logits (N, C)
Array cross_entropy_backward(const Array& grad, const Array& logits, const Array& lse,
                             const Array& target, int64_t ignore_index);
}  // namespace norch
