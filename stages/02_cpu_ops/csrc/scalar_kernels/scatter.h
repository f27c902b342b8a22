// Combining into places that another array names, and the gradient of a table of rows. Every index
// was checked at the door; repeated ones are combined in the order of the index, by one thread
// each, so that the result does not depend on the number of threads. Compiled once: scattered
// moves.
#pragma once

#include "core/array.h"

namespace norch {
enum class ScatterOp { kSet, kSum, kProd, kMean, kAmax, kAmin };

// out[i, index[i, j, k], k] = source[i, j, k] for dim 1, or combined with what is there (or, unless
// include_self, with nothing). `hits` (int64, of out's shape) has room for kMean and for
// include_self = false. out is contiguous.
void scatter_lines(Array& out, int dim, const Array& index, const Array& source, ScatterOp op,
                   bool include_self, Array* hits);

// out (rows, width), all zeros, += grad (n, width) at index[n]; none for `padding`; `counts`
// (rows), or null, divides what is added by how often a row was named.
void embedding_backward_rows(const Array& grad, const int64_t* index, int64_t padding,
                             const int64_t* counts, Array& out);
}  // namespace norch
