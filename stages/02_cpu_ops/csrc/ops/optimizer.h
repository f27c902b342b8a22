// Doors of the optimizer steps: one call updates every parameter of a model in place.  All lists
// are parallel; the arrays of one parameter have its shape and dtype, with any strides.
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

}  // namespace norch
