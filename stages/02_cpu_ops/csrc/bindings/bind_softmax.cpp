// softmax, log_softmax, logsumexp, cross_entropy and its backward.
#include "bindings/python.h"
#include "ops/reduce.h"
#include "ops/softmax.h"

namespace norch {
void bind_softmax(py::module_& m) {
  using py::arg;
  constexpr int64_t kExpCost = 8;  // an exp is worth several plain elements
  m.def(
      "softmax",
      [](const Operand& a_, int64_t dim) {
        const Array& a = a_.as_array("softmax");
        return without_gil(a.numel * kExpCost, [&] { return softmax(a, dim); });
      },
      "exp(a) / sum(exp(a)) along `dim`.", arg("a"), arg("dim"));
  m.def(
      "log_softmax",
      [](const Operand& a_, int64_t dim) {
        const Array& a = a_.as_array("log_softmax");
        return without_gil(a.numel * kExpCost, [&] { return log_softmax(a, dim); });
      },
      "log(softmax(a)) along `dim`.", arg("a"), arg("dim"));
  m.def(
      "softmax_backward",
      [](const Operand& grad_, const Operand& y_, int64_t dim) {
        const Array& grad = grad_.as_array("softmax_backward");
        const Array& y = y_.as_array("softmax_backward");
        return without_gil(y.numel, [&] { return softmax_backward(grad, y, dim); });
      },
      "y * (grad - sum(grad * y)) along `dim`, y being the softmax.", arg("grad"), arg("y"),
      arg("dim"));
  m.def(
      "log_softmax_backward",
      [](const Operand& grad_, const Operand& y_, int64_t dim) {
        const Array& grad = grad_.as_array("log_softmax_backward");
        const Array& y = y_.as_array("log_softmax_backward");
        return without_gil(y.numel * kExpCost, [&] { return log_softmax_backward(grad, y, dim); });
      },
      "grad - exp(y) * sum(grad) along `dim`, y being the log_softmax.", arg("grad"), arg("y"),
      arg("dim"));
  m.def(
      "logsumexp",
      [](const Operand& a_, const std::optional<Dims>& dims, bool keepdim) {
        const Array& a = a_.as_array("logsumexp");
        const Dims reduced = reduced_dims(dims, a.ndim, "logsumexp");
        return without_gil(a.numel * kExpCost, [&] { return logsumexp(a, reduced, keepdim); });
      },
      "log(sum(exp(a))) over `dims` (all of them for None).", arg("a"), arg("dims") = py::none(),
      arg("keepdim") = false);
  m.def(
      "cross_entropy",
      [](const Operand& logits_, const Operand& target_, int64_t ignore_index) {
        const Array& logits = logits_.as_array("cross_entropy");
        const Array& target = target_.as_array("cross_entropy");
        return without_gil(logits.numel * kExpCost,
                           [&] { return cross_entropy(logits, target, ignore_index); });
      },
      "The loss of every row of logits (N, C) against target (N,), and the rows' logsumexp.",
      arg("logits"), arg("target"), arg("ignore_index") = -100);
  m.def(
      "cross_entropy_backward",
      [](const Operand& grad_, const Operand& logits_, const Operand& lse_, const Operand& target_,
         int64_t ignore_index) {
        const Array& grad = grad_.as_array("cross_entropy_backward");
        const Array& logits = logits_.as_array("cross_entropy_backward");
        const Array& lse = lse_.as_array("cross_entropy_backward");
        const Array& target = target_.as_array("cross_entropy_backward");
        return without_gil(logits.numel * kExpCost, [&] {
          return cross_entropy_backward(grad, logits, lse, target, ignore_index);
        });
      },
      "The gradient of cross_entropy's losses with respect to the logits (N, C); grad is (N,), or "
      "one number for all rows.",
      arg("grad"), arg("logits"), arg("logsumexp"), arg("target"), arg("ignore_index") = -100);
}

}  // namespace norch
