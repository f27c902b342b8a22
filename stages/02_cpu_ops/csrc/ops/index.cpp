// Checks and allocation for the operations that take an index.
#include "ops/index.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/index.h"
#include "ops/copy.h"
#include "scalar_kernels/scatter.h"

namespace norch {
namespace {
// An index as contiguous int64; an error for any other dtype.
Array as_index(const Array& index, const char* op) {
  if (index.dtype != DType::kInt64 && index.dtype != DType::kInt32) {
    raise<DTypeError>("[", op, "] expected an index of int64 or int32, got ", name_of(index.dtype));
  }
  return contiguous_as(index, DType::kInt64);
}

// The index as contiguous int64, all of it within 0 ... size - 1; raises Kind otherwise.
template <class Kind>
Array checked_index(const Array& index, int dim, int64_t size, const char* op) {
  Array checked = as_index(index, op);
  const int64_t* values = checked.data<int64_t>();
  for (int64_t i = 0; i < checked.numel; ++i) {
    if (size == 0) {
      raise<Kind>("[", op, "] index ", values[i], " is out of range for dim ", dim, " of size 0, ",
                  "which has nothing to choose: expected no indices");
    }
    if (values[i] < 0 || values[i] >= size) {
      raise<Kind>("[", op, "] index ", values[i], " (number ", i,
                  " of them) is out of range for dim ", dim, " of size ", size, ": expected 0 to ",
                  size - 1, ", negative ones do not count from the end");
    }
  }
  return checked;
}

// The index of index_select and its like: one dim, all in range.
Array checked_list(const Array& a, int dim, const Array& index, const char* op) {
  if (a.ndim == 0) {
    raise<IndexError>("[", op, "] a zero-dimensional array has no dim to index");
  }
  if (index.ndim > 1) {
    raise<IndexError>("[", op, "] expected an index with one dimension, got shape ",
                      index.shape_text());
  }
  return checked_index<IndexError>(index, dim, a.shape[dim], op);
}

// Refuses a source of another dtype than the array.
void check_same_dtype(const Array& a, const Array& source, const char* op) {
  if (a.dtype != source.dtype) {
    raise<DTypeError>("[", op, "] the array is ", name_of(a.dtype), " but the source is ",
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
}  // namespace

// Door of index_select: checks the index, then the kernel.
Array index_select(const Array& a, int64_t dim, const Array& index) {
  const int d = normalize_dim(dim, a.ndim, "index_select");
  const Array places = checked_list(a, d, index, "index_select");
  Dims sizes;
  for (int i = 0; i < a.ndim; ++i) sizes.push(i == d ? places.numel : a.shape[i]);
  Array out = Array::empty(sizes, a.dtype);
  kernels<IndexTable>().index_select(a, d, places.data<int64_t>(), out);
  return out;
}

namespace {
// The least and the greatest index are within -size ... size - 1; true if the least is below 0.
bool counts_from_the_end(const Array& index, int64_t dim, int64_t size) {
  const int64_t* values = index.data<int64_t>();
  int64_t low = 0, high = -1;
  for (int64_t i = 0; i < index.numel; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  if (low < -size || high >= size) {
    raise<IndexError>("[index] index ", high >= size ? high : low,
                      " is out of bounds for dimension ", dim, " with size ", size);
  }
  return low < 0;
}
}  // namespace

// Door of ravel_multi_index: checks and adds up the indices.
Array ravel_multi_index(const Array* const* indices, int count, const Dims& shape,
                        const Dims& dims) {
  Array numbers;
  for (int k = 0; k < count; ++k) {
    const int dim = normalize_dim(dims[k], shape.n, "ravel_multi_index");
    const int64_t size = shape.n == 0 ? 1 : shape[dim];
    const Array index = as_index(*indices[k], "ravel_multi_index");
    const bool from_end = counts_from_the_end(index, dim, size);
    if (k == 0 && count == 1 && !from_end) return index;
    if (k == 0) {
      numbers = Array::empty_like(index, DType::kInt64);
      std::memset(numbers.bytes(), 0, static_cast<size_t>(numbers.nbytes()));
    }
    const int64_t* values = index.data<int64_t>();
    int64_t* out = numbers.data<int64_t>();
    for (int64_t i = 0; i < numbers.numel; ++i) {
      out[i] = out[i] * size + values[i] + (values[i] < 0 ? size : 0);
    }
  }
  return numbers;
}

namespace {
// Source is as the slices of `a` along d that `count` indices name.
void check_slices(const Array& a, int d, int64_t count, const Array& source, const char* op) {
  check_same_dtype(a, source, op);
  bool fits = source.ndim == a.ndim;
  for (int i = 0; fits && i < a.ndim; ++i) fits = source.shape[i] == (i == d ? count : a.shape[i]);
  if (!fits) {
    raise<ShapeError>("[", op, "] source ", source.shape_text(), " does not match array ",
                      a.shape_text(), " with ", count, " indices along dim ", d);
  }
}

// The first slice along a dimension of size 1 or more.
Array first_slice(const Array& a, int dim) {
  Array slice = a;
  slice.ndim = a.ndim - 1;
  for (int i = dim; i < slice.ndim; ++i) {
    slice.shape[i] = a.shape[i + 1];
    slice.strides[i] = a.strides[i + 1];
  }
  slice.update();
  return slice;
}
}  // namespace

// Door of index_add: checks index and source, then the kernel.
Array index_add(const Array& a, int64_t dim, const Array& index, const Array& source) {
  const int d = normalize_dim(dim, a.ndim, "index_add");
  const Array places = checked_list(a, d, index, "index_add");
  check_slices(a, d, places.numel, source, "index_add");
  Array out = clone(a);
  kernels<IndexTable>().index_add(out, d, places.data<int64_t>(), source);
  return out;
}

// Door of index_copy_: checks, then copies slice by slice.
void index_copy_(Array& a, int64_t dim, const Array& index, const Array& source) {
  const int d = normalize_dim(dim, a.ndim, "index_copy_");
  Array places = checked_list(a, d, index, "index_copy_");
  if (a.shares_storage(places)) places = clone(places);  // read before it is written over
  check_slices(a, d, places.numel, source, "index_copy_");
  begin_write(a, "index_copy_");
  if (source.numel == 0) return;
  const Array given = a.shares_storage(source) ? clone(source) : source;
  Array to = first_slice(a, d), from = first_slice(given, d);
  const bool is_run = to.contiguous && from.contiguous && a.dtype != DType::kBool;
  for (int64_t i = 0; i < places.numel; ++i) {
    to.offset = a.offset + places.data<int64_t>()[i] * a.strides[d];
    from.offset = given.offset + i * given.strides[d];
    if (is_run) {
      std::memcpy(to.bytes(), from.bytes(), static_cast<size_t>(to.nbytes()));
    } else {
      copy_elements(to, from);
    }
  }
}

// Door of gather: checks the index, then the kernel.
Array gather(const Array& a, int64_t dim, const Array& index) {
  const int d = normalize_dim(dim, a.ndim, "gather");
  check_inside(index, a, d, "array", "gather");
  const Array places = checked_index<Error>(index, d, length_of(a, d), "gather");
  Array out = Array::empty_like(index, a.dtype);
  kernels<IndexTable>().gather(a, d, places, out);
  return out;
}

namespace {
// What scatter, scatter_add and scatter_reduce check; the index, ready for use.
Array checked_scatter(const Array& a, int d, const Array& index, const Array& source,
                      const char* op) {
  check_same_dtype(a, source, op);
  check_inside(index, a, d, "array", op);
  check_inside(index, source, -1, "source", op);
  return checked_index<Error>(index, d, length_of(a, d), op);
}

// Which way of combining scatter_reduce's argument names.
ScatterOp scatter_op(const std::string& reduce) {
  if (reduce == "sum") return ScatterOp::kSum;
  if (reduce == "prod") return ScatterOp::kProd;
  if (reduce == "mean") return ScatterOp::kMean;
  if (reduce == "amax") return ScatterOp::kAmax;
  if (reduce == "amin") return ScatterOp::kAmin;
  raise<Error>("[scatter_reduce] reduce is '", reduce,
               "': expected 'sum', 'prod', 'mean', 'amax' or 'amin'");
}
}  // namespace

// Door of scatter_add: checks index and source, then the kernel.
Array scatter_add(const Array& a, int64_t dim, const Array& index, const Array& source) {
  const int d = normalize_dim(dim, a.ndim, "scatter_add");
  const Array places = checked_scatter(a, d, index, source, "scatter_add");
  Array out = clone(a);
  kernels<IndexTable>().scatter_add(out, d, places, source);
  return out;
}

// Door of scatter: checks index and source, then the loop.
Array scatter(const Array& a, int64_t dim, const Array& index, const Array& source) {
  const int d = normalize_dim(dim, a.ndim, "scatter");
  const Array places = checked_scatter(a, d, index, source, "scatter");
  Array out = clone(a);
  if (places.numel > 0) {
    scatter_lines(out, d, places, source, ScatterOp::kSet, true, nullptr);
  }
  return out;
}

// Door of scatter_reduce: checks, then the loop that combines.
Array scatter_reduce(const Array& a, int64_t dim, const Array& index, const Array& source,
                     const std::string& reduce, bool include_self) {
  const int d = normalize_dim(dim, a.ndim, "scatter_reduce");
  const ScatterOp op = scatter_op(reduce);
  const Array places = checked_scatter(a, d, index, source, "scatter_reduce");
  Array out = clone(a), hits;
  if (places.numel == 0) return out;
  const bool counts = op == ScatterOp::kMean || !include_self;
  if (counts) {
    hits = Array::empty_like(a, DType::kInt64);
    std::memset(hits.bytes(), 0, size_t(hits.nbytes()));
  }
  scatter_lines(out, d, places, source, op, include_self, counts ? &hits : nullptr);
  return out;
}

// Door of embedding_backward: checks the index, then the loop over rows.
Array embedding_backward(const Array& grad, const Array& index, int64_t num_weights,
                         int64_t padding_idx, bool scale_grad_by_freq) {
  const char* const op = "embedding_backward";
  bool fits = grad.ndim == index.ndim + 1;
  for (int i = 0; fits && i < index.ndim; ++i) fits = grad.shape[i] == index.shape[i];
  if (!fits) {
    raise<ShapeError>("[", op, "] grad ", grad.shape_text(), " does not match index ",
                      index.shape_text(), ": expected its shape and the width of a row");
  }
  if (!is_floating(grad.dtype)) {
    raise<DTypeError>("[", op, "] expected a floating dtype, got ", name_of(grad.dtype));
  }
  const Array places = checked_index<IndexError>(index, 0, num_weights, op);
  const int64_t width = grad.shape[grad.ndim - 1];
  Dims sizes, flat;
  sizes.push(num_weights);
  sizes.push(width);
  flat.push(places.numel);
  flat.push(width);
  Array out = Array::empty(sizes, grad.dtype);
  std::memset(out.bytes(), 0, size_t(out.nbytes()));
  if (grad.numel == 0) return out;
  const Array rows = grad.ndim == 2 ? grad : contiguous(grad).reshaped(flat);
  const int64_t* index_values = places.data<int64_t>();
  std::vector<int64_t> counts(scale_grad_by_freq ? to_size(num_weights) : 0, 0);
  for (int64_t i = 0; scale_grad_by_freq && i < places.numel; ++i)
    ++counts[size_t(index_values[i])];
  embedding_backward_rows(rows, index_values, padding_idx,
                          scale_grad_by_freq ? counts.data() : nullptr, out);
  return out;
}
}  // namespace norch
