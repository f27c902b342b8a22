// Checks and allocation for cumprod, cummax, cummin and logcumsumexp.
#include "ops/cumulative.h"

#include "scalar_kernels/cumulative.h"

namespace norch {

Array cumprod(const Array& a, int64_t dim) {
  const int d = normalize_dim(dim, a.ndim, "cumprod");
  Array out = Array::empty_like(a, is_integral(a.dtype) ? DType::kInt64 : a.dtype);
  if (out.numel > 0) cumprod_lines(a, d, out);
  return out;
}

std::pair<Array, Array> cumulative_extreme(const Array& a, int64_t dim, bool largest) {
  const int d = normalize_dim(dim, a.ndim, largest ? "cummax" : "cummin");
  Array values = Array::empty_like(a, a.dtype), indices = Array::empty_like(a, DType::kInt64);
  if (values.numel > 0) cumulative_extreme_lines(a, d, largest, values, indices);
  return {values, indices};
}

Array logcumsumexp(const Array& a, int64_t dim) {
  const int d = normalize_dim(dim, a.ndim, "logcumsumexp");
  if (!is_floating(a.dtype)) {
    raise<Error>("[logcumsumexp] expected a floating dtype, got ", name_of(a.dtype),
                 ": cast to float32 first");
  }
  Array out = Array::empty_like(a, a.dtype);
  if (out.numel > 0) logcumsumexp_lines(a, d, out);
  return out;
}

}  // namespace norch
