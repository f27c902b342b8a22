// The optimizer steps: every parameter of a model in one call.
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

void rmsprop(Arrays params, const Arrays& grads, Arrays squares, MaybeArrays means,
             MaybeArrays buffers, double lr, double alpha, double eps, double weight_decay,
             double momentum) {
  Arrays mean = means.value_or(Arrays()), buffer = buffers.value_or(Arrays());
  without_gil(total_size(params), [&] {
    rmsprop_step(params, grads, squares, mean, buffer, {lr, alpha, eps, weight_decay, momentum});
  });
}

void adagrad(Arrays params, const Arrays& grads, Arrays sums, const std::vector<int64_t>& steps,
             double lr, double lr_decay, double eps, double weight_decay) {
  without_gil(total_size(params),
              [&] { adagrad_step(params, grads, sums, steps, {lr, lr_decay, eps, weight_decay}); });
}

void adadelta(Arrays params, const Arrays& grads, Arrays squares, Arrays deltas, double lr,
              double rho, double eps, double weight_decay) {
  without_gil(total_size(params),
              [&] { adadelta_step(params, grads, squares, deltas, {lr, rho, eps, weight_decay}); });
}

void lion(Arrays params, const Arrays& grads, Arrays means, double lr, double beta1, double beta2,
          double weight_decay) {
  without_gil(total_size(params),
              [&] { lion_step(params, grads, means, {lr, beta1, beta2, weight_decay}); });
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
  m.def("rmsprop_step", &rmsprop, "One step of torch.optim.RMSprop on all parameters, in place.",
        arg("params"), arg("grads"), arg("square_avgs"), arg("grad_avgs"), arg("momentum_buffers"),
        arg("lr"), arg("alpha") = 0.99, arg("eps") = 1e-8, arg("weight_decay") = 0.0,
        arg("momentum") = 0.0);
  m.def("adagrad_step", &adagrad, "One step of torch.optim.Adagrad on all parameters, in place.",
        arg("params"), arg("grads"), arg("sums"), arg("steps"), arg("lr"), arg("lr_decay") = 0.0,
        arg("eps") = 1e-10, arg("weight_decay") = 0.0);
  m.def("adadelta_step", &adadelta, "One step of torch.optim.Adadelta on all parameters, in place.",
        arg("params"), arg("grads"), arg("square_avgs"), arg("acc_deltas"), arg("lr") = 1.0,
        arg("rho") = 0.9, arg("eps") = 1e-6, arg("weight_decay") = 0.0);
  m.def("lion_step", &lion, "One step of Lion on all parameters, in place.", arg("params"),
        arg("grads"), arg("exp_avgs"), arg("lr"), arg("beta1"), arg("beta2"),
        arg("weight_decay") = 0.0);
}

}  // namespace norch
