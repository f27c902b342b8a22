// Doors of sorting and selecting along a dim.
#pragma once

#include <tuple>
#include <utility>

#include "core/array.h"

namespace norch {
std::pair<Array, Array> sort(const Array& a, int64_t dim, bool descending);
std::pair<Array, Array> topk(const Array& a, int64_t k, int64_t dim, bool largest);
std::pair<Array, Array> kthvalue(const Array& a, int64_t k, int64_t dim, bool keepdim);
// The lower one of two middle elements.
std::pair<Array, Array> median(const Array& a, int64_t dim, bool keepdim);
// values, inverse (of a's shape), counts
std::tuple<Array, Array, Array> unique(const Array& a);
}  // namespace norch
