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
