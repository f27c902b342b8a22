// Running products, extremes and log-sums along a dim, line by line: each result needs the one
// before it, so there is nothing to vectorise within a line. Compiled once. (cumsum, the frequent
// one, also runs many lines side by side: see reduce.h.)
#pragma once

#include "core/array.h"

namespace norch {
// out has the shape of a; floats in their own type (products in double), whole numbers as int64.
void cumprod_lines(const Array& a, int dim, Array& out);
// values and indices have the shape of a. Of equals the later one counts; NaN wins.
void cumulative_extreme_lines(const Array& a, int dim, bool largest, Array& values, Array& indices);
// out[i] = log(exp(a[0]) + ... + exp(a[i])); floats only
void logcumsumexp_lines(const Array& a, int dim, Array& out);
}  // namespace norch
