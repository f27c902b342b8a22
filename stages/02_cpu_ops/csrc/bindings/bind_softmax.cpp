// softmax, log_softmax, logsumexp, cross_entropy and its backward.
#include "bindings/operation.h"
#include "ops/reduce.h"
#include "ops/softmax.h"

namespace norch {
namespace {
// The binding that Python calls as logsumexp.
Array logsumexp_over(const Array& a, const std::optional<Dims>& dims, bool keepdim) {
  return logsumexp(a, dims_to_reduce(dims, a.ndim, "logsumexp"), keepdim);
}
}  // namespace

// The softmax family, as rows that become Python functions.
Table softmax_table() {
  static const Operation rows[] = {
      {"softmax(a, dim)", &softmax, "exp(a) / sum(exp(a)) along `dim`.", kExpCost},
      {"log_softmax(a, dim)", &log_softmax, "log(softmax(a)) along `dim`.", kExpCost},
      {"softmax_backward(grad, y, dim)", &softmax_backward,
       "y * (grad - sum(grad * y)) along `dim`, y being the softmax."},
      {"log_softmax_backward(grad, y, dim)", &log_softmax_backward,
       "grad - exp(y) * sum(grad) along `dim`, y being the log_softmax.", kExpCost},
      {"logsumexp(a, dims=None, keepdim=False)", &logsumexp_over,
       "log(sum(exp(a))) over `dims` (all of them for None).", kExpCost},
      {"cross_entropy(logits, target, ignore_index=-100)", &cross_entropy,
       "The loss of every row of logits (N, C) against target (N,), and the rows' logsumexp.",
       kExpCost},
      {"cross_entropy_backward(grad, logits, logsumexp, target, ignore_index=-100)",
       &cross_entropy_backward,
       "The gradient of cross_entropy's losses with respect to the logits (N, C); grad is (N,), or "
       "one number for all rows.",
       kExpCost},
  };
  return rows;
}
}  // namespace norch
