// Scaled dot-product attention, forward and backward, block by block. Shapes and dtypes (float32 or
// float64, all the same but a bool mask) were checked in ops/attention.cpp; batch dims are equal
// (strides of 0 allowed), the last dim of every array but the mask has unit stride.
#pragma once

#include "core/array.h"
#include "core/isa.h"

namespace norch {
struct AttentionInput {
  Array q, k, v;      // (..., L, E) (..., S, E) (..., S, Ev)
  const Array* mask;  // (..., L, S), bool (true: may look) or added to the scores; or null
  bool is_causal;     // query i looks at keys 0..i
  double scale;       // of the scores
};

struct AttentionTable {
  // out (..., L, Ev) = softmax(scale q k^T + mask) v and logsumexp (..., L) of the scores' rows
  void (*attention)(const AttentionInput& input, Array& out, Array& logsumexp);
  // dq, dk, dv shaped as q, k, v, without gaps in memory and filled with zeros
  void (*attention_backward)(const Array& grad, const AttentionInput& input, const Array& out,
                             const Array& logsumexp, Array& dq, Array& dk, Array& dv);
};
}  // namespace norch
