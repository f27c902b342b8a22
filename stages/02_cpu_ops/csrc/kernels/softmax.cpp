// The softmax family. Every algorithm stands here once, over a group of lines: one row, cut into
// the lanes of vectors, or columns that lie side by side, one in each lane. All of them subtract
// the largest element of a line before exp, so that nothing overflows and the largest term is 1.
#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/thread_pool.h"
#include "kernels/lines.h"
#include "kernels/loop.h"
#include "kernels/math.h"
#include "kernels/sums.h"

namespace norch {
namespace {
// Two AVX-512 vectors of floats, so that one works while the other waits; ten classes need but one.
constexpr int kBlock = 32, kShortRow = 16;
constexpr int64_t kGrain = 1 << 13;  // elements: exp makes them dear

// Of numbers that are not positive: the line's maximum was subtracted. What is below the
// smallest normal number becomes 0, in float64 as well: subnormals would cost half as much again.
inline float exp_of(float x) { return math::exp_of_negative(x); }
inline double exp_of(double x) {
  const double y = math::near_exp(x);
  return x < -math::kNearExpLimit64 ? 0.0 : y;
}

template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

// One number for each line of a group.
template <class Group, class T>
struct PerLine {
  T of[Group::kLines];
  T& operator[](int line) { return of[line]; }
  const T& operator[](int line) const { return of[line]; }
};

// Step i, lane j of an array lies at data[i * step + j].
template <class T>
struct Strided {
  T* data;
  int64_t step;
  T& operator()(int64_t i, int64_t j) const { return data[i * step + j]; }
};

// One row of n elements: lane j has the elements j, j + L, ... and all lanes belong to line 0.
template <int L>
struct Row {
  static constexpr int kLanes = L, kLines = 1;
  int64_t n;

  int64_t steps() const { return n / L; }
  int rest() const { return static_cast<int>(n % L); }  // elements behind the last whole step
  constexpr int width() const { return L; }
  constexpr int count() const { return 1; }  // of lines
  constexpr int line_of(int) const { return 0; }

  // Asks for what stands below a step: the next row, if rows lie side by side.
  template <class T>
  void fetch_below(const T* step) const {
    prefetch(step + n, L);
  }

  template <class T, class F>
  PerLine<Row, T> fold_lines(T* lanes, F combine) const {
    fold<L / 2>(lanes, combine);
    return {{lanes[0]}};
  }
};

// Up to kBlock columns of n elements that lie side by side, so that every cache line that is
// fetched is used whole: lane j is line j.
struct Columns {
  static constexpr int kLanes = kBlock, kLines = kBlock;
  int64_t n;
  int used;

  int64_t steps() const { return n; }
  constexpr int rest() const { return 0; }
  int width() const { return used; }
  int count() const { return used; }
  constexpr int line_of(int j) const { return j; }

  template <class T>
  void fetch_below(const T*) const {}  // the next step, which comes at once

