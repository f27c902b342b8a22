// gelu, silu, and the backward of gelu, silu, tanh, sigmoid and relu.
#include "bindings/operation.h"
#include "ops/activation.h"

namespace norch {
namespace {
// Which gelu the argument `approximate` of the Python call names.
Activation gelu_kind(const std::string& approximate, const char* op) {
  if (approximate == "none") return Activation::kGelu;
  if (approximate == "tanh") return Activation::kGeluTanh;
  raise<Error>("[", op, "] approximate must be 'none' or 'tanh', got '", approximate, "'");
}

// The binding that Python calls as gelu.
Array gelu(const Array& a, const std::string& approximate) {
  return activation(gelu_kind(approximate, "gelu"), a);
}

// The binding that Python calls as gelu_backward.
Array gelu_backward(const Array& grad, const Array& a, const std::string& approximate) {
  return activation_backward(gelu_kind(approximate, "gelu_backward"), grad, a);
}

// The binding that Python calls as silu.
Array silu(const Array& a) { return activation(Activation::kSilu, a); }

// The binding that Python calls as silu_backward, tanh_backward and the like.
template <Activation kind>
Array backward(const Array& grad, const Array& saved) {
  return activation_backward(kind, grad, saved);
}
}  // namespace

// The activations, as rows that become Python functions.
Table activation_table() {
  static const Operation rows[] = {
      {"gelu(a, approximate='none')", &gelu,
       "a times the normal distribution at a; 'tanh' approximates it."},
      {"gelu_backward(grad, a, approximate='none')", &gelu_backward,
       "grad times the slope of gelu at a."},
      {"silu(a)", &silu, "a * sigmoid(a)"},
      {"silu_backward(grad, a)", &backward<Activation::kSilu>,
       "grad times the slope of silu at a."},
      {"tanh_backward(grad, y)", &backward<Activation::kTanh>,
       "grad * (1 - y * y), y being the tanh."},
      {"sigmoid_backward(grad, y)", &backward<Activation::kSigmoid>,
       "grad * y * (1 - y), y being the sigmoid."},
      {"relu_backward(grad, y)", &backward<Activation::kRelu>,
       "grad where the relu y is not 0 (or NaN), else 0."},
  };
  return rows;
}
}  // namespace norch
