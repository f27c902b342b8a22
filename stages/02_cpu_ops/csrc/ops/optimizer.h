// Doors of the optimizer steps: one call updates every parameter of a model in place.  All lists
// are parallel; the arrays of one parameter have its shape and dtype, with any strides. float16 and
// bfloat16 are stepped in float32 and rounded once.
#pragma once

#include <vector>

#include "core/array.h"
#include "kernels/optimizer.h"

namespace norch {
using Arrays = std::vector<Array>;

// torch.optim.SGD.  `buffers` may be empty when momentum is 0; on the first step they need not hold
// anything: they become copies of the gradients.
void sgd_step(Arrays& params, const Arrays& grads, Arrays& buffers, const SgdSettings& settings);

struct AdamOptions {
  double lr, beta1, beta2, eps, weight_decay;
  bool decoupled;  // AdamW: the decay shrinks the parameter and stays out of the averages
};

// torch.optim.Adam and AdamW.  steps[i] counts from 1; `maxima` is empty without amsgrad.
void adam_step(Arrays& params, const Arrays& grads, Arrays& means, Arrays& squares, Arrays& maxima,
               const std::vector<int64_t>& steps, const AdamOptions& options);

// torch.optim.RMSprop.  `means` is empty unless centered, `buffers` empty without momentum.
void rmsprop_step(Arrays& params, const Arrays& grads, Arrays& squares, Arrays& means,
                  Arrays& buffers, const RmspropSettings& settings);

struct AdagradOptions {
  double lr, lr_decay, eps, weight_decay;
};

// torch.optim.Adagrad.  steps[i] counts from 1.
void adagrad_step(Arrays& params, const Arrays& grads, Arrays& sums,
                  const std::vector<int64_t>& steps, const AdagradOptions& options);

// torch.optim.Adadelta.
void adadelta_step(Arrays& params, const Arrays& grads, Arrays& squares, Arrays& deltas,
                   const AdadeltaSettings& settings);

// Lion (Chen et al., 2023), the decay apart from the gradient.
void lion_step(Arrays& params, const Arrays& grads, Arrays& means, const LionSettings& settings);
}  // namespace norch
