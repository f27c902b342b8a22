// The optimizer steps: every parameter of a model in one call.
#include "bindings/operation.h"
#include "ops/optimizer.h"

namespace norch {
namespace {
using MaybeArrays = std::optional<Arrays>;

// The arrays of an optional state in the bindings; none where it was not given.
Arrays& given(MaybeArrays& arrays) { return arrays ? *arrays : arrays.emplace(); }

// The binding that Python calls as sgd_step: its numbers become the settings of one step.
void sgd(Arrays& params, const Arrays& grads, MaybeArrays& buffers, double lr, double momentum,
         double dampening, double weight_decay, bool nesterov, bool first) {
  sgd_step(params, grads, given(buffers), {lr, momentum, dampening, weight_decay, nesterov, first});
}

// The binding that Python calls as adam_step.
void adam(Arrays& params, const Arrays& grads, Arrays& means, Arrays& squares, MaybeArrays& maxima,
          const std::vector<int64_t>& steps, double lr, double beta1, double beta2, double eps,
          double weight_decay, bool decoupled) {
  adam_step(params, grads, means, squares, given(maxima), steps,
            {lr, beta1, beta2, eps, weight_decay, decoupled});
}

// The binding that Python calls as rmsprop_step.
void rmsprop(Arrays& params, const Arrays& grads, Arrays& squares, MaybeArrays& means,
             MaybeArrays& buffers, double lr, double alpha, double eps, double weight_decay,
             double momentum) {
  rmsprop_step(params, grads, squares, given(means), given(buffers),
               {lr, alpha, eps, weight_decay, momentum});
}

// The binding that Python calls as adagrad_step.
void adagrad(Arrays& params, const Arrays& grads, Arrays& sums, const std::vector<int64_t>& steps,
             double lr, double lr_decay, double eps, double weight_decay) {
  adagrad_step(params, grads, sums, steps, {lr, lr_decay, eps, weight_decay});
}

// The binding that Python calls as adadelta_step.
void adadelta(Arrays& params, const Arrays& grads, Arrays& squares, Arrays& deltas, double lr,
              double rho, double eps, double weight_decay) {
  adadelta_step(params, grads, squares, deltas, {lr, rho, eps, weight_decay});
}

// The binding that Python calls as lion_step.
void lion(Arrays& params, const Arrays& grads, Arrays& means, double lr, double beta1, double beta2,
          double weight_decay) {
  lion_step(params, grads, means, {lr, beta1, beta2, weight_decay});
}
}  // namespace

// The optimizer steps, as rows that become Python functions.
Table optimizer_table() {
  static const Operation rows[] = {
      {"sgd_step(params, grads, momentum_buffers, lr, momentum=0.0, dampening=0.0, "
       "weight_decay=0.0, nesterov=False, first=False)",
       &sgd, "One step of torch.optim.SGD on all parameters, in place."},
      {"adam_step(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, lr, beta1, beta2, "
       "eps, weight_decay=0.0, decoupled=False)",
       &adam, "One step of torch.optim.Adam (AdamW when decoupled) on all parameters, in place."},
      {"rmsprop_step(params, grads, square_avgs, grad_avgs, momentum_buffers, lr, alpha=0.99, "
       "eps=1e-8, weight_decay=0.0, momentum=0.0)",
       &rmsprop, "One step of torch.optim.RMSprop on all parameters, in place."},
      {"adagrad_step(params, grads, sums, steps, lr, lr_decay=0.0, eps=1e-10, weight_decay=0.0)",
       &adagrad, "One step of torch.optim.Adagrad on all parameters, in place."},
      {"adadelta_step(params, grads, square_avgs, acc_deltas, lr=1.0, rho=0.9, eps=1e-6, "
       "weight_decay=0.0)",
       &adadelta, "One step of torch.optim.Adadelta on all parameters, in place."},
      {"lion_step(params, grads, exp_avgs, lr, beta1, beta2, weight_decay=0.0)", &lion,
       "One step of Lion on all parameters, in place."},
  };
  return rows;
}
}  // namespace norch
