// Checks and allocation for sort, topk, kthvalue, median and unique.
#include "ops/sort.h"

#include <limits>

#include "ops/copy.h"
#include "scalar_kernels/sort.h"

namespace norch {
namespace {
// Entries number the places of a line by 32 bits where keys have no more.
void check_length(int64_t n, const char* op) {
  if (n > int64_t(std::numeric_limits<uint32_t>::max())) {
    raise<ValueError>("[", op, "] ", n, " elements in a line: expected fewer than 2^32");
  }
}

// Refuses bools, as PyTorch.
void check_orderable(const Array& a, const char* op) {
  if (a.dtype == DType::kBool) {
    raise<DTypeError>("[", op, "] has no kernel for bool: cast to uint8 first");
  }
}

// The shape of an array with another size along dim.
Dims shape_with(const Array& a, int dim, int64_t size) {
  Dims sizes;
  for (int i = 0; i < a.ndim; ++i) sizes.push(i == dim ? size : a.shape[i]);
  return sizes;
}

// A result of size 1 along dim, without that dim.
Array without_dim(const Array& a, int dim) {
  Dims sizes;
  for (int i = 0; i < a.ndim; ++i) {
    if (i != dim) sizes.push(a.shape[i]);
  }
  return a.reshaped(sizes);
}

// The element of rank k of each line, with or without its dim.
std::pair<Array, Array> kth(const Array& a, int64_t k, int dim, bool keepdim, bool nan_wins) {
  const Dims sizes = shape_with(a, dim, 1);
  Array values = Array::empty(sizes, a.dtype), indices = Array::empty(sizes, DType::kInt64);
  if (values.numel > 0) kth_lines(a, dim, k, nan_wins, values, indices);
  if (keepdim || a.ndim == 0) return {values, indices};
  return {without_dim(values, dim), without_dim(indices, dim)};
}

// A dim along which there is something to select.
int dim_with_elements(const Array& a, int64_t dim, const char* op) {
  const int d = normalize_dim(dim, a.ndim, op);
  if (length_of(a, d) == 0) {
    raise<IndexError>("[", op, "] dim ", d, " of shape ", a.shape_text(),
                      " has size 0: expected at least one element");
  }
  check_length(length_of(a, d), op);
  return d;
}
}  // namespace

// Door of sort: checks, allocates, then the loop over lines.
std::pair<Array, Array> sort(const Array& a, int64_t dim, bool descending) {
  const int d = normalize_dim(dim, a.ndim, "sort");
  check_length(length_of(a, d), "sort");
  Array values = Array::empty_like(a, a.dtype), indices = Array::empty_like(a, DType::kInt64);
  if (a.numel > 0) sort_lines(a, d, descending, values, indices);
  return {values, indices};
}

// Door of topk: checks k, allocates, then the loop over lines.
std::pair<Array, Array> topk(const Array& a, int64_t k, int64_t dim, bool largest) {
  const int d = normalize_dim(dim, a.ndim, "topk");
  check_orderable(a, "topk");
  const int64_t n = length_of(a, d);
  check_length(n, "topk");
  if (k < 0 || k > n) {
    raise<Error>("[topk] k is ", k, " but dim ", d, " of shape ", a.shape_text(), " has ", n,
                 " elements: expected 0 to ", n);
  }
  if (a.ndim == 0) k = 1;  // there is one place for a result, so it gets the element, as in PyTorch
  const Dims sizes = shape_with(a, d, k);
  Array values = Array::empty(sizes, a.dtype), indices = Array::empty(sizes, DType::kInt64);
  if (k > 0 && values.numel > 0) topk_lines(a, d, k, largest, values, indices);
  return {values, indices};
}

// Door of kthvalue: checks k.
std::pair<Array, Array> kthvalue(const Array& a, int64_t k, int64_t dim, bool keepdim) {
  check_orderable(a, "kthvalue");
  const int d = dim_with_elements(a, dim, "kthvalue");
  if (k < 1 || k > length_of(a, d)) {
    raise<Error>("[kthvalue] k is ", k, " but dim ", d, " of shape ", a.shape_text(), " has ",
                 length_of(a, d), " elements: expected 1 to ", length_of(a, d));
  }
  return kth(a, k, d, keepdim, false);
}

// Door of median.
std::pair<Array, Array> median(const Array& a, int64_t dim, bool keepdim) {
  check_orderable(a, "median");
  const int d = dim_with_elements(a, dim, "median");
  return kth(a, (length_of(a, d) + 1) / 2, d, keepdim, true);
}

// Door of unique: allocates for all, keeps what was found.
std::tuple<Array, Array, Array> unique(const Array& a) {
  check_length(a.numel, "unique");
  const Array x = contiguous(a);
  const Dims all{a.numel};
  Array values = Array::empty(all, a.dtype), counts = Array::empty(all, DType::kInt64);
  Array inverse = Array::empty_like(a, DType::kInt64);
  const Dims found{unique_elements(x, values, inverse, counts)};
  // Copies, so that the rest of the room is given back.
  return {clone(values.reshaped(found)), inverse, clone(counts.reshaped(found))};
}
}  // namespace norch
