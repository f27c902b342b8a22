// Doors of searchsorted, bincount, histc and nonzero.
#pragma once

#include "core/array.h"

namespace norch {
// For each of `values`, the place in `sorted` before which it could be inserted (int64).
Array searchsorted(const Array& sorted, const Array& values, bool right);
Array bincount(const Array& a, const Array* weights, int64_t minlength);
// `low` == `high`: the range of the data
Array histc(const Array& a, int64_t bins, double low, double high);
Array nonzero(const Array& a);
}  // namespace norch
