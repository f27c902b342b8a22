// softmax: softmax, log_softmax, logsumexp and cross-entropy. T is float or double.
//
// One block handles one line (the elements that share a sum). A softmax walks over it three times:
// the largest element, the sum of exp(x - largest), the results. Subtracting the largest keeps exp
// from overflowing. Where the results are no line, one walk is enough: normalise_online.

#include "block.h"

using Sum = Accumulate<T>::sum;

// With the digits of the rest: the log of 1 + 1e-8 is 1e-8.
__device__ inline float log(CompensatedSum x) {
  return x.far == 0 ? log(x.value) + x.rest / x.value : log(static_cast<float>(x));
}

struct Normaliser {
  T largest;
  T log_sum;  // log of the sum of exp(x - largest)
};

// Every thread of the block learns the normaliser of the line.
__device__ inline Normaliser normalise(i64 length, const Layout& inner, const T* line) {
  T largest = -infinity();
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    largest = fmax(largest, line[at(inner, i)]);
  }
  largest = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  Sum sum = sum_for_all(length, [&](i64 i) { return Sum(exp(line[at(inner, i)] - largest)); });
  return {largest, log(sum)};
}

// The same in one walk, for those who read the line only for its normaliser: where a larger element
// turns up, the sum so far is scaled down to it. That is two exponentials an element instead of
// one, and half of the reads. An infinite largest element is replaced by 0, as infinity - infinity
// would be no number: the logsumexp of -infinity alone is -infinity.
__device__ inline Normaliser normalise_online(i64 length, const Layout& inner, const T* line) {
  // ex 3.10 begin
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
  // ex 3.10 end
}

// out has the layout of x's dimensions, contiguous: `outer_out` and `step_out` say where a line of
// it lies.
extern "C" __global__ void softmax_kernel(i64 lines, i64 length, Layout outer, Layout inner,
                                          const T* x, Layout outer_out, i64 step_out, T* out) {
  for (i64 line = blockIdx.x; line < lines; line += gridDim.x) {
    const T* from = x + at(outer, line);
    T* to = out + at(outer_out, line);
    Normaliser norm = normalise(length, inner, from);
    T scale = exp(-norm.log_sum);
    for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
      to[i * step_out] = exp(from[at(inner, i)] - norm.largest) * scale;
    }
  }
}

extern "C" __global__ void log_softmax_kernel(i64 lines, i64 length, Layout outer, Layout inner,
                                              const T* x, Layout outer_out, i64 step_out, T* out) {
  for (i64 line = blockIdx.x; line < lines; line += gridDim.x) {
    const T* from = x + at(outer, line);
    T* to = out + at(outer_out, line);
    Normaliser norm = normalise(length, inner, from);
    for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
      to[i * step_out] = from[at(inner, i)] - norm.largest - norm.log_sum;
    }
  }
}

extern "C" __global__ void logsumexp_kernel(i64 lines, i64 length, Layout outer, Layout inner,
                                            const T* x, T* out) {
  for (i64 line = blockIdx.x; line < lines; line += gridDim.x) {
    Normaliser norm = normalise_online(length, inner, x + at(outer, line));
    if (threadIdx.x == 0) out[line] = norm.largest + norm.log_sum;
  }
}

// The gradient of a line of scores, given that of the result y: every score moves every result.
//
//   softmax:      dx = y (g - sum of g y)         log_softmax:  dx = g - exp(y) (sum of g)
//
// All three arrays are contiguous: line l begins at at(lines_at, l), its elements are `step` apart.
extern "C" __global__ void softmax_backward_kernel(i64 lines, i64 length, Layout lines_at, i64 step,
                                                   const T* grad, const T* y, T* dx) {
  for (i64 line = blockIdx.x; line < lines; line += gridDim.x) {
    i64 start = at(lines_at, line);
    auto product = [=](i64 i) { return Sum(grad[start + i * step] * y[start + i * step]); };
    T average = static_cast<T>(sum_for_all(length, product));
    for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
      i64 place = start + i * step;
      dx[place] = y[place] * (grad[place] - average);
    }
  }
}

extern "C" __global__ void log_softmax_backward_kernel(i64 lines, i64 length, Layout lines_at,
                                                       i64 step, const T* grad, const T* y, T* dx) {
  for (i64 line = blockIdx.x; line < lines; line += gridDim.x) {
    i64 start = at(lines_at, line);
    auto term = [=](i64 i) { return Sum(grad[start + i * step]); };
    T total = static_cast<T>(sum_for_all(length, term));
    for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
      i64 place = start + i * step;
      dx[place] = grad[place] - exp(y[place]) * total;
    }
  }
}

// Rows of logits (n, classes) against target (n): loss = logsumexp - logit of the target, 0 if
// ignored. bad[0] becomes 1 + the row of a target that is no class; the host turns it into an
// IndexError.
extern "C" __global__ void cross_entropy_kernel(i64 n, i64 classes, i64 row_step, i64 class_step,
                                                const T* logits, i64 target_step, const i64* target,
                                                i64 ignore_index, T* losses, T* logsumexp,
                                                i64* bad) {
  Layout inner = {1, {classes}, {class_step}};
  for (i64 row = blockIdx.x; row < n; row += gridDim.x) {
    const T* line = logits + row * row_step;
    Normaliser norm = normalise_online(classes, inner, line);
    if (threadIdx.x > 0) continue;
    i64 t = target[row * target_step];
    bool ignored = t == ignore_index, valid = t >= 0 && t < classes;
    if (!ignored && !valid) atomicMax(bad, row + 1);
    logsumexp[row] = norm.largest + norm.log_sum;
    losses[row] = ignored || !valid ? T(0) : norm.largest - line[t * class_step] + norm.log_sum;
  }
}

// dlogits[row, c] = grad[row] (softmax(logits)[row, c] - (1 if c is the target)), 0 if ignored. The
// logsumexp is as coarse as its own last digit; dividing by the sum makes the row exact again.
extern "C" __global__ void cross_entropy_backward_kernel(i64 n, i64 classes, i64 grad_step,
                                                         const T* grad, i64 row_step,
                                                         i64 class_step, const T* logits,
                                                         i64 sum_step, const T* logsumexp,
                                                         i64 target_step, const i64* target,
                                                         i64 ignore_index, T* dlogits) {
  for (i64 row = blockIdx.x; row < n; row += gridDim.x) {
    const T* line = logits + row * row_step;
    T shift = logsumexp[row * sum_step];
    auto term = [=](i64 c) { return Sum(exp(line[c * class_step] - shift)); };
    i64 t = target[row * target_step];
    T g = grad[row * grad_step], scale = g / static_cast<T>(sum_for_all(classes, term));
    for (i64 c = threadIdx.x; c < classes; c += blockDim.x) {
      T dlogit = exp(line[c * class_step] - shift) * scale - (c == t ? g : T(0));
      dlogits[row * classes + c] = t == ignore_index ? T(0) : dlogit;
    }
  }
}