  template <class T, class F>
  PerLine<Columns, T> fold_lines(const T* lanes, F) const {
    PerLine<Columns, T> result;
    for (int j = 0; j < kLanes; ++j) result[j] = lanes[j];
    return result;
  }
};

// f(j) for j < width; all lanes are a loop of known length, made of vectors only.
template <int L, class F>
inline void for_lanes(int width, F f) {
  if (width == L) {
    NORCH_INDEPENDENT
    for (int j = 0; j < L; ++j) f(j);
  } else {
    for (int j = 0; j < width; ++j) f(j);
  }
}

// f(step, lane, line) for every element, step by step; ahead(step) comes before all but the last.
template <class Group, class F, class Ahead>
void for_steps(const Group& lines, F f, Ahead ahead) {
  const int64_t steps = lines.steps();
  for (int64_t i = 0; i < steps; ++i) {
    ahead(i);
    for_lanes<Group::kLanes>(lines.width(), [&](int j) { f(i, j, lines.line_of(j)); });
  }
  for_lanes<Group::kLanes>(lines.rest(), [&](int j) { f(steps, j, lines.line_of(j)); });
}

// The same where the lanes need not be kept apart: a row is then a single step of n elements.
template <class F>
void for_each(const Columns& columns, F f) {
  for_steps(columns, f, [](int64_t) {});
}

template <int L, class F>
void for_each(const Row<L>& row, F f) {
  NORCH_INDEPENDENT
  for (int64_t j = 0; j < row.n; ++j) f(0, j, 0);
}

// f(numbers of a step, the step, how many lanes to compute, how many of them are elements). The
// last step of a row is filled up with -infinity, whose exp adds nothing.
template <class Group, class T, class F>
void for_blocks(const Group& lines, Strided<const T> x, F f) {
  constexpr int kLanes = Group::kLanes;
  const int64_t steps = lines.steps();
  for (int64_t i = 0; i < steps; ++i) f(&x(i, 0), i, lines.width(), lines.width());
  if (lines.rest() == 0) return;
  const T* const last = &x(steps, 0);
  const int64_t rest = lines.rest();
  T padded[kLanes];
  for (int64_t j = 0; j < kLanes; ++j) padded[j] = j < rest ? last[j] : -kInfinity<T>;
  f(padded, steps, kLanes, lines.rest());
}

// The largest element of each line.
template <class Group, class T>
PerLine<Group, T> max_of(const Group& lines, Strided<const T> x) {
  T most[Group::kLanes];
  for (int j = 0; j < Group::kLanes; ++j) most[j] = -kInfinity<T>;
  for_blocks(lines, x, [&](const T* block, int64_t, int width, int) {
    lines.fetch_below(block);
    for_lanes<Group::kLanes>(width,
                             [&](int j) { most[j] = block[j] > most[j] ? block[j] : most[j]; });
  });
  return lines.fold_lines(most, [](T a, T b) { return a > b ? a : b; });
}

// The sum over each line of f(step, lane).
template <class T, class Group, class F, class Ahead>
PerLine<Group, T> sum_of(const Group& lines, F f, Ahead ahead) {
  T sums[Group::kLanes] = {};
  const auto add = [&](int64_t i, int j, int) { sums[j] += f(i, j); };
  for_steps(lines, add, ahead);
  return lines.fold_lines(sums, [](T a, T b) { return a + b; });
}

// The sum over each line of exp(x - shift); the terms go to `terms` unless its data is null.
template <class Group, class T>
PerLine<Group, T> sum_exp(const Group& lines, Strided<const T> x, const PerLine<Group, T> shift,
                          Strided<T> terms) {  // a shift of its own, which no term overwrites
  T sums[Group::kLanes] = {};
  for_blocks(lines, x, [&](const T* block, int64_t i, int width, int count) {
    T e[Group::kLanes];
    for_lanes<Group::kLanes>(width,
                             [&](int j) { e[j] = exp_of(block[j] - shift[lines.line_of(j)]); });
    if (terms.data == nullptr) {
      for_lanes<Group::kLanes>(width, [&](int j) { sums[j] += e[j]; });
      return;
    }
    for_lanes<Group::kLanes>(count, [&](int j) {  // together: e stays in registers
      sums[j] += e[j];
      terms(i, j) = e[j];
    });
  });
  return lines.fold_lines(sums, [](T a, T b) { return a + b; });
}

// softmax of a group of lines: exp of each less its largest, over their sum.
template <class Group, class T>
void softmax_of(const Group& lines, Strided<const T> x, Strided<T> y) {
  // ex 2.5 begin
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
  // ex 2.5 end
}

// softmax's gradient for a group of lines.
template <class Group, class T>
void softmax_backward_of(const Group& lines, Strided<const T> grad, Strided<const T> y,
                         Strided<T> dx) {
  const auto product = [&](int64_t i, int j) { return grad(i, j) * y(i, j); };
  const auto dot = sum_of<T>(lines, product, [&](int64_t i) {
    lines.fetch_below(&grad(i, 0));
    lines.fetch_below(&y(i, 0));
  });
  for_each(lines,
           [&](int64_t i, int64_t j, int line) { dx(i, j) = y(i, j) * (grad(i, j) - dot[line]); });
}

// log_softmax of a group of lines.
template <class Group, class T>
void log_softmax_of(const Group& lines, Strided<const T> x, Strided<T> y) {
  const PerLine<Group, T> most = max_of(lines, x);
  PerLine<Group, T> log_sum = sum_exp(lines, x, most, Strided<T>{});
  for (int k = 0; k < lines.count(); ++k) log_sum[k] = std::log(log_sum[k]);
  for_each(lines, [&](int64_t i, int64_t j, int line) {
    y(i, j) = (x(i, j) - most[line]) - log_sum[line];
  });
}

// log_softmax's gradient for a group of lines.
template <class Group, class T>
void log_softmax_backward_of(const Group& lines, Strided<const T> grad, Strided<const T> y,
                             Strided<T> dx) {
  const auto sum = sum_of<T>(lines, grad, [&](int64_t i) {
    lines.fetch_below(&grad(i, 0));
    lines.fetch_below(&y(i, 0));
  });
  for_each(lines, [&](int64_t i, int64_t j, int line) {
    dx(i, j) = grad(i, j) - exp_of(y(i, j)) * sum[line];
  });
}

// f(a row of n elements), with fewer lanes for a short one.
template <class F>
void as_row(int64_t n, F f) {
  if (n <= kShortRow) return f(Row<kShortRow>{n});
  f(Row<kBlock>{n});
}

// max_of and sum_exp of one row that lies in memory without gaps.
template <class T>
T max_of(const T* x, int64_t n) {
  T result;
  as_row(n, [&](auto row) { result = max_of(row, Strided<const T>{x, row.kLanes})[0]; });
  return result;
}

template <class T>
T sum_exp(const T* x, int64_t n, T shift, T* terms) {
  T result;
  as_row(n, [&](auto row) {
    const Strided<const T> from{x, row.kLanes};
    result =
        sum_exp(row, from, PerLine<decltype(row), T>{{shift}}, Strided<T>{terms, row.kLanes})[0];
  });
  return result;
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

// How many lines of n elements are worth a thread's chunk.
int64_t grain_of(int64_t n) { return std::max<int64_t>(1, kGrain / (n + 1)); }

// A line of an array as a contiguous row: the memory itself when it is one, else copied to `room`.
template <class T>
const T* row_at(const T* line, int64_t stride, int64_t n, T* room) {
  if (stride == 1 || n == 1) return line;
  for (int64_t j = 0; j < n; ++j) room[j] = line[j * stride];
  return room;
}

// The N arrays that are read and, behind them, the one that is written.
template <int N>
struct Operands {
  const Array* arrays[N + 1];
  Array* out;

  template <class T>
  const T* in(int k, int64_t at) const {
    return arrays[k]->template data<T>() + at;
  }
};

// f(row, rows read, row written) for every line along dim.
template <class T, int N, class F>
void map_rows(const Operands<N>& operands, int dim, F f) {
  const int64_t n = length_of(*operands.out, dim);
  const Lines<N + 1> lines(*operands.out, dim, operands.arrays);
  parallel_for(lines.count, grain_of(n), [&](int64_t begin, int64_t end) {
    const Room<T> room((N + 1) * n);
    T* const result = room.data() + N * n;
    Lines<N + 1> line = lines;
    line.seek(begin);
    for (int64_t k = begin; k < end; ++k, line.next()) {
      const T* from[N];
      for (int i = 0; i < N; ++i) {
        from[i] =
            row_at(operands.template in<T>(i, line.at[i]), line.stride[i], n, room.data() + i * n);
      }
      T* const to = operands.out->template data<T>() + line.at[N];
      const bool is_row = line.stride[N] == 1 || n == 1;
      as_row(n, [&](auto row) {
        Strided<const T> x[N];
        for (int i = 0; i < N; ++i) x[i] = {from[i], row.kLanes};
        f(row, x, Strided<T>{is_row ? to : result, row.kLanes});
      });
      if (is_row) continue;
      for (int64_t j = 0; j < n; ++j) to[j * line.stride[N]] = result[j];
    }
  });
}

// Whether lines along dim stand side by side in memory.
bool has_columns(const Array& a, int dim) {
  return dim < a.ndim - 1 && a.strides[a.ndim - 1] == 1 && a.shape[a.ndim - 1] > 1;
}

// f(columns, columns read, columns written) for groups of lines that stand side by side.
template <class T, int N, class F>
void map_columns(const Operands<N>& operands, int dim, F f) {
  const Array& out = *operands.out;
  const int64_t inner = out.shape[out.ndim - 1], n = out.shape[dim];
  const Lines<N + 1> lines(out, dim, operands.arrays);
  const int64_t grain = std::max<int64_t>(4 * kBlock, grain_of(n));
  parallel_for(lines.count, grain, [&](int64_t begin, int64_t end) {
    Lines<N + 1> line = lines;
    while (begin < end) {
      line.seek(begin);
      const int64_t left = std::min(inner - begin % inner, end - begin);
      const int width = static_cast<int>(std::min<int64_t>(kBlock, left));
      Strided<const T> x[N];
      for (int i = 0; i < N; ++i) {
        x[i] = {operands.template in<T>(i, line.at[i]), line.stride[i]};
      }
      f(Columns{n, width}, x,
        Strided<T>{operands.out->template data<T>() + line.at[N], line.stride[N]});
      begin += width;
    }
  });
}

// f(lines, what is read of them, where they are written) for all lines along dim.
template <int N, class F>
void map_lines(const Operands<N>& operands, int dim, const char* op, F f) {
  if (operands.out->numel == 0) return;
  bool side_by_side = true;
  for (int i = 0; i < N; ++i) side_by_side &= has_columns(*operands.arrays[i], dim);
  visit_floating(operands.out->dtype, op, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (side_by_side) return map_columns<T>(operands, dim, f);
    map_rows<T>(operands, dim, f);
  });
}

// The kernel of softmax along a dim.
void softmax(const Array& a, int dim, Array& out) {
  map_lines<1>({{&a, &out}, &out}, dim, "softmax",
               [](const auto& lines, auto* x, auto y) { softmax_of(lines, x[0], y); });
}

// The kernel of log_softmax along a dim.
void log_softmax(const Array& a, int dim, Array& out) {
  map_lines<1>({{&a, &out}, &out}, dim, "log_softmax",
               [](const auto& lines, auto* x, auto y) { log_softmax_of(lines, x[0], y); });
}

// The kernel of softmax's gradient.
void softmax_backward(const Array& grad, const Array& y, int dim, Array& out) {
  map_lines<2>(
      {{&grad, &y, &out}, &out}, dim, "softmax_backward",
      [](const auto& lines, auto* x, auto dx) { softmax_backward_of(lines, x[0], x[1], dx); });
}

// The kernel of log_softmax's gradient.
void log_softmax_backward(const Array& grad, const Array& y, int dim, Array& out) {
  map_lines<2>(
      {{&grad, &y, &out}, &out}, dim, "log_softmax_backward",
      [](const auto& lines, auto* x, auto dx) { log_softmax_backward_of(lines, x[0], x[1], dx); });
}

// The kernel of logsumexp along a dim, line by line.
void logsumexp(const Array& a, int dim, Array& out) {
  visit_floating(a.dtype, "logsumexp", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = length_of(a, dim);
    const Array* const arrays[] = {&a};
    const Lines<1> lines(a, dim, arrays);
    parallel_for(lines.count, grain_of(n), [&](int64_t begin, int64_t end) {
      const Room<T> room(n);
      Lines<1> line = lines;
      line.seek(begin);
      for (int64_t k = begin; k < end; ++k, line.next()) {
        const T* x = row_at(a.data<T>() + line.at[0], line.stride[0], n, room.data());
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
    const Room<T> room(classes);
    for (int64_t i = begin; i < end; ++i) {
      row(i, row_at(logits.data<T>() + i * logits.strides[0], logits.strides[1], classes,
                    room.data()));
    }
  });
}

// The kernel of cross_entropy: the loss and logsumexp of each row.
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

// The kernel of cross_entropy's gradient, row by row.
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
