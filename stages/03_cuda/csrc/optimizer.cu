// optimizer: one step of an optimizer for one parameter. T is float or double.
//
// One thread: the whole update of every element i of its share; the parameter, its gradient and the
// buffers are read and written once. All may have any layout.

// Stochastic gradient descent, PyTorch's formulas. momentum_buffer is null without momentum;
// `first` is 1 in the step that fills it.
extern "C" __global__ void sgd_step_kernel(i64 n, Layout lp, T* param, Layout lg, const T* grad,
                                           Layout lm, T* momentum_buffer, double lr,
                                           double momentum, double dampening, double weight_decay,
                                           i64 nesterov, i64 first) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    T p = param[at(lp, i)];
    T d = grad[at(lg, i)] + static_cast<T>(weight_decay) * p;
    if (momentum_buffer != nullptr) {
      T* m = momentum_buffer + at(lm, i);
      *m = first ? d : static_cast<T>(momentum) * *m + static_cast<T>(1.0 - dampening) * d;
      d = nesterov ? d + static_cast<T>(momentum) * *m : *m;
    }
    param[at(lp, i)] = p - static_cast<T>(lr) * d;
  }
}

// Adam, and AdamW if `decoupled`. The host has worked out what depends on the step number alone:
// step_size = lr / (1 - beta1^step), root_correction = sqrt(1 - beta2^step). max_square is null
// without amsgrad.
extern "C" __global__ void adam_step_kernel(i64 n, Layout lp, T* param, Layout lg, const T* grad,
                                            Layout la, T* average, Layout ls, T* square,
                                            Layout lmax, T* max_square, double lr, double beta1,
                                            double beta2, double eps, double weight_decay,
                                            i64 decoupled, double step_size,
                                            double root_correction) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    T p = param[at(lp, i)], g = grad[at(lg, i)];
    T *m = average + at(la, i), *v = square + at(ls, i);
    if (decoupled) {
      p *= static_cast<T>(1.0 - lr * weight_decay);
    } else {
      g += static_cast<T>(weight_decay) * p;
    }
    *m = static_cast<T>(beta1) * *m + static_cast<T>(1.0 - beta1) * g;
    *v = static_cast<T>(beta2) * *v + static_cast<T>(1.0 - beta2) * g * g;
    T largest = *v;
    if (max_square != nullptr) {
      T* w = max_square + at(lmax, i);
      largest = *w = *w > largest ? *w : largest;
    }
    T denominator = sqrt(largest) / static_cast<T>(root_correction) + static_cast<T>(eps);
    param[at(lp, i)] = p - static_cast<T>(step_size) * *m / denominator;
  }
}

// RMSprop: the gradient divided by the root of the average of its square. average is null unless
// the squares are centered, momentum_buffer is null without momentum.
extern "C" __global__ void rmsprop_step_kernel(i64 n, Layout lp, T* param, Layout lg, const T* grad,
                                               Layout ls, T* square, Layout la, T* average,
                                               Layout lm, T* momentum_buffer, double lr,
                                               double alpha, double eps, double weight_decay,
                                               double momentum) {
  T keep = static_cast<T>(alpha), take = static_cast<T>(1.0 - alpha);
  for (i64 i = first_element(); i < n; i += element_step()) {
    T p = param[at(lp, i)];
    T g = grad[at(lg, i)] + static_cast<T>(weight_decay) * p;
    T* v = square + at(ls, i);
    T variance = *v = keep * *v + take * g * g;
    if (average != nullptr) {
      T* a = average + at(la, i);
      *a += take * (g - *a);
      variance -= *a * *a;
    }
    T step = g / (sqrt(variance) + static_cast<T>(eps));
    if (momentum_buffer != nullptr) {
      T* m = momentum_buffer + at(lm, i);
      step = *m = static_cast<T>(momentum) * *m + step;
    }
    param[at(lp, i)] = p - static_cast<T>(lr) * step;
  }
}

// Adagrad: the gradient divided by the root of the sum of all its squares so far. The host has
// worked out step_size = lr / (1 + (step - 1) lr_decay).
extern "C" __global__ void adagrad_step_kernel(i64 n, Layout lp, T* param, Layout lg, const T* grad,
                                               Layout ls, T* sum, double eps, double weight_decay,
                                               double step_size) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    T p = param[at(lp, i)];
    T g = grad[at(lg, i)] + static_cast<T>(weight_decay) * p;
    T* s = sum + at(ls, i);
    *s += g * g;
    param[at(lp, i)] = p - static_cast<T>(step_size) * g / (sqrt(*s) + static_cast<T>(eps));
  }
}

// Adadelta: steps as large as the recent steps were, in the units of the parameter.
extern "C" __global__ void adadelta_step_kernel(i64 n, Layout lp, T* param, Layout lg,
                                                const T* grad, Layout ls, T* square, Layout ld,
                                                T* delta_square, double lr, double rho, double eps,
                                                double weight_decay) {
  T keep = static_cast<T>(rho), take = static_cast<T>(1.0 - rho), least = static_cast<T>(eps);
  for (i64 i = first_element(); i < n; i += element_step()) {
    T p = param[at(lp, i)];
    T g = grad[at(lg, i)] + static_cast<T>(weight_decay) * p;
    T *v = square + at(ls, i), *d = delta_square + at(ld, i);
    *v = keep * *v + take * g * g;
    T delta = sqrt(*d + least) / sqrt(*v + least) * g;
    *d = keep * *d + take * delta * delta;
    param[at(lp, i)] = p - static_cast<T>(lr) * delta;
  }
}

// Lion: a step of the same size everywhere, in the direction of the averaged gradient's sign.
extern "C" __global__ void lion_step_kernel(i64 n, Layout lp, T* param, Layout lg, const T* grad,
                                            Layout la, T* average, double lr, double beta1,
                                            double beta2, double weight_decay) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    T g = grad[at(lg, i)];
    T* m = average + at(la, i);
    T mixed = static_cast<T>(beta1) * *m + static_cast<T>(1.0 - beta1) * g;
    T sign = static_cast<T>(mixed > 0) - static_cast<T>(mixed < 0);
    T p = param[at(lp, i)] * static_cast<T>(1.0 - lr * weight_decay);
    param[at(lp, i)] = p - static_cast<T>(lr) * sign;
    *m = static_cast<T>(beta2) * *m + static_cast<T>(1.0 - beta2) * g;
  }
}
