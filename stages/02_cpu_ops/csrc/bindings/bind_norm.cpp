// layer_norm and its backward.
#include "bindings/python.h"
#include "ops/norm.h"

namespace norch {
namespace {

const Array* array_or_null(const Operand& operand, const char* op) {
  return operand.object == Py_None ? nullptr : &operand.as_array(op);
}

py::tuple forward(const Operand& input, const Operand& scale, const Operand& shift, double eps) {
  const Array& x = input.as_array("layer_norm");
  const Array* weight = array_or_null(scale, "layer_norm");
  const Array* bias = array_or_null(shift, "layer_norm");
  LayerNorm r = without_gil(x.numel, [&] { return layer_norm(x, weight, bias, eps); });
  return py::make_tuple(std::move(r.out), std::move(r.mean), std::move(r.rstd));
}

py::tuple backward(const Operand& grad, const Operand& input, const Operand& mean,
                   const Operand& rstd, const Operand& scale) {
  const char* op = "layer_norm_backward";
  const Array &g = grad.as_array(op), &x = input.as_array(op);
  const Array &m = mean.as_array(op), &s = rstd.as_array(op);
  const Array* weight = array_or_null(scale, op);
  LayerNormGradients r =
      without_gil(x.numel, [&] { return layer_norm_backward(g, x, m, s, weight); });
  return py::make_tuple(std::move(r.dx), std::move(r.dweight), std::move(r.dbias));
}

}  // namespace

void bind_norm(py::module_& m) {
  using py::arg;
  m.def("layer_norm", &forward,
        "(x - mean) / sqrt(variance + eps) * weight + bias over the last dim; also mean and rstd.",
        arg("x"), arg("weight") = py::none(), arg("bias") = py::none(), arg("eps") = 1e-5);
  m.def("layer_norm_backward", &backward, "The gradients of layer_norm: (dx, dweight, dbias).",
        arg("grad"), arg("x"), arg("mean"), arg("rstd"), arg("weight") = py::none());
}

}  // namespace norch
