// Operations that take an index, and those that find one.
#include "bindings/layouts.h"
#include "bindings/operation.h"
#include "ops/histogram.h"
#include "ops/index.h"

namespace norch {
namespace {
// The binding that Python calls as ravel_multi_index; the indices are broadcast.
Array ravel_all(const ArrayList& indices, const Dims& shape, const Dims& dims) {
  if (indices.count() != dims.n || dims.n == 0) {
    raise<Error>("[ravel_multi_index] ", indices.count(), " arrays of indices for ", dims.n,
                 " dims: expected one for each, and at least one");
  }
  Arrays views;
  std::vector<Array*> pointers;
  for (const Array* index : indices.arrays) views.push_back(*index);
  for (Array& view : views) pointers.push_back(&view);
  broadcast_all(pointers.data(), dims.n, "ravel_multi_index");
  return without_gil(elements(indices),
                     [&] { return ravel_multi_index(pointers.data(), dims.n, shape, dims); });
}
}  // namespace

// Indexing and searching, as rows that become Python functions.
Table index_table() {
  static const Operation rows[] = {
      {"index_select(a, dim, index)", &index_select,
       "The slices of `a` along `dim` that `index` names, in its order."},
      {"index_add(a, dim, index, source)", &index_add,
       "A copy of `a` with slice i of `source` added at index[i]."},
      {"index_copy_(a, dim, index, source)", &index_copy_,
       "Write slice i of `source` at index[i] of `a`; of several the last one stays."},
      {"ravel_multi_index(indices, shape, dims)", &ravel_all,
       "The places that `indices` name along `dims` of an array of `shape`, counted row by row; "
       "negative ones count from the end.",
       kHoldsGil},
      {"gather(a, dim, index)", &gather, "One element of `a` for every index, picked along `dim`."},
      {"scatter_add(a, dim, index, source)", &scatter_add,
       "A copy of `a` with every element of `source` added where `index` points along `dim`."},
      {"scatter(a, dim, index, source)", &scatter,
       "A copy of `a` with every element of `source` put where `index` points along `dim`."},
      {"scatter_reduce(a, dim, index, source, reduce, include_self=True)", &scatter_reduce,
       "A copy of `a` with `source` combined into it where `index` points: sum, prod, mean, amax "
       "or amin."},
      {"embedding_backward(grad, index, num_weights, padding_idx=-1, scale_grad_by_freq=False)",
       &embedding_backward,
       "The gradient of a table of rows: row r is the sum of `grad` where `index` is r.", kLong},
      {"searchsorted(sorted, values, right=False)", &searchsorted,
       "Where in `sorted` each of `values` could be inserted, before equal ones or (right) behind "
       "them.",
       16},
      {"bincount(a, weights=None, minlength=0)", &bincount,
       "How often each whole number occurs, or the sum of its weights.", kLong},
      {"histc(a, bins, min, max)", &histc,
       "How many elements fall into each of `bins` equal steps from min to max (equal: the "
       "data's).",
       kLong},
      {"nonzero(a)", &nonzero, "The indices of the elements that are not 0: (how many, ndim)."},
  };
  return rows;
}
}  // namespace norch
