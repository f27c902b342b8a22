// Doors of the activations that are one kernel, and of their backward.
#pragma once

#include "core/array.h"
#include "kernels/activation.h"

namespace norch {
Array activation(Activation kind, const Array& a);
// grad times the slope; `saved` is the input, or from Activation::kTanh on the result.
Array activation_backward(Activation kind, const Array& grad, const Array& saved);

const char* name_of(Activation kind);
const char* backward_name_of(Activation kind);
}  // namespace norch
