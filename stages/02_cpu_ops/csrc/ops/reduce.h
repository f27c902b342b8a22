// Doors and driver of the reductions.
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

// None means every dim. IndexError out of range, RuntimeError for a dim given twice.
Dims reduced_dims(const std::optional<Dims>& dims, int ndim, const char* op);

const char* name_of(ReduceOp op);

}  // namespace norch
