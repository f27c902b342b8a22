// gelu, silu, and the backward of gelu, silu, tanh, sigmoid and relu.
#include <string>

#include "bindings/python.h"
#include "ops/activation.h"

namespace norch {
namespace {

using py::arg;

Activation gelu_kind(const std::string& approximate, const char* op) {
  if (approximate == "none") return Activation::kGelu;
  if (approximate == "tanh") return Activation::kGeluTanh;
  raise<Error>("[", op, "] approximate must be 'none' or 'tanh', got '", approximate, "'");
}

Array forward(Activation kind, const Operand& a) {
  const Array& x = a.as_array(name_of(kind));
  return without_gil(x.numel, [&] { return activation(kind, x); });
}

Array backward(Activation kind, const Operand& grad, const Operand& saved) {
  const char* op = backward_name_of(kind);
  const Array &g = grad.as_array(op), &x = saved.as_array(op);
  return without_gil(x.numel, [&] { return activation_backward(kind, g, x); });
}

template <Activation kind>
Array backward_of(PyObject* const* operands) {
  return backward(kind, operand_from(operands[0]), operand_from(operands[1]));
}

template <Activation kind>
void def_backward(py::module_& m, const char* saved, const char* doc) {
  m.def(
      backward_name_of(kind),
      [](const Operand& grad, const Operand& saved_) { return backward(kind, grad, saved_); }, doc,
      arg("grad"), arg(saved));
  add_shortcut<2, &backward_of<kind>>(backward_name_of(kind));
}

}  // namespace

void bind_activation(py::module_& m) {
  m.def(
      "gelu",
      [](const Operand& a, const std::string& approximate) {
        return forward(gelu_kind(approximate, "gelu"), a);
      },
      "a times the normal distribution at a; 'tanh' approximates it.", arg("a"),
      arg("approximate") = "none");
  m.def(
      "gelu_backward",
      [](const Operand& grad, const Operand& a, const std::string& approximate) {
        return backward(gelu_kind(approximate, "gelu_backward"), grad, a);
      },
      "grad times the slope of gelu at a.", arg("grad"), arg("a"), arg("approximate") = "none");
  m.def(
      "silu", [](const Operand& a) { return forward(Activation::kSilu, a); }, "a * sigmoid(a)",
      arg("a"));
  def_backward<Activation::kSilu>(m, "a", "grad times the slope of silu at a.");
  def_backward<Activation::kTanh>(m, "y", "grad * (1 - y * y), y being the tanh.");
  def_backward<Activation::kSigmoid>(m, "y", "grad * y * (1 - y), y being the sigmoid.");
  def_backward<Activation::kRelu>(m, "y", "grad where the relu y is not 0 (or NaN), else 0.");
}

}  // namespace norch
