// Doors and driver of the reductions; doors of the running sums, products, extremes and log-sums.
#pragma once

#include <optional>
#include <utility>

#include "core/array.h"
#include "kernels/reduce.h"

namespace norch {
// `dims` sorted and free of duplicates, as reduced_dims gives them.
Array reduce(ReduceOp op, const Array& a, const Dims& dims, bool keepdim, double param = 0);
// The extreme along one dim and where it stands first: (values, indices).
std::pair<Array, Array> extreme(ReduceOp op, const Array& a, int64_t dim, bool keepdim);
Array cumsum(const Array& a, int64_t dim);
Array cumprod(const Array& a, int64_t dim);
std::pair<Array, Array> cumulative_extreme(const Array& a, int64_t dim, bool largest);
Array logcumsumexp(const Array& a, int64_t dim);

// None means every dim. IndexError out of range, RuntimeError for a dim given twice.
Dims dims_to_reduce(const std::optional<Dims>& dims, int ndim, const char* op);

const char* name_of(ReduceOp op);
}  // namespace norch
