// sort, topk, kthvalue, median, unique.
#include "bindings/operation.h"
#include "ops/sort.h"

namespace norch {
namespace {
// The binding that Python calls as sort; the last argument asks for what is always so.
std::pair<Array, Array> stable_sort(const Array& a, int64_t dim, bool descending, bool) {
  return sort(a, dim, descending);
}

// The binding that Python calls as topk; the last argument asks for what is always so.
std::pair<Array, Array> sorted_topk(const Array& a, int64_t k, int64_t dim, bool largest, bool) {
  return topk(a, k, dim, largest);
}
}  // namespace

// Sorting and selecting, as rows that become Python functions.
Table sort_table() {
  static const Operation rows[] = {
      {"sort(a, dim=-1, descending=False, stable=False)", &stable_sort,
       "(values, indices) in order along dim; NaN is the largest. The sort is always stable.", 8},
      {"topk(a, k, dim=-1, largest=True, sorted=True)", &sorted_topk,
       "(values, indices) of the k largest or smallest along dim, always in order.", 2},
      {"kthvalue(a, k, dim=-1, keepdim=False)", &kthvalue,
       "(values, indices) of the k-th smallest along dim, counted from 1.", 4},
      {"median(a, dim=-1, keepdim=False)", &median,
       "(values, indices) of the middle along dim, the lower one of two; NaN wins.", 4},
      {"unique(a)", &unique,
       "(values, inverse, counts): the different elements, sorted; which of them each element is; "
       "how often each occurs.",
       8},
  };
  return rows;
}
}  // namespace norch
