// Doors of the operations that take an index: every index is checked before anything is written.
// An index counts from 0; negative ones are refused, as torch.index_select and torch.gather do.
#pragma once

#include <string>

#include "core/array.h"

namespace norch {
// a (..., size, ...) index (n) -> (..., n, ...)
Array index_select(const Array& a, int64_t dim, const Array& index);
// a (..., size, ...) index (n) source (..., n, ...) -> a copy of a with source added
Array index_add(const Array& a, int64_t dim, const Array& index, const Array& source);
// a[..., index[i], ...] = source[..., i, ...], in place; of repeated indices the last one stays.
// source (..., n, ...) may repeat elements: strides of 0 are fine.
void index_copy_(Array& a, int64_t dim, const Array& index, const Array& source);
// The numbers of the places that `indices` name along `dims` of an array of `shape`, counted row by
// row over those dims: (i * size_j + j) * size_k + k. Negative indices count from the end. Indices
// of one shape; a single one that needs no change is returned itself.
Array ravel_multi_index(const Array* const* indices, int count, const Dims& shape,
                        const Dims& dims);
// out[i, j] = a[index[i, j], j] for dim 0, and so on: out has the shape of index
Array gather(const Array& a, int64_t dim, const Array& index);
// a copy of a with out[index[i, j], j] += source[i, j] for dim 0, and so on
Array scatter_add(const Array& a, int64_t dim, const Array& index, const Array& source);
// the same with = instead of +=; of repeated indices, the last one of a line stays
Array scatter(const Array& a, int64_t dim, const Array& index, const Array& source);
// the same with reduce: sum, prod, mean, amax or amin; without include_self, what `a` had at the
// places named does not count
Array scatter_reduce(const Array& a, int64_t dim, const Array& index, const Array& source,
                     const std::string& reduce, bool include_self);
// grad (..., width), index (...) -> (num_weights, width): row r is the sum of grad where index is
// r. The row padding_idx stays zero; scale_grad_by_freq divides row r by how often r was named.
Array embedding_backward(const Array& grad, const Array& index, int64_t num_weights,
                         int64_t padding_idx, bool scale_grad_by_freq);
}  // namespace norch
