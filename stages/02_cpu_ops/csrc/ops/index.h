// Doors of the operations that take an index: every index is checked before anything is written.
// An index counts from 0; negative ones are refused, as torch.index_select and torch.gather do.
#pragma once

#include "core/array.h"

namespace norch {

// a (..., size, ...) index (n) -> (..., n, ...)
Array index_select(const Array& a, int64_t dim, const Array& index);
// a (..., size, ...) index (n) source (..., n, ...) -> a copy of a with source added
Array index_add(const Array& a, int64_t dim, const Array& index, const Array& source);
// out[i, j] = a[index[i, j], j] for dim 0, and so on: out has the shape of index
Array gather(const Array& a, int64_t dim, const Array& index);
// a copy of a with out[index[i, j], j] += source[i, j] for dim 0, and so on
Array scatter_add(const Array& a, int64_t dim, const Array& index, const Array& source);

}  // namespace norch
