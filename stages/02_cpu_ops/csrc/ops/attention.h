// Doors of scaled dot-product attention. The batch dims are made equal between the check and the
// work: that is stage 1's rule, so the bindings ask it.
#pragma once

#include <optional>

#include "core/array.h"

namespace norch {
// q (..., L, E), k (..., S, E), v (..., S, Ev), mask (bool or floating, or null); one floating
// dtype. Batch dims and the mask's shape are not looked at.
void check_attention(const Array& q, const Array& k, const Array& v, const Array* mask,
                     const char* op);

struct Attention {
  Array out, logsumexp;  // (..., L, Ev), in q's order of dims in memory; (..., L)
};
struct AttentionGradients {
  Array dq, dk, dv;  // without gaps, each in its array's order of dims in memory
};

// Checked arrays with equal batch dims; the mask spread over (..., L, S). The scale is
// 1 / sqrt(E) where none is given.
Attention attention(const Array& q, const Array& k, const Array& v, const Array* mask,
                    bool is_causal, std::optional<double> scale);
AttentionGradients attention_backward(const Array& grad, const Array& q, const Array& k,
                                      const Array& v, const Array& out, const Array& logsumexp,
                                      const Array* mask, bool is_causal,
                                      std::optional<double> scale);
}  // namespace norch
