// optimizer: one step of an optimizer for all parameters of a model, in one launch.
//
// The launch carries a table with a row for each parameter, and a block works on one row (PyTorch:
// multi-tensor apply). One thread: the whole update of every element of its share; parameter,
// gradient and buffers are row-major, and are read and written once. T is any floating type; halves
// are computed in float and rounded once, when they are stored.

using C = decltype(T() + T());  // what is computed in

constexpr int kRows = 48;  // a launch takes at most 4 KB of arguments

// A parameter: its blocks, its elements, what the host has worked out for it alone (or, if
// `counted` is not null, count_step_kernel), and where parameter, gradient and buffers lie; a
// buffer that this optimizer does not have is null.
struct Row {
  u32 first_block, num_blocks;
  i64 n;
  double step_size, root_correction;
  double* counted;
  T* arrays[5];
};

struct Table {
  Row rows[kRows];
};

__device__ inline const Row& row_of_block(const Table& table) {
  int k = 0;
  while (blockIdx.x - table.rows[k].first_block >= table.rows[k].num_blocks) k++;
  return table.rows[k];
}

// The grid-stride loop of kernel.h among the blocks of one row.
__device__ inline i64 first_element(const Row& row) {
  return static_cast<i64>(blockIdx.x - row.first_block) * blockDim.x + threadIdx.x;
}
__device__ inline i64 element_step(const Row& row) {
  return static_cast<i64>(row.num_blocks) * blockDim.x;
}

// Stochastic gradient descent, PyTorch's formulas. The momentum buffer is null without momentum;
// `first` is 1 in the step that fills it.
extern "C" __global__ void sgd_step_kernel(Table table, double lr, double momentum,
                                           double dampening, double weight_decay, i64 nesterov,
                                           i64 first) {
  const Row& row = row_of_block(table);
  T *param = row.arrays[0], *grad = row.arrays[1], *momentum_buffer = row.arrays[2];
  for (i64 i = first_element(row); i < row.n; i += element_step(row)) {
    C p = param[i];
    C d = grad[i] + static_cast<C>(weight_decay) * p;
    if (momentum_buffer != nullptr) {
      C m = d;
      if (!first)
        m = static_cast<C>(momentum) * momentum_buffer[i] + static_cast<C>(1.0 - dampening) * d;
      momentum_buffer[i] = static_cast<T>(m);
      d = nesterov ? d + static_cast<C>(momentum) * m : m;
    }
    param[i] = static_cast<T>(p - static_cast<C>(lr) * d);
  }
}

// Counts a step of Adam on the device, where a replayed CUDA graph finds the count: arrays[0] is
// it, and `counted` gets step_size and root_correction. One thread: one row.
extern "C" __global__ void count_step_kernel(i64 n, Table table, double lr, double beta1,
                                             double beta2) {
  for (i64 k = first_element(); k < n; k += element_step()) {
    const Row& row = table.rows[k];
    C step = *row.arrays[0] + 1;
    *row.arrays[0] = static_cast<T>(step);
    row.counted[0] = lr / (1.0 - pow(beta1, static_cast<double>(step)));
    row.counted[1] = sqrt(1.0 - pow(beta2, static_cast<double>(step)));
  }
}

// Adam, and AdamW if `decoupled`. What depends on the step number alone is in the row:
// step_size = lr / (1 - beta1^step), root_correction = sqrt(1 - beta2^step). The largest square is
// null without amsgrad.
extern "C" __global__ void adam_step_kernel(Table table, double lr, double beta1, double beta2,
                                            double eps, double weight_decay, i64 decoupled) {
  const Row& row = row_of_block(table);
  T *param = row.arrays[0], *grad = row.arrays[1];
  T *average = row.arrays[2], *square = row.arrays[3], *max_square = row.arrays[4];
  const bool counted = row.counted != nullptr;
  C step_size = static_cast<C>(counted ? row.counted[0] : row.step_size);
  C root_correction = static_cast<C>(counted ? row.counted[1] : row.root_correction);
  for (i64 i = first_element(row); i < row.n; i += element_step(row)) {
    C p = param[i], g = grad[i];
    if (decoupled) {
      p *= static_cast<C>(1.0 - lr * weight_decay);
    } else {
      g += static_cast<C>(weight_decay) * p;
    }
    C m = static_cast<C>(beta1) * average[i] + static_cast<C>(1.0 - beta1) * g;
    C v = static_cast<C>(beta2) * square[i] + static_cast<C>(1.0 - beta2) * g * g;
    average[i] = static_cast<T>(m);
    square[i] = static_cast<T>(v);
    if (max_square != nullptr) {
      C w = max_square[i];
      v = w > v ? w : v;
      max_square[i] = static_cast<T>(v);
    }
    C denominator = sqrt(v) / root_correction + static_cast<C>(eps);
    param[i] = static_cast<T>(p - step_size * m / denominator);
  }
}

