// Reductions over dims, extremes with their places, running sums, products and extremes.
#include "bindings/operation.h"
#include "ops/reduce.h"

namespace norch {
namespace {
// The binding that Python calls as sum, mean, amax and the like: over any dims.
template <ReduceOp op>
Array over_dims(const Array& a, const std::optional<Dims>& dims, bool keepdim) {
  if ((op == ReduceOp::kAmax || op == ReduceOp::kAmin) && a.numel == 0 && (!dims || dims->n == 0)) {
    raise<Error>("[", name_of(op), "] shape ", a.shape_text(), " has no elements: name the dims");
  }
  return reduce(op, a, dims_to_reduce(dims, a.ndim, name_of(op)), keepdim);
}

// The binding that Python calls as argmax and argmin: over one dim, or all.
template <ReduceOp op>
Array over_dim(const Array& a, std::optional<int64_t> dim, bool keepdim) {
  std::optional<Dims> dims;
  if (dim) dims.emplace().push(*dim);
  return over_dims<op>(a, dims, keepdim);
}

// The binding that Python calls as max and min along a dim.
template <ReduceOp op>
std::pair<Array, Array> extreme_along(const Array& a, int64_t dim, bool keepdim) {
  return extreme(op, a, dim, keepdim);
}

// The binding that Python calls as var.
Array var(const Array& a, const std::optional<Dims>& dims, double correction, bool keepdim,
          bool root) {
  const ReduceOp op = root ? ReduceOp::kStd : ReduceOp::kVar;
  return reduce(op, a, dims_to_reduce(dims, a.ndim, "var"), keepdim, correction);
}

// The binding that Python calls as cummax and cummin.
template <bool largest>
std::pair<Array, Array> running_extreme(const Array& a, int64_t dim) {
  return cumulative_extreme(a, dim, largest);
}
}  // namespace

// The reductions and running sums, as rows that become Python functions.
Table reduce_table() {
  static const Operation rows[] = {
      {"sum(a, dims=None, keepdim=False)", &over_dims<ReduceOp::kSum>,
       "The sum; of integers and bools an int64."},
      {"mean(a, dims=None, keepdim=False)", &over_dims<ReduceOp::kMean>,
       "The mean; NaN of nothing."},
      {"prod(a, dims=None, keepdim=False)", &over_dims<ReduceOp::kProd>,
       "The product; of integers and bools an int64."},
      {"amax(a, dims=None, keepdim=False)", &over_dims<ReduceOp::kAmax>,
       "The largest element; NaN wins."},
      {"amin(a, dims=None, keepdim=False)", &over_dims<ReduceOp::kAmin>,
       "The smallest element; NaN wins."},
      {"any(a, dims=None, keepdim=False)", &over_dims<ReduceOp::kAny>, "Is any element not 0?"},
      {"all(a, dims=None, keepdim=False)", &over_dims<ReduceOp::kAll>, "Is no element 0?"},
      {"var(a, dims=None, correction=1.0, keepdim=False, root=False)", &var,
       "The variance: squared deviations over n - correction; or its root."},
      {"argmax(a, dim=None, keepdim=False)", &over_dim<ReduceOp::kArgmax>,
       "Where the largest element first stands."},
      {"argmin(a, dim=None, keepdim=False)", &over_dim<ReduceOp::kArgmin>,
       "Where the smallest element first stands."},
      {"max(a, dim, keepdim=False)", &extreme_along<ReduceOp::kArgmax>,
       "(values, indices) of the largest along dim."},
      {"min(a, dim, keepdim=False)", &extreme_along<ReduceOp::kArgmin>,
       "(values, indices) of the smallest along dim."},
      {"cumsum(a, dim)", &cumsum, "Running sums along dim."},
      {"cumprod(a, dim)", &cumprod, "Running products along dim."},
      {"cummax(a, dim)", &running_extreme<true>,
       "(values, indices) of the running maximum along dim."},
      {"cummin(a, dim)", &running_extreme<false>,
       "(values, indices) of the running minimum along dim."},
      {"logcumsumexp(a, dim)", &logcumsumexp,
       "The logarithm of running sums of exponentials along dim.", kExpCost},
  };
  return rows;
}
}  // namespace norch
