// Checks and allocation for index_select, index_add, gather and scatter_add.
#include "ops/index.h"

#include "kernels/index.h"
#include "ops/copy.h"

namespace norch {
namespace {

// The index as contiguous int64, all of it within 0 ... size - 1.
Array checked_index(const Array& index, int dim, int64_t size, const char* op) {
  if (index.dtype != DType::kInt64 && index.dtype != DType::kInt32) {
    raise<TypeError>("[", op, "] expected an index of int64 or int32, got ", name_of(index.dtype));
  }
  Array checked = contiguous_as(index, DType::kInt64);
  const int64_t* values = checked.data<int64_t>();
  for (int64_t i = 0; i < checked.numel; ++i) {
    if (values[i] < 0 || values[i] >= size) {
      raise<IndexError>("[", op, "] index ", values[i], " (number ", i,
                        " of them) is out of range for dim ", dim, " of size ", size,
                        ": expected 0 to ", size - 1, ", negative ones do not count from the end");
    }
  }
  return checked;
}

Array checked_list(const Array& a, int dim, const Array& index, const char* op) {
  if (a.ndim == 0) {
    raise<IndexError>("[", op, "] a zero-dimensional array has no dim to index");
  }
  if (index.ndim > 1) {
    raise<IndexError>("[", op, "] expected an index with one dimension, got shape ",
                      index.shape_text());
  }
  return checked_index(index, dim, a.shape[dim], op);
}

void check_same_dtype(const Array& a, const Array& source, const char* op) {
  if (a.dtype != source.dtype) {
    raise<TypeError>("[", op, "] the array is ", name_of(a.dtype), " but the source is ",
                     name_of(source.dtype), ": cast one of them first");
  }
}

// index may be smaller than `a`, but not reach beyond it in any other dim.
void check_inside(const Array& index, const Array& a, int free_dim, const char* what,
                  const char* op) {
  bool fits = index.ndim == a.ndim;
  for (int i = 0; fits && i < a.ndim; ++i) fits = i == free_dim || index.shape[i] <= a.shape[i];
  if (!fits) {
    raise<ShapeError>("[", op, "] index ", index.shape_text(), " does not fit into the ", what, " ",
                      a.shape_text(), ": same number of dims, and no larger",
                      free_dim < 0 ? "" : " except in dim ",
                      free_dim < 0 ? "" : std::to_string(free_dim));
  }
}

int64_t size_along(const Array& a, int dim) { return a.ndim == 0 ? 1 : a.shape[dim]; }

}  // namespace

Array index_select(const Array& a, int64_t dim, const Array& index) {
  const int d = normalize_dim(dim, a.ndim, "index_select");
  const Array places = checked_list(a, d, index, "index_select");
  Dims sizes;
  for (int i = 0; i < a.ndim; ++i) sizes.push(i == d ? places.numel : a.shape[i]);
  Array out = Array::empty(sizes, a.dtype);
  kernels<IndexTable>().index_select(a, d, places.data<int64_t>(), out);
  return out;
}

Array index_add(const Array& a, int64_t dim, const Array& index, const Array& source) {
  const int d = normalize_dim(dim, a.ndim, "index_add");
  check_same_dtype(a, source, "index_add");
  const Array places = checked_list(a, d, index, "index_add");
  bool fits = source.ndim == a.ndim;
  for (int i = 0; fits && i < a.ndim; ++i) {
    fits = source.shape[i] == (i == d ? places.numel : a.shape[i]);
  }
  if (!fits) {
    raise<ShapeError>("[index_add] source ", source.shape_text(), " does not match array ",
                      a.shape_text(), " with ", places.numel, " indices along dim ", d);
  }
  Array out = clone(a);
  kernels<IndexTable>().index_add(out, d, places.data<int64_t>(), source);
  return out;
}

Array gather(const Array& a, int64_t dim, const Array& index) {
  const int d = normalize_dim(dim, a.ndim, "gather");
  check_inside(index, a, d, "array", "gather");
  const Array places = checked_index(index, d, size_along(a, d), "gather");
  Array out = Array::empty_like(index, a.dtype);
  kernels<IndexTable>().gather(a, d, places, out);
  return out;
}

Array scatter_add(const Array& a, int64_t dim, const Array& index, const Array& source) {
  const int d = normalize_dim(dim, a.ndim, "scatter_add");
  check_same_dtype(a, source, "scatter_add");
  check_inside(index, a, d, "array", "scatter_add");
  check_inside(index, source, -1, "source", "scatter_add");
  const Array places = checked_index(index, d, size_along(a, d), "scatter_add");
  Array out = clone(a);
  kernels<IndexTable>().scatter_add(out, d, places, source);
  return out;
}

}  // namespace norch