// RMSprop: the gradient divided by the root of the average of its square. The average is null
// unless the squares are centered, the momentum buffer is null without momentum.
extern "C" __global__ void rmsprop_step_kernel(Table table, double lr, double alpha, double eps,
                                               double weight_decay, double momentum) {
  const Row& row = row_of_block(table);
  T *param = row.arrays[0], *grad = row.arrays[1];
  T *square = row.arrays[2], *average = row.arrays[3], *momentum_buffer = row.arrays[4];
  C keep = static_cast<C>(alpha), take = static_cast<C>(1.0 - alpha);
  for (i64 i = first_element(row); i < row.n; i += element_step(row)) {
    C p = param[i];
    C g = grad[i] + static_cast<C>(weight_decay) * p;
    C variance = keep * square[i] + take * g * g;
    square[i] = static_cast<T>(variance);
    if (average != nullptr) {
      C a = average[i];
      a += take * (g - a);
      average[i] = static_cast<T>(a);
      variance -= a * a;
    }
    C step = g / (sqrt(variance) + static_cast<C>(eps));
    if (momentum_buffer != nullptr) {
      step = static_cast<C>(momentum) * momentum_buffer[i] + step;
      momentum_buffer[i] = static_cast<T>(step);
    }
    param[i] = static_cast<T>(p - static_cast<C>(lr) * step);
  }
}

// Adagrad: the gradient divided by the root of the sum of all its squares so far. The row has
// step_size = lr / (1 + (step - 1) lr_decay).
extern "C" __global__ void adagrad_step_kernel(Table table, double eps, double weight_decay) {
  const Row& row = row_of_block(table);
  T *param = row.arrays[0], *grad = row.arrays[1], *sum = row.arrays[2];
  C step_size = static_cast<C>(row.step_size);
  for (i64 i = first_element(row); i < row.n; i += element_step(row)) {
    C p = param[i];
    C g = grad[i] + static_cast<C>(weight_decay) * p;
    C s = sum[i] + g * g;
    sum[i] = static_cast<T>(s);
    param[i] = static_cast<T>(p - step_size * g / (sqrt(s) + static_cast<C>(eps)));
  }
}

// Adadelta: steps as large as the recent steps were, in the units of the parameter.
extern "C" __global__ void adadelta_step_kernel(Table table, double lr, double rho, double eps,
                                                double weight_decay) {
  const Row& row = row_of_block(table);
  T *param = row.arrays[0], *grad = row.arrays[1];
  T *square = row.arrays[2], *delta_square = row.arrays[3];
  C keep = static_cast<C>(rho), take = static_cast<C>(1.0 - rho), least = static_cast<C>(eps);
  for (i64 i = first_element(row); i < row.n; i += element_step(row)) {
    C p = param[i], d = delta_square[i];
    C g = grad[i] + static_cast<C>(weight_decay) * p;
    C v = keep * square[i] + take * g * g;
    square[i] = static_cast<T>(v);
    C delta = sqrt(d + least) / sqrt(v + least) * g;
    delta_square[i] = static_cast<T>(keep * d + take * delta * delta);
    param[i] = static_cast<T>(p - static_cast<C>(lr) * delta);
  }
}

// Lion: a step of the same size everywhere, in the direction of the averaged gradient's sign.
extern "C" __global__ void lion_step_kernel(Table table, double lr, double beta1, double beta2,
                                            double weight_decay) {
  const Row& row = row_of_block(table);
  T *param = row.arrays[0], *grad = row.arrays[1], *average = row.arrays[2];
  for (i64 i = first_element(row); i < row.n; i += element_step(row)) {
    C g = grad[i], m = average[i];
    C mixed = static_cast<C>(beta1) * m + static_cast<C>(1.0 - beta1) * g;
    C sign = static_cast<C>(mixed > 0) - static_cast<C>(mixed < 0);
    C p = param[i] * static_cast<C>(1.0 - lr * weight_decay);
    param[i] = static_cast<T>(p - static_cast<C>(lr) * sign);
    average[i] = static_cast<T>(static_cast<C>(beta2) * m + static_cast<C>(1.0 - beta2) * g);
  }
}
