// layer_norm, rms_norm, batch_norm, group_norm and their backward.
#include "bindings/python.h"
#include "ops/batch_norm.h"
#include "ops/norm.h"

namespace norch {
namespace {

const Array* array_or_null(const Operand& operand, const char* op) {
  return operand.object == Py_None ? nullptr : &operand.as_array(op);
}

py::tuple three(ChannelGradients&& r) {
  return py::make_tuple(std::move(r.dx), std::move(r.dweight), std::move(r.dbias));
}

py::tuple layer_forward(const Operand& input, const Operand& scale, const Operand& shift,
                        double eps) {
  const Array& x = input.as_array("layer_norm");
  const Array* weight = array_or_null(scale, "layer_norm");
  const Array* bias = array_or_null(shift, "layer_norm");
  LayerNorm r = without_gil(x.numel, [&] { return layer_norm(x, weight, bias, eps); });
  return py::make_tuple(std::move(r.out), std::move(r.mean), std::move(r.rstd));
}

py::tuple layer_backward(const Operand& grad, const Operand& input, const Operand& mean,
                         const Operand& rstd, const Operand& scale) {
  const char* op = "layer_norm_backward";
  const Array &g = grad.as_array(op), &x = input.as_array(op);
  const Array &m = mean.as_array(op), &s = rstd.as_array(op);
  const Array* weight = array_or_null(scale, op);
  LayerNormGradients r =
      without_gil(x.numel, [&] { return layer_norm_backward(g, x, m, s, weight); });
  return py::make_tuple(std::move(r.dx), std::move(r.dweight), std::move(r.dbias));
}

py::tuple rms_forward(const Operand& input, const Operand& scale, double eps) {
  const Array& x = input.as_array("rms_norm");
  const Array* weight = array_or_null(scale, "rms_norm");
  RmsNorm r = without_gil(x.numel, [&] { return rms_norm(x, weight, eps); });
  return py::make_tuple(std::move(r.out), std::move(r.rstd));
}

py::tuple rms_backward(const Operand& grad, const Operand& input, const Operand& rstd,
                       const Operand& scale) {
  const char* op = "rms_norm_backward";
  const Array &g = grad.as_array(op), &x = input.as_array(op), &s = rstd.as_array(op);
  const Array* weight = array_or_null(scale, op);
  RmsNormGradients r = without_gil(x.numel, [&] { return rms_norm_backward(g, x, s, weight); });
  return py::make_tuple(std::move(r.dx), std::move(r.dweight));
}

py::tuple batch_forward(const Operand& input, const Operand& scale, const Operand& shift,
                        double eps) {
  const char* op = "batch_norm";
  const Array& x = input.as_array(op);
  const Array *weight = array_or_null(scale, op), *bias = array_or_null(shift, op);
  BatchNorm r = without_gil(x.numel, [&] { return batch_norm(x, weight, bias, eps); });
  return py::make_tuple(std::move(r.out), std::move(r.mean), std::move(r.var));
}

Array batch_eval(const Operand& input, const Operand& mean, const Operand& var,
                 const Operand& scale, const Operand& shift, double eps) {
  const char* op = "batch_norm_eval";
  const Array &x = input.as_array(op), &m = mean.as_array(op), &v = var.as_array(op);
  const Array *weight = array_or_null(scale, op), *bias = array_or_null(shift, op);
  return without_gil(x.numel, [&] { return batch_norm_eval(x, m, v, weight, bias, eps); });
}

py::tuple batch_backward(const Operand& grad, const Operand& input, const Operand& mean,
                         const Operand& var, const Operand& scale, double eps) {
  const char* op = "batch_norm_backward";
  const Array &g = grad.as_array(op), &x = input.as_array(op);
  const Array &m = mean.as_array(op), &v = var.as_array(op);
  const Array* weight = array_or_null(scale, op);
  return three(without_gil(x.numel, [&] { return batch_norm_backward(g, x, m, v, weight, eps); }));
}

py::tuple group_forward(const Operand& input, int64_t groups, const Operand& scale,
                        const Operand& shift, double eps) {
  const char* op = "group_norm";
  const Array& x = input.as_array(op);
  const Array *weight = array_or_null(scale, op), *bias = array_or_null(shift, op);
  GroupNorm r = without_gil(x.numel, [&] { return group_norm(x, groups, weight, bias, eps); });
  return py::make_tuple(std::move(r.out), std::move(r.mean), std::move(r.rstd));
}

py::tuple group_backward(const Operand& grad, const Operand& input, const Operand& mean,
                         const Operand& rstd, int64_t groups, const Operand& scale) {
  const char* op = "group_norm_backward";
  const Array &g = grad.as_array(op), &x = input.as_array(op);
  const Array &m = mean.as_array(op), &s = rstd.as_array(op);
  const Array* weight = array_or_null(scale, op);
  return three(
      without_gil(x.numel, [&] { return group_norm_backward(g, x, m, s, groups, weight); }));
}

void bind_channels(py::module_& m) {
  using py::arg;
  m.def("batch_norm", &batch_forward,
        "(x - mean) / sqrt(var + eps) * weight + bias for each channel of x (N, C, ...); also mean "
        "and the biased var.",
        arg("x"), arg("weight") = py::none(), arg("bias") = py::none(), arg("eps") = 1e-5);
  m.def("batch_norm_eval", &batch_eval, "batch_norm with a mean and a var (C) that are given.",
        arg("x"), arg("mean"), arg("var"), arg("weight") = py::none(), arg("bias") = py::none(),
        arg("eps") = 1e-5);
  m.def("batch_norm_backward", &batch_backward,
        "The gradients of batch_norm: (dx, dweight, dbias).", arg("grad"), arg("x"), arg("mean"),
        arg("var"), arg("weight") = py::none(), arg("eps") = 1e-5);
  m.def("group_norm", &group_forward,
        "(x - mean) / sqrt(var + eps) over groups of channels of each sample of x (N, C, ...), "
        "times weight plus bias; also mean and rstd (N, G).",
        arg("x"), arg("num_groups"), arg("weight") = py::none(), arg("bias") = py::none(),
        arg("eps") = 1e-5);
  m.def("group_norm_backward", &group_backward,
        "The gradients of group_norm: (dx, dweight, dbias).", arg("grad"), arg("x"), arg("mean"),
        arg("rstd"), arg("num_groups"), arg("weight") = py::none());
}

}  // namespace

void bind_norm(py::module_& m) {
  using py::arg;
  m.def("layer_norm", &layer_forward,
        "(x - mean) / sqrt(variance + eps) * weight + bias over the last dim; also mean and rstd.",
        arg("x"), arg("weight") = py::none(), arg("bias") = py::none(), arg("eps") = 1e-5);
  m.def("layer_norm_backward", &layer_backward,
        "The gradients of layer_norm: (dx, dweight, dbias).", arg("grad"), arg("x"), arg("mean"),
        arg("rstd"), arg("weight") = py::none());
  m.def("rms_norm", &rms_forward,
        "x / sqrt(mean of squares + eps) * weight over the last dim; also 1 / that root.", arg("x"),
        arg("weight") = py::none(), arg("eps") = 1e-5);
  m.def("rms_norm_backward", &rms_backward, "The gradients of rms_norm: (dx, dweight).",
        arg("grad"), arg("x"), arg("rstd"), arg("weight") = py::none());
  bind_channels(m);
}

}  // namespace norch
