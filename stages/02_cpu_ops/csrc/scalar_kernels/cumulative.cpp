// One loop along a line for each; halves are read as float32.
#include "scalar_kernels/cumulative.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/thread_pool.h"
#include "kernels/lines.h"

namespace norch {
namespace {
// How many lines of a scalar loop, such as cumprod's, make a thread's chunk.
int64_t grain_of(int64_t length) { return std::max<int64_t>(1, (1 << 14) / (length + 1)); }

// What a number of type T is computed in: double for running products and sums, as PyTorch.
template <class T>
using Running = std::conditional_t<std::is_integral_v<Value<T>>, uint64_t, double>;

// A number as the scalar loop of cumprod computes it.
template <class T>
Running<T> number_in(T x) {
  if constexpr (std::is_integral_v<Value<T>>) {
    return static_cast<uint64_t>(static_cast<int64_t>(x));
  } else {
    return static_cast<Running<T>>(convert<double>(x));
  }
}

// log(exp(a) + exp(b)) without overflow, for the scalar loop of logcumsumexp.
double log_add_exp(double a, double b) {
  const double low = a < b ? a : b, high = a < b ? b : a;
  if (a != a || b != b) return a + b;
  if (low == high && std::isinf(low)) return low;
  return high + std::log1p(std::exp(low - high));
}

// Whether a number is NaN, for the scalar loop of cummax and cummin.
template <class T>
bool is_nan(T x) {
  if constexpr (std::is_integral_v<Value<T>>) {
    return false;
  } else {
    const float value = static_cast<float>(x);
    return value != value;
  }
}
}  // namespace

// The scalar loop of cumprod, line by line.
void cumprod_lines(const Array& a, int dim, Array& out) {
  visit(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Result = std::conditional_t<std::is_integral_v<Value<T>>, int64_t, T>;
    const int64_t n = length_of(a, dim);
    const Array* const arrays[] = {&a, &out};
    for_each_line(Lines<2>(a, dim, arrays), grain_of(n), [&](const Lines<2>& line) {
      const T* from = a.data<T>() + line.at[0];
      Result* to = out.data<Result>() + line.at[1];
      Running<T> product = 1;
      for (int64_t i = 0; i < n; ++i) {
        product *= number_in(from[i * line.stride[0]]);
        to[i * line.stride[1]] = convert<Result>(product);
      }
    });
  });
}

// The scalar loop of cummax and cummin, line by line.
void cumulative_extreme_lines(const Array& a, int dim, bool largest, Array& values,
                              Array& indices) {
  visit(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = length_of(a, dim);
    const Array* const arrays[] = {&a, &values, &indices};
    for_each_line(Lines<3>(a, dim, arrays), grain_of(n), [&](const Lines<3>& line) {
      const T* from = a.data<T>() + line.at[0];
      T* value = values.data<T>() + line.at[1];
      int64_t* index = indices.data<int64_t>() + line.at[2];
      Value<T> best = from[0];
      int64_t place = 0;
      for (int64_t i = 0; i < n; ++i) {
        const Value<T> x = from[i * line.stride[0]];
        if (is_nan(x) || (!is_nan(best) && (largest ? x >= best : x <= best))) {
          best = x;
          place = i;
        }
        value[i * line.stride[1]] = best;
        index[i * line.stride[2]] = place;
      }
    });
  });
}

// The scalar loop of logcumsumexp, line by line.
void logcumsumexp_lines(const Array& a, int dim, Array& out) {
  visit(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = length_of(a, dim);
    const Array* const arrays[] = {&a, &out};
    for_each_line(Lines<2>(a, dim, arrays), grain_of(n), [&](const Lines<2>& line) {
      const T* from = a.data<T>() + line.at[0];
      T* to = out.data<T>() + line.at[1];
      double total = -INFINITY;
      for (int64_t i = 0; i < n; ++i) {
        total = log_add_exp(total, convert<double>(from[i * line.stride[0]]));
        to[i * line.stride[1]] = convert<T>(total);
      }
    });
  });
}
}  // namespace norch
