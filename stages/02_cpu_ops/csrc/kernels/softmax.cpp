// All of them subtract the row's maximum before exp, so that nothing overflows and the largest term
// is 1.  A row is processed in blocks of fixed length, which the compiler turns into vectors; the
// last block is filled up with -infinity, whose exp adds nothing.
#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/thread_pool.h"
#include "kernels/lines.h"
#include "kernels/math.h"
#include "kernels/sums.h"

namespace norch {
namespace {

// Two AVX-512 vectors of floats, so that one works while the other waits; ten classes need but one.
constexpr int kBlock = 32, kShortRow = 16;
constexpr int64_t kGrain = 1 << 13;  // elements: exp makes them dear

// Of numbers that are not positive: the row's maximum was subtracted.
inline float exp_of(float x) { return math::exp_of_negative(x); }
inline double exp_of(double x) { return std::exp(x); }

template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

// f(block of Size numbers, where it begins in the row, how many of them belong to the row)
template <int Size, class T, class F>
void for_blocks(const T* x, int64_t n, F f) {
  int64_t i = 0;
  for (; i + Size <= n; i += Size) f(x + i, i, Size);
  if (i == n) return;
  T padded[Size];
  for (int j = 0; j < Size; ++j) padded[j] = i + j < n ? x[i + j] : -kInfinity<T>;
  f(padded, i, static_cast<int>(n - i));
}

template <int Size, class T>
T max_in_blocks(const T* x, int64_t n) {
  T most[Size];
  for (int j = 0; j < Size; ++j) most[j] = -kInfinity<T>;
  for_blocks<Size>(x, n, [&](const T* block, int64_t, int) {
    for (int j = 0; j < Size; ++j) most[j] = block[j] > most[j] ? block[j] : most[j];
  });
  for (int half = Size / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) most[j] = most[j] > most[j + half] ? most[j] : most[j + half];
  }
  return most[0];
}

template <int Size, class T>
T sum_exp_in_blocks(const T* x, int64_t n, T shift, T* terms) {
  T sums[Size] = {};
  for_blocks<Size>(x, n, [&](const T* block, int64_t first, int count) {
    T e[Size];
    for (int j = 0; j < Size; ++j) e[j] = exp_of(block[j] - shift);
    for (int j = 0; j < Size; ++j) sums[j] += e[j];
    if (terms == nullptr) return;
    if (count == Size) {
      for (int j = 0; j < Size; ++j) terms[first + j] = e[j];
    } else {
      for (int j = 0; j < count; ++j) terms[first + j] = e[j];
    }
  });
  for (int half = Size / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  return sums[0];
}

template <class T>
T max_of(const T* x, int64_t n) {
  return n <= kShortRow ? max_in_blocks<kShortRow>(x, n) : max_in_blocks<kBlock>(x, n);
}

// The sum of exp(x - shift); the terms themselves go to `terms` when it is not null (it may be x).
template <class T>
T sum_exp(const T* x, int64_t n, T shift, T* terms) {
  return n <= kShortRow ? sum_exp_in_blocks<kShortRow>(x, n, shift, terms)
                        : sum_exp_in_blocks<kBlock>(x, n, shift, terms);
}

template <class T>
void softmax_row(const T* x, int64_t n, T* out) {
  // ex 2.5 begin
  const T scale = 1 / sum_exp(x, n, max_of(x, n), out);
  for (int64_t j = 0; j < n; ++j) out[j] *= scale;
  // ex 2.5 end
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
  if (std::isfinite(most)) return std::log(sum_exp<T>(x, n, most, nullptr)) + most;
  T sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += std::exp(x[j]);
  return std::log(sum);
}

template <class T>
void softmax_backward_row(const T* grad, const T* y, int64_t n, T* out) {
  const T blame = sum_over<T>(n, [=](int64_t j) { return grad[j] * y[j]; });
  for (int64_t j = 0; j < n; ++j) out[j] = y[j] * (grad[j] - blame);
}

template <class T>
void log_softmax_backward_row(const T* grad, const T* y, int64_t n, T* out) {
  const T blame = sum_over<T>(n, [=](int64_t j) { return grad[j]; });
  for (int64_t j = 0; j < n; ++j) out[j] = grad[j] - exp_of(y[j]) * blame;
}

int64_t length_of(const Array& a, int dim) { return a.ndim == 0 ? 1 : a.shape[dim]; }
int64_t grain_of(int64_t n) { return std::max<int64_t>(1, kGrain / (n + 1)); }

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

// row(x, n, y) for every line of `a` along dim and the same line of out.
template <class T, class Row>
void map_rows(const Array& a, int dim, Array& out, Row row) {
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

// row(grad, y, n, dx) for every line of y along dim and the same lines of grad and out.
template <class T, class Row>
void map_row_pairs(const Array& grad, const Array& y, int dim, Array& out, Row row) {
  const int64_t n = length_of(y, dim);
  const Array* const arrays[] = {&grad, &y, &out};
  const Lines<3> lines(y, dim, arrays);
  parallel_for(lines.count, grain_of(n), [&](int64_t begin, int64_t end) {
    const StoragePtr memory = make_room<T>(3 * n);
    T *room = reinterpret_cast<T*>(memory->data()), *more_room = room + n, *result = more_room + n;
    Lines<3> line = lines;
    line.seek(begin);
    for (int64_t k = begin; k < end; ++k, line.next()) {
      const T* g = row_at(grad.data<T>() + line.at[0], line.stride[0], n, room);
      const T* x = row_at(y.data<T>() + line.at[1], line.stride[1], n, more_room);
      T* dx = out.data<T>() + line.at[2];
      if (line.stride[2] == 1 || n == 1) {
        row(g, x, n, dx);
        continue;
      }
      row(g, x, n, result);
      for (int64_t j = 0; j < n; ++j) dx[j * line.stride[2]] = result[j];
    }
  });
}

// Along any dim but the last, neighbouring lines lie side by side in memory.  Up to kColumns of
// them are worked on together, so that every cache line that is fetched is used whole.
constexpr int kColumns = 32;

template <class T>
struct Columns {
  const T* x;  // x[i * stride + j]: element i of line j
  int64_t n, stride;
  int width;
};

// f(j) for every line j of a group; a full group is a loop of known length, made of vectors only.
template <class F>
void for_each_column(int width, F f) {
  if (width == kColumns) {
    for (int j = 0; j < kColumns; ++j) f(j);
  } else {
    for (int j = 0; j < width; ++j) f(j);
  }
}

template <class T>
void max_of_columns(const Columns<T>& c, T* most) {
  for (int j = 0; j < kColumns; ++j) most[j] = -kInfinity<T>;
  for (int64_t i = 0; i < c.n; ++i) {
    const T* x = c.x + i * c.stride;
    for_each_column(c.width, [&](int j) { most[j] = x[j] > most[j] ? x[j] : most[j]; });
  }
}

template <class T>
void sum_exp_of_columns(const Columns<T>& c, const T* shift, T* terms, int64_t terms_stride,
                        T* sums) {
  for (int j = 0; j < kColumns; ++j) sums[j] = 0;
  for (int64_t i = 0; i < c.n; ++i) {
    const T* x = c.x + i * c.stride;
    T e[kColumns];
    for_each_column(c.width, [&](int j) {
      e[j] = exp_of(x[j] - shift[j]);
      sums[j] += e[j];
    });
    if (terms == nullptr) continue;
    for_each_column(c.width, [&](int j) { terms[i * terms_stride + j] = e[j]; });
  }
}

template <class T>
void softmax_columns(const Columns<T>& c, T* out, int64_t out_stride) {
  T most[kColumns], scale[kColumns];
  max_of_columns(c, most);
  sum_exp_of_columns(c, most, out, out_stride, scale);
  for (int j = 0; j < c.width; ++j) scale[j] = 1 / scale[j];
  for (int64_t i = 0; i < c.n; ++i) {
    T* y = out + i * out_stride;
    for_each_column(c.width, [&](int j) { y[j] *= scale[j]; });
  }
}

template <class T>
void log_softmax_columns(const Columns<T>& c, T* out, int64_t out_stride) {
  T most[kColumns], log_sum[kColumns];
  max_of_columns(c, most);
  sum_exp_of_columns<T>(c, most, nullptr, 0, log_sum);
  for (int j = 0; j < c.width; ++j) log_sum[j] = std::log(log_sum[j]);
  for (int64_t i = 0; i < c.n; ++i) {
    const T* x = c.x + i * c.stride;
    T* y = out + i * out_stride;
    for_each_column(c.width, [&](int j) { y[j] = (x[j] - most[j]) - log_sum[j]; });
  }
}

template <class T>
void softmax_backward_columns(const Columns<T>& grad, const Columns<T>& y, T* out, int64_t stride) {
  T blame[kColumns] = {};
  for (int64_t i = 0; i < y.n; ++i) {
    const T *g = grad.x + i * grad.stride, *p = y.x + i * y.stride;
    for_each_column(y.width, [&](int j) { blame[j] += g[j] * p[j]; });
  }
  for (int64_t i = 0; i < y.n; ++i) {
    const T *g = grad.x + i * grad.stride, *p = y.x + i * y.stride;
    T* dx = out + i * stride;
    for_each_column(y.width, [&](int j) { dx[j] = p[j] * (g[j] - blame[j]); });
  }
}

template <class T>
void log_softmax_backward_columns(const Columns<T>& grad, const Columns<T>& y, T* out,
                                  int64_t stride) {
  T blame[kColumns] = {};
  for (int64_t i = 0; i < y.n; ++i) {
    const T* g = grad.x + i * grad.stride;
    for_each_column(y.width, [&](int j) { blame[j] += g[j]; });
  }
  for (int64_t i = 0; i < y.n; ++i) {
    const T *g = grad.x + i * grad.stride, *p = y.x + i * y.stride;
    T* dx = out + i * stride;
    for_each_column(y.width, [&](int j) { dx[j] = g[j] - exp_of(p[j]) * blame[j]; });
  }
}

bool has_columns(const Array& a, int dim) {
  return dim < a.ndim - 1 && a.strides[a.ndim - 1] == 1 && a.shape[a.ndim - 1] > 1;
}

// f(position of each array, its stride along dim, how many lines) for groups of lines of `model`
// that stand side by side in all N arrays.
template <int N, class F>
void for_each_group(const Array& model, int dim, const Array* const (&arrays)[N], F f) {
  const int64_t inner = model.shape[model.ndim - 1];
  const Lines<N> lines(model, dim, arrays);
  const int64_t grain = std::max<int64_t>(4 * kColumns, grain_of(model.shape[dim]));
  parallel_for(lines.count, grain, [&](int64_t begin, int64_t end) {
    Lines<N> line = lines;
    while (begin < end) {
      line.seek(begin);
      const int64_t left = std::min(inner - begin % inner, end - begin);
      const int width = static_cast<int>(std::min<int64_t>(kColumns, left));
      f(line.at, line.stride, width);
      begin += width;
    }
  });
}

template <class T>
Columns<T> columns_of(const Array& a, int dim, int64_t at, int64_t stride, int width) {
  return {a.data<T>() + at, a.shape[dim], stride, width};
}

// columns(lines side by side, where they go, the stride there) for all lines along dim.
template <class T, class F>
void map_columns(const Array& a, int dim, Array& out, F columns) {
  const Array* const arrays[] = {&a, &out};
  for_each_group(a, dim, arrays, [&](const int64_t* at, const int64_t* stride, int width) {
    columns(columns_of<T>(a, dim, at[0], stride[0], width), out.data<T>() + at[1], stride[1]);
  });
}

template <class T, class F>
void map_column_pairs(const Array& grad, const Array& y, int dim, Array& out, F columns) {
  const Array* const arrays[] = {&grad, &y, &out};
  for_each_group(y, dim, arrays, [&](const int64_t* at, const int64_t* stride, int width) {
    columns(columns_of<T>(grad, dim, at[0], stride[0], width),
            columns_of<T>(y, dim, at[1], stride[1], width), out.data<T>() + at[2], stride[2]);
  });
}

void softmax(const Array& a, int dim, Array& out) {
  if (out.numel == 0) return;
  visit_floating(a.dtype, "softmax", [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (has_columns(a, dim)) return map_columns<T>(a, dim, out, &softmax_columns<T>);
    map_rows<T>(a, dim, out, &softmax_row<T>);
  });
}

void log_softmax(const Array& a, int dim, Array& out) {
  if (out.numel == 0) return;
  visit_floating(a.dtype, "log_softmax", [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (has_columns(a, dim)) return map_columns<T>(a, dim, out, &log_softmax_columns<T>);
    map_rows<T>(a, dim, out, &log_softmax_row<T>);
  });
}

void softmax_backward(const Array& grad, const Array& y, int dim, Array& out) {
  if (out.numel == 0) return;
  visit_floating(y.dtype, "softmax_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (has_columns(grad, dim) && has_columns(y, dim)) {
      return map_column_pairs<T>(grad, y, dim, out, &softmax_backward_columns<T>);
    }
    map_row_pairs<T>(grad, y, dim, out, &softmax_backward_row<T>);
  });
}

void log_softmax_backward(const Array& grad, const Array& y, int dim, Array& out) {
  if (out.numel == 0) return;
  visit_floating(y.dtype, "log_softmax_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (has_columns(grad, dim) && has_columns(y, dim)) {
      return map_column_pairs<T>(grad, y, dim, out, &log_softmax_backward_columns<T>);
    }
    map_row_pairs<T>(grad, y, dim, out, &log_softmax_backward_row<T>);
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
      // ex 2.6 begin
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] -= g;
      // ex 2.6 end
    });
  });
}

}  // namespace

template <>
const SoftmaxTable& table<SoftmaxTable, kIsa>() {
  static constexpr SoftmaxTable t{
      &softmax,   &log_softmax,   &softmax_backward,      &log_softmax_backward,
      &logsumexp, &cross_entropy, &cross_entropy_backward};
  return t;
}

}  // namespace norch
