// cumulative: running sums, products, extremes along a line. T is the type read.
//
// One block: one line after another, blockDim.x elements at a time. In each round a thread joins
// what stands 1, 2, 4, ... places to its left with its own, so log2(blockDim.x) rounds run over
// them all (a scan by Hillis and Steele). This works for everything that can be joined in any
// grouping: (a b) c = a (b c).

#include "block.h"

using Accumulated = Accumulate<T>::type;
using Result = Accumulate<T>::result;

// write(i, read(0) joined with ... read(i)) for every i of a line.
template <class V, class Read, class Join, class Write>
__device__ void scan_line(i64 length, Read read, Join join, Write write) {
  __shared__ V parts[256];
  int t = threadIdx.x, width = blockDim.x;
  V before = read(0);  // everything before the present piece; not used in the first
  for (i64 start = 0; start < length; start += width) {
    i64 i = start + t;
    parts[t] = read(i < length ? i : length - 1);  // what is beyond the end reaches no result
    __syncthreads();
    // ex 3.5 begin
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
    // ex 3.5 end
    if (i < length) write(i, start == 0 ? parts[t] : join(before, parts[t]));
    before = start == 0 ? parts[width - 1] : join(before, parts[width - 1]);
    __syncthreads();
  }
}

// Lines of x begin at at(outer, line), those of out at at(outer_out, line).
#define RUNNING(name, V, R, element, joined)                                                     \
  extern "C" __global__ void name##_kernel(i64 lines, i64 length, Layout outer, i64 step,        \
                                           const T* x, Layout outer_out, i64 step_out, R* out) { \
    for (i64 line = blockIdx.x; line < lines; line += gridDim.x) {                               \
      const T* from = x + at(outer, line);                                                       \
      R* to = out + at(outer_out, line);                                                         \
      scan_line<V>(                                                                              \
          length,                                                                                \
          [=](i64 i) {                                                                           \
            T x = from[i * step];                                                                \
            return static_cast<V>(element);                                                      \
          },                                                                                     \
          [](V a, V b) -> V { return joined; },                                                  \
          [=](i64 i, V total) { to[i * step_out] = static_cast<R>(total); });                    \
    }                                                                                            \
  }

RUNNING(cumsum, Accumulated, Result, x, a + b)
RUNNING(cumprod, Accumulated, Result, x, a* b)

// log(exp(a) + exp(b)), never overflowing.
__device__ inline double log_of_sum(double a, double b) {
  if (a != a || b != b) return a + b;
  double low = fmin(a, b), high = fmax(a, b);
  return low == high && isinf(low) ? low : high + log1p(exp(low - high));
}
RUNNING(logcumsumexp, double, T, x, log_of_sum(a, b))

// An extreme and where it stands. Among equals the later one, and a NaN stays. The value is as wide
// as the place: a gap between them would be shared memory that is copied but never written.
struct Found {
  Accumulated value;
  i64 place;
};
__device__ inline Found later_or_better(Found a, Found b, bool largest) {
  if (b.value != b.value) return b;
  if (a.value != a.value) return a;
  return (largest ? b.value >= a.value : b.value <= a.value) ? b : a;
}
__device__ inline void run_extreme(i64 lines, i64 length, const Layout& outer, i64 step, const T* x,
                                   const Layout& outer_out, i64 step_out, T* out, i64* indices,
                                   bool largest) {
  for (i64 line = blockIdx.x; line < lines; line += gridDim.x) {
    const T* from = x + at(outer, line);
    i64 to = at(outer_out, line);
    scan_line<Found>(
        length, [=](i64 i) { return Found{static_cast<Accumulated>(from[i * step]), i}; },
        [=](Found a, Found b) { return later_or_better(a, b, largest); },
        [=](i64 i, Found best) {
          out[to + i * step_out] = static_cast<T>(best.value);
          indices[to + i * step_out] = best.place;
        });
  }
}
extern "C" __global__ void cummax_kernel(i64 lines, i64 length, Layout outer, i64 step, const T* x,
                                         Layout outer_out, i64 step_out, T* out, i64* indices) {
  run_extreme(lines, length, outer, step, x, outer_out, step_out, out, indices, true);
}
extern "C" __global__ void cummin_kernel(i64 lines, i64 length, Layout outer, i64 step, const T* x,
                                         Layout outer_out, i64 step_out, T* out, i64* indices) {
  run_extreme(lines, length, outer, step, x, outer_out, step_out, out, indices, false);
}
