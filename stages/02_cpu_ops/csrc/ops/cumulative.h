// Doors of the running products, extremes and log-sums (cumsum is in ops/reduce.h).
#pragma once

#include <utility>

#include "core/array.h"

namespace norch {

Array cumprod(const Array& a, int64_t dim);
std::pair<Array, Array> cumulative_extreme(const Array& a, int64_t dim, bool largest);
Array logcumsumexp(const Array& a, int64_t dim);

}  // namespace norch
