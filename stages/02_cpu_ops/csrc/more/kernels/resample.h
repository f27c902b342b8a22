// Images of another size: adaptive pooling and interpolation. What they share is that rows and
// columns go separately, and that each output of a line is a weighted sum of a few inputs of it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/array.h"
#include "core/isa.h"

namespace norch {
// A line of `in` elements becomes one of `out()`: output o is the sum over i from begin[o] to
// begin[o + 1] of weight[i] times the input at place[i].
struct Resampling {
  int64_t in;
  std::vector<int64_t> begin{0}, place{};
  std::vector<double> weight{};
  int64_t out() const { return int64_t(begin.size()) - 1; }
  void add(int64_t at, double factor) {
    place.push_back(at);
    weight.push_back(factor);
  }
  void end_output() { begin.push_back(int64_t(place.size())); }
};

struct ResampleTable {
  // x (planes, rows.in, cols.in) -> out (planes, rows.out, cols.out); float32 or float64,
  // contiguous
  void (*resample)(const Resampling& rows, const Resampling& cols, const Array& x, Array& out);
  // the gradient: every output's goes where it came from, with the same weights
  void (*resample_backward)(const Resampling& rows, const Resampling& cols, const Array& grad,
                            Array& dx);
  // The largest element (NaN wins, of equals the first) among rows.place x cols.place of each
  // output, and its place in the plane; the weights do not matter.
  void (*resample_max)(const Resampling& rows, const Resampling& cols, const Array& x, Array& out,
                       Array& index);
};
}  // namespace norch
