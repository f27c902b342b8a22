// The activations that are one kernel each, and the backward of those with a curve: rows for
// float32 and float64. Halves were cast at the door (ops/activation.cpp).
#pragma once

#include "core/isa.h"
#include "core/plan.h"

namespace norch {
enum class Activation { kGelu, kGeluTanh, kSilu, kTanh, kSigmoid, kRelu };
inline constexpr int kNumActivations = 6;

struct ActivationRows {
  RowFn forward[kNumActivations];   // out, x; empty where kernels/unary.cpp has it
  RowFn backward[kNumActivations];  // out, grad, x; the result y instead of x from kTanh on
};

struct ActivationTable {
  ActivationRows float32, float64;
};
}  // namespace norch
