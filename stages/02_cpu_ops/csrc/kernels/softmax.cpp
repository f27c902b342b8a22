// All of them subtract the row's maximum before exp, so that nothing overflows and the largest term
// is 1.  A row is processed in blocks of kBlock numbers, which the compiler turns into vectors; the
// last block is filled up with -infinity, whose exp adds nothing.
#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/thread_pool.h"
#include "kernels/lines.h"
#include "kernels/math.h"

namespace norch {
namespace {

constexpr int kBlock = 16;
constexpr int64_t kGrain = 1 << 13;  // elements: exp makes them dear

inline float exp_of(float x) { return math::exp(x); }
inline double exp_of(double x) { return std::exp(x); }

template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

// f(block of kBlock numbers, where it begins in the row, how many of them belong to the row)
template <class T, class F>
void for_blocks(const T* x, int64_t n, F f) {
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) f(x + i, i, kBlock);
  if (i == n) return;
  T padded[kBlock];
  for (int j = 0; j < kBlock; ++j) padded[j] = i + j < n ? x[i + j] : -kInfinity<T>;
  f(padded, i, static_cast<int>(n - i));
}

template <class T>
T max_of(const T* x, int64_t n) {
  T most[kBlock];
  for (int j = 0; j < kBlock; ++j) most[j] = -kInfinity<T>;
  for_blocks(x, n, [&](const T* block, int64_t, int) {
    for (int j = 0; j < kBlock; ++j) most[j] = block[j] > most[j] ? block[j] : most[j];
  });
  return *std::max_element(most, most + kBlock);
}

// The sum of exp(x - shift); the terms themselves go to `terms` when it is not null (it may be x).
template <class T>
T sum_exp(const T* x, int64_t n, T shift, T* terms) {
  T sums[kBlock] = {};
  for_blocks(x, n, [&](const T* block, int64_t first, int count) {
    T e[kBlock];
    for (int j = 0; j < kBlock; ++j) e[j] = exp_of(block[j] - shift);
    for (int j = 0; j < kBlock; ++j) sums[j] += e[j];
    if (terms == nullptr) return;
    if (count == kBlock) {
      for (int j = 0; j < kBlock; ++j) terms[first + j] = e[j];
    } else {
      for (int j = 0; j < count; ++j) terms[first + j] = e[j];
    }
  });
  for (int half = kBlock / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  return sums[0];
}

template <class T>
void softmax_row(const T* x, int64_t n, T* out) {
  const T scale = 1 / sum_exp(x, n, max_of(x, n), out);
  for (int64_t j = 0; j < n; ++j) out[j] *= scale;
}

template <class T>
void log_softmax_row(const T* x, int64_t n, T* out) {
  const T most = max_of(x, n);
  const T log_sum = std::log(sum_exp<T>(x, n, most, nullptr));
  for (int64_t j = 0; j < n; ++j) out[j] = (x[j] - most) - log_sum;
}

// An infinite maximum is not subtracted: inf - inf is NaN, but the answer is that infinity.
template <class T>
T logsumexp_row(const T* x, int64_t n) {
  const T most = max_of(x, n);
  const T shift = std::isfinite(most) ? most : T(0);
  return std::log(sum_exp<T>(x, n, shift, nullptr)) + shift;
}

// A line of an array as a contiguous row: the memory itself when it is one, else copied to `room`.
template <class T>
const T* row_at(const T* line, int64_t stride, int64_t n, T* room) {
  if (stride == 1 || n == 1) return line;
  for (int64_t j = 0; j < n; ++j) room[j] = line[j * stride];
  return room;
}

template <class T>
StoragePtr make_room(int64_t n) {
  return Storage::create(static_cast<size_t>(n) * sizeof(T));
}

int64_t length_of(const Array& a, int dim) { return a.ndim == 0 ? 1 : a.shape[dim]; }
int64_t grain_of(int64_t n) { return std::max<int64_t>(1, kGrain / (n + 1)); }

// row(x, n, y) for every line of `a` along dim and the same line of out.
template <class T, class Row>
void map_lines(const Array& a, int dim, Array& out, Row row) {
  if (out.numel == 0) return;
  const int64_t n = length_of(a, dim);
  const Array* const arrays[] = {&a, &out};
  const Lines<2> lines(a, dim, arrays);
  parallel_for(lines.count, grain_of(n), [&](int64_t begin, int64_t end) {
    const StoragePtr memory = make_room<T>(2 * n);
    T *room = reinterpret_cast<T*>(memory->data()), *result = room + n;
    Lines<2> line = lines;
    line.seek(begin);
    for (int64_t k = begin; k < end; ++k, line.next()) {
      const T* x = row_at(a.data<T>() + line.at[0], line.stride[0], n, room);
      T* y = out.data<T>() + line.at[1];
      if (line.stride[1] == 1 || n == 1) {
        row(x, n, y);
        continue;
      }
      row(x, n, result);
      for (int64_t j = 0; j < n; ++j) y[j * line.stride[1]] = result[j];
    }
  });
}

void softmax(const Array& a, int dim, Array& out) {
  visit_floating(a.dtype, "softmax", [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_lines<T>(a, dim, out, &softmax_row<T>);
  });
}

void log_softmax(const Array& a, int dim, Array& out) {
  visit_floating(a.dtype, "log_softmax", [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_lines<T>(a, dim, out, &log_softmax_row<T>);
  });
}

void logsumexp(const Array& a, int dim, Array& out) {
  visit_floating(a.dtype, "logsumexp", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = length_of(a, dim);
    const Array* const arrays[] = {&a};
    const Lines<1> lines(a, dim, arrays);
    parallel_for(lines.count, grain_of(n), [&](int64_t begin, int64_t end) {
      const StoragePtr memory = make_room<T>(n);
      T* room = reinterpret_cast<T*>(memory->data());
      Lines<1> line = lines;
      line.seek(begin);
      for (int64_t k = begin; k < end; ++k, line.next()) {
        const T* x = row_at(a.data<T>() + line.at[0], line.stride[0], n, room);
        out.data<T>()[k] = logsumexp_row(x, n);
      }
    });
  });
}

// row(i, logits of row i, room of the same length) for the rows of logits (N, C), in parallel.
template <class T, class Row>
void for_each_row(const Array& logits, Row row) {
  const int64_t classes = logits.shape[1];
  parallel_for(logits.shape[0], grain_of(classes), [&](int64_t begin, int64_t end) {
    const StoragePtr memory = make_room<T>(classes);
    T* room = reinterpret_cast<T*>(memory->data());
    for (int64_t i = begin; i < end; ++i) {
      row(i, row_at(logits.data<T>() + i * logits.strides[0], logits.strides[1], classes, room));
    }
  });
}

void cross_entropy(const Array& logits, const int64_t* target, int64_t ignore_index, Array& losses,
                   Array& lse) {
  visit_floating(logits.dtype, "cross_entropy", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t classes = logits.shape[1];
    for_each_row<T>(logits, [&](int64_t i, const T* x) {
      const T most = max_of(x, classes);
      const T log_sum = std::log(sum_exp<T>(x, classes, most, nullptr));
      lse.data<T>()[i] = most + log_sum;
      // most - x is exact where the loss is small; lse - x would round it away
      const bool ignored = target[i] == ignore_index;
      losses.data<T>()[i] = ignored ? T(0) : (most - x[target[i]]) + log_sum;
    });
  });
}

void cross_entropy_backward(const Array& grad, const Array& logits, const Array& lse,
                            const int64_t* target, int64_t ignore_index, Array& out) {
  visit_floating(logits.dtype, "cross_entropy_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t classes = logits.shape[1];
    for_each_row<T>(logits, [&](int64_t i, const T* x) {
      T* dx = out.data<T>() + i * classes;
      if (target[i] == ignore_index) return static_cast<void>(std::fill_n(dx, classes, T(0)));
      const T g = grad.data<T>()[i * grad.strides[0]];
      // lse is as coarse as its own last digit; dividing by the sum makes the row exact again.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] -= g;
    });
  });
}

}  // namespace

template <>
const SoftmaxTable& table<SoftmaxTable, kIsa>() {
  static constexpr SoftmaxTable t{&softmax, &log_softmax, &logsumexp, &cross_entropy,
                                  &cross_entropy_backward};
  return t;
}

}  // namespace norch
