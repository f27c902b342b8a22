// Moving elements to and from places that another array names.  Every index was checked at the door
// (ops/index.cpp): 0 <= index < size.  Sums over repeated indices are added in the order of the
// index, by one thread each, so that the result does not depend on the number of threads.
#pragma once

#include "core/array.h"
#include "core/isa.h"

namespace norch {
struct IndexTable {
  // out[..., i, ...] = a[..., index[i], ...]       index (n), out contiguous
  void (*index_select)(const Array& a, int dim, const int64_t* index, Array& out);
  // out[..., index[i], ...] += source[..., i, ...]       out contiguous
  void (*index_add)(Array& out, int dim, const int64_t* index, const Array& source);
  // out[i, j, k] = a[i, index[i, j, k], k] for dim 1; index int64, out of its shape
  void (*gather)(const Array& a, int dim, const Array& index, Array& out);
  // out[i, index[i, j, k], k] += source[i, j, k] for dim 1
  void (*scatter_add)(Array& out, int dim, const Array& index, const Array& source);
};
}  // namespace norch
