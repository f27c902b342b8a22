// One optimizer step over one row of a parameter and everything that belongs to it.
// ops/optimizer.cpp walks all parameters of a model in a single parallel loop and calls these rows.
#pragma once

#include "core/isa.h"
#include "core/plan.h"

namespace norch {
struct SgdSettings {
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
  bool first;  // the momentum buffer holds nothing yet: it becomes the gradient
};

struct AdamSettings {
  double beta1, beta2, eps;
  double step_size;              // lr / (1 - beta1^t)
  double root_bias_correction2;  // sqrt(1 - beta2^t)
  double weight_decay;           // added to the gradient (Adam), 0 when decoupled
  double shrink;  // multiplies the parameter first: 1 - lr * weight_decay (AdamW), or 1
};

struct RmspropSettings {
  double lr, alpha, eps, weight_decay, momentum;
};

struct AdagradSettings {
  double rate;  // lr / (1 + (step - 1) lr_decay)
  double eps, weight_decay;
};

struct AdadeltaSettings {
  double lr, rho, eps, weight_decay;
};

struct LionSettings {
  double lr, beta1, beta2, weight_decay;
};

// Operands in this order; the context is the settings.
struct OptimizerRows {
  RowFn sgd;            // param, grad
  RowFn sgd_momentum;   // param, grad, buffer
  RowFn adam;           // param, grad, exp_avg, exp_avg_sq
  RowFn adam_max;       // param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq
  RowFn rmsprop[2][2];  // by centered and momentum: param, grad, square_avg[, grad_avg][, buffer]
  RowFn adagrad;        // param, grad, sum
  RowFn adadelta;       // param, grad, square_avg, acc_delta
  RowFn lion;           // param, grad, exp_avg
};

struct OptimizerTable {
  OptimizerRows float32, float64;
};
}  // namespace norch
