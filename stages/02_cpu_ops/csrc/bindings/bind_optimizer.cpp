// sgd_step and adam_step: every parameter of a model in one call.
#include "bindings/python.h"
#include "ops/optimizer.h"

namespace norch {
namespace {

using MaybeArrays = std::optional<Arrays>;

int64_t total_size(const Arrays& arrays) {
  int64_t n = 0;
  for (const Array& a : arrays) n += a.numel;
  return n;
}

void sgd(Arrays params, const Arrays& grads, MaybeArrays buffers, double lr, double momentum,
         double dampening, double weight_decay, bool nesterov, bool first) {
  Arrays state = buffers.value_or(Arrays());
  without_gil(total_size(params), [&] {
    sgd_step(params, grads, state, {lr, momentum, dampening, weight_decay, nesterov, first});
  });
}

void adam(Arrays params, const Arrays& grads, Arrays means, Arrays squares, MaybeArrays maxima,
          const std::vector<int64_t>& steps, double lr, double beta1, double beta2, double eps,
          double weight_decay, bool decoupled) {
  Arrays most = maxima.value_or(Arrays());
  without_gil(total_size(params), [&] {
    adam_step(params, grads, means, squares, most, steps,
              {lr, beta1, beta2, eps, weight_decay, decoupled});
  });
}

}  // namespace

void bind_optimizer(py::module_& m) {
  using py::arg;
  m.def("sgd_step", &sgd, "One step of torch.optim.SGD on all parameters, in place.", arg("params"),
        arg("grads"), arg("momentum_buffers"), arg("lr"), arg("momentum") = 0.0,
        arg("dampening") = 0.0, arg("weight_decay") = 0.0, arg("nesterov") = false,
        arg("first") = false);
  m.def("adam_step", &adam,
        "One step of torch.optim.Adam (AdamW when decoupled) on all parameters, in place.",
        arg("params"), arg("grads"), arg("exp_avgs"), arg("exp_avg_sqs"), arg("max_exp_avg_sqs"),
        arg("steps"), arg("lr"), arg("beta1"), arg("beta2"), arg("eps"), arg("weight_decay") = 0.0,
        arg("decoupled") = false);
}

}  // namespace norch
