// Checks and allocation for searchsorted, bincount, histc and nonzero.
#include "ops/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/copy.h"
#include "ops/reduce.h"
#include "scalar_kernels/histogram.h"

namespace norch {
namespace {
// Refuses shapes that searchsorted cannot match.
void check_searchable(const Array& sorted, const Array& values) {
  bool fits = sorted.ndim == 1 || sorted.ndim == values.ndim;
  for (int i = 0; fits && sorted.ndim > 1 && i < values.ndim - 1; ++i) {
    fits = sorted.shape[i] == values.shape[i];
  }
  if (!fits || sorted.ndim == 0) {
    raise<Error>("[searchsorted] sorted ", sorted.shape_text(), " and values ", values.shape_text(),
                 " do not match: expected one sorted row, or equal sizes but for the last dim");
  }
}

// The least or the greatest element, for histc's range.
double extreme_value(ReduceOp op, const Array& a) {
  const Array value = reduce(op, a, dims_to_reduce({}, a.ndim, "histc"), false);
  return a.dtype == DType::kFloat32 ? *value.data<float>() : *value.data<double>();
}
}  // namespace

// Door of searchsorted: checks, then the loop over values.
Array searchsorted(const Array& sorted, const Array& values, bool right) {
  check_searchable(sorted, values);
  if (sorted.dtype != values.dtype) {
    raise<Error>("[searchsorted] sorted is ", name_of(sorted.dtype), " but values are ",
                 name_of(values.dtype), ": cast one of them first");
  }
  const DType compute = compute_type(values.dtype);
  const Array rows = contiguous_as(sorted, compute), wanted = contiguous_as(values, compute);
  Array out = Array::empty_like(values, DType::kInt64);
  if (out.numel > 0) searchsorted_rows(rows, wanted, sorted.ndim == 1, right, out);
  return out;
}

// Door of bincount: checks every number, then counts.
Array bincount(const Array& a, const Array* weights, int64_t minlength) {
  if (is_floating(a.dtype) || a.dtype == DType::kBool) {
    raise<DTypeError>("[bincount] expected whole numbers, got ", name_of(a.dtype));
  }
  if (a.ndim != 1) {
    raise<Error>("[bincount] expected one dimension, got shape ", a.shape_text());
  }
  if (minlength < 0) {
    raise<Error>("[bincount] minlength is ", minlength, ": expected 0 or more");
  }
  if (weights != nullptr && !weights->same_shape(a)) {
    raise<Error>("[bincount] weights ", weights->shape_text(), " and values ", a.shape_text(),
                 " differ: expected one weight for each value");
  }
  const Array places = contiguous_as(a, DType::kInt64);
  const int64_t* index = places.data<int64_t>();
  int64_t size = minlength;
  for (int64_t i = 0; i < places.numel; ++i) {
    if (index[i] < 0) {
      raise<Error>("[bincount] value ", index[i], " is negative: expected 0 or more");
    }
    if (index[i] == std::numeric_limits<int64_t>::max()) {
      raise<Error>("[bincount] value ", index[i], " is too large: expected less than 2^63 - 1");
    }
    size = std::max(size, index[i] + 1);
  }
  DType dtype = DType::kInt64;
  if (weights != nullptr) {
    dtype = weights->dtype == DType::kFloat32 ? DType::kFloat32 : DType::kFloat64;
  }
  Array out = full({size}, Scalar::of(int64_t(0)), dtype);
  const Array weighed = weights == nullptr ? Array() : cast(*weights, dtype);
  bincount_elements(index, places.numel, weights == nullptr ? nullptr : &weighed, out);
  return out;
}

// Door of histc: finds and checks the range, then counts.
Array histc(const Array& a, int64_t bins, double low, double high) {
  if (!is_floating(a.dtype)) {
    raise<DTypeError>("[histc] expected a floating dtype, got ", name_of(a.dtype),
                      ": cast to float32 first");
  }
  if (bins <= 0) raise<Error>("[histc] bins is ", bins, ": expected 1 or more");
  const Array x = contiguous_as(a, compute_type(a.dtype));
  if (low == high && x.numel > 0) {
    low = extreme_value(ReduceOp::kAmin, x);
    high = extreme_value(ReduceOp::kAmax, x);
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  if (!std::isfinite(low) || !std::isfinite(high)) {
    raise<Error>("[histc] the range ", low, " to ", high, " is not finite");
  }
  if (low > high) raise<Error>("[histc] min ", low, " lies above max ", high);
  Array out = full({bins}, Scalar::of(0.0), x.dtype);
  histc_elements(x, low, high, out);
  return cast(out, a.dtype);
}

// Door of nonzero: counts, allocates, writes the indices.
Array nonzero(const Array& a) {
  const Array mask = contiguous_as(a, DType::kBool);
  Array out = Array::empty({count_true(mask), a.ndim}, DType::kInt64);
  if (out.numel > 0) nonzero_elements(mask, out);
  return out;
}
}  // namespace norch
