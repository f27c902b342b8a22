// scatter, scatter_reduce and embedding_backward as loops over lines and rows.
#include "scalar_kernels/scatter.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/thread_pool.h"
#include "kernels/lines.h"

namespace norch {
namespace {
// Halves are combined as float32, whole numbers as unsigned ones, which may wrap around.
template <class T>
using Whole = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, Whole<T>,
                                std::conditional_t<std::is_same_v<T, double>, double, float>>;

// For the scalar loop of scatter_reduce's amax and amin: whether x is the better; NaN is.
template <class T>
bool is_better(T x, T best, bool largest) {
  const bool is_larger = largest ? x > best : x < best;
  return is_larger || (x != x && best == best);
}

// What the scalar loop of scatter writes for a number and what is there.
template <ScatterOp op, class T>
T combine(T a, T b) {
  using W = Wide<T>;
  if constexpr (op == ScatterOp::kSet) {
    return b;
  } else if constexpr (op == ScatterOp::kAmax || op == ScatterOp::kAmin) {
    return is_better(b, a, op == ScatterOp::kAmax) ? b : a;
  } else if constexpr (std::is_same_v<T, bool>) {
    return op == ScatterOp::kProd ? a && b : a || b;
  } else {
    const W x = static_cast<W>(a), y = static_cast<W>(b);
    return static_cast<T>(op == ScatterOp::kProd ? x * y : x + y);
  }
}

// For the scalar loop of scatter_reduce: a scattered sum over its count; whole numbers round down.
template <class T>
T mean_of(T total, int64_t count) {
  if constexpr (std::is_same_v<T, bool>) {
    return total;
  } else if constexpr (std::is_integral_v<T>) {  // rounded down, as PyTorch
    const int64_t whole = int64_t(total) / count;
    return static_cast<T>(whole - (int64_t(total) % count < 0 ? 1 : 0));
  } else {
    return T(static_cast<Wide<T>>(total) / static_cast<float>(count));
  }
}

// The scalar loop of scatter for one way of combining and one type.
template <ScatterOp op, class T>
void scatter_typed(Array& out, int dim, const Array& index, const Array& source, bool include_self,
                   Array* hits) {
  const int64_t n = length_of(index, dim);
  const Array* const arrays[] = {&out, &index, &source};
  int64_t* const counts = hits == nullptr ? nullptr : hits->data<int64_t>();
  const int64_t grain = std::max<int64_t>(1, (1 << 13) / (n + 1));
  for_each_line(Lines<3>(index, dim, arrays), grain, [&](const Lines<3>& line) {
    const int64_t* place = index.data<int64_t>() + line.at[1];
    const T* from = source.data<T>() + line.at[2];
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = line.at[0] + place[i * line.stride[1]] * line.stride[0];
      const Value<T> x = from[i * line.stride[2]];
      T& target = out.data<T>()[at];
      const bool is_first = !include_self && counts[at] == 0;
      target = is_first ? x : combine<op, Value<T>>(target, x);
      if (counts != nullptr) ++counts[at];
    }
  });
  if constexpr (op == ScatterOp::kMean) {
    T* values = out.data<T>();
    for (int64_t i = 0; i < out.numel; ++i) {
      if (counts[i] > 0)
        values[i] = mean_of<Value<T>>(values[i], counts[i] + (include_self ? 1 : 0));
    }
  }
}

// The scalar loop of embedding_backward over a band of columns, one for each task: no two tasks
// write to the same place.
template <class T>
void add_columns(const Array& grad, const int64_t* index, int64_t padding, const int64_t* counts,
                 Array& out, int64_t first, int64_t last) {
  using W = Wide<T>;
  const int64_t width = out.shape[1], step = grad.strides[1];
  for (int64_t i = 0; i < grad.shape[0]; ++i) {
    if (index[i] == padding) continue;
    const T* from = grad.data<T>() + i * grad.strides[0];
    T* row = out.data<T>() + index[i] * width;
    const W share = counts == nullptr ? W(1) : W(1) / static_cast<W>(counts[index[i]]);
    if (step == 1 && counts == nullptr) {
      for (int64_t j = first; j < last; ++j) row[j] = T(W(row[j]) + W(from[j]));
    } else {
      for (int64_t j = first; j < last; ++j) row[j] = T(W(row[j]) + W(from[j * step]) * share);
    }
  }
}
}  // namespace

// Picks the scalar loop of scatter for an operation and a dtype.
void scatter_lines(Array& out, int dim, const Array& index, const Array& source, ScatterOp op,
                   bool include_self, Array* hits) {
  visit(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    switch (op) {
      case ScatterOp::kSet:
        return scatter_typed<ScatterOp::kSet, T>(out, dim, index, source, true, hits);
      case ScatterOp::kSum:
        return scatter_typed<ScatterOp::kSum, T>(out, dim, index, source, include_self, hits);
      case ScatterOp::kProd:
        return scatter_typed<ScatterOp::kProd, T>(out, dim, index, source, include_self, hits);
      case ScatterOp::kMean:
        return scatter_typed<ScatterOp::kMean, T>(out, dim, index, source, include_self, hits);
      case ScatterOp::kAmax:
        return scatter_typed<ScatterOp::kAmax, T>(out, dim, index, source, include_self, hits);
      case ScatterOp::kAmin:
        return scatter_typed<ScatterOp::kAmin, T>(out, dim, index, source, include_self, hits);
    }
  });
}

// The scalar loops of embedding_backward: bands of columns in parallel.
void embedding_backward_rows(const Array& grad, const int64_t* index, int64_t padding,
                             const int64_t* counts, Array& out) {
  const int64_t grain = std::max<int64_t>(16, (1 << 15) / (grad.shape[0] + 1));
  visit(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_integral_v<Value<T>>) {
      parallel_for(out.shape[1], grain, [&](int64_t first, int64_t last) {
        add_columns<T>(grad, index, padding, counts, out, first, last);
      });
    }
  });
}
}  // namespace norch
