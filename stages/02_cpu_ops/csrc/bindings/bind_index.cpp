// Operations that take an index, and those that find one.
#include "bindings/python.h"
#include "ops/histogram.h"
#include "ops/index.h"

namespace norch {
namespace {

using py::arg;

void bind_counting(py::module_& m) {
  m.def(
      "searchsorted",
      [](const Operand& sorted_, const Operand& values_, bool right) {
        const Array& sorted = sorted_.as_array("searchsorted");
        const Array& values = values_.as_array("searchsorted");
        return without_gil(sorted.numel + values.numel * 16,
                           [&] { return searchsorted(sorted, values, right); });
      },
      "Where in `sorted` each of `values` could be inserted, before equal ones or (right) behind "
      "them.",
      arg("sorted"), arg("values"), arg("right") = false);
  m.def(
      "bincount",
      [](const Operand& a_, const Operand& weights_, int64_t minlength) {
        const Array& a = a_.as_array("bincount");
        const Array* weights =
            weights_.object == Py_None ? nullptr : &weights_.as_array("bincount");
        return without_gil(kLong, [&] { return bincount(a, weights, minlength); });
      },
      "How often each whole number occurs, or the sum of its weights.", arg("a"),
      arg("weights") = py::none(), arg("minlength") = 0);
  m.def(
      "histc",
      [](const Operand& a_, int64_t bins, double min, double max) {
        const Array& a = a_.as_array("histc");
        return without_gil(kLong, [&] { return histc(a, bins, min, max); });
      },
      "How many elements fall into each of `bins` equal steps from min to max (equal: the data's).",
      arg("a"), arg("bins"), arg("min"), arg("max"));
  m.def(
      "nonzero",
      [](const Operand& a_) {
        const Array& a = a_.as_array("nonzero");
        return without_gil(a.numel, [&] { return nonzero(a); });
      },
      "The indices of the elements that are not 0: (how many, ndim).", arg("a"));
}

}  // namespace

void bind_index(py::module_& m) {
  m.def(
      "index_select",
      [](const Operand& a_, int64_t dim, const Operand& index_) {
        const Array& a = a_.as_array("index_select");
        const Array& index = index_.as_array("index_select");
        return without_gil(a.numel + index.numel, [&] { return index_select(a, dim, index); });
      },
      "The slices of `a` along `dim` that `index` names, in its order.", arg("a"), arg("dim"),
      arg("index"));
  m.def(
      "index_add",
      [](const Operand& a_, int64_t dim, const Operand& index_, const Operand& source_) {
        const Array& a = a_.as_array("index_add");
        const Array& index = index_.as_array("index_add");
        const Array& source = source_.as_array("index_add");
        return without_gil(a.numel + source.numel,
                           [&] { return index_add(a, dim, index, source); });
      },
      "A copy of `a` with slice i of `source` added at index[i].", arg("a"), arg("dim"),
      arg("index"), arg("source"));
  m.def(
      "gather",
      [](const Operand& a_, int64_t dim, const Operand& index_) {
        const Array& a = a_.as_array("gather");
        const Array& index = index_.as_array("gather");
        return without_gil(index.numel, [&] { return gather(a, dim, index); });
      },
      "One element of `a` for every index, picked along `dim`.", arg("a"), arg("dim"),
      arg("index"));
  m.def(
      "scatter_add",
      [](const Operand& a_, int64_t dim, const Operand& index_, const Operand& source_) {
        const Array& a = a_.as_array("scatter_add");
        const Array& index = index_.as_array("scatter_add");
        const Array& source = source_.as_array("scatter_add");
        return without_gil(a.numel + index.numel,
                           [&] { return scatter_add(a, dim, index, source); });
      },
      "A copy of `a` with every element of `source` added where `index` points along `dim`.",
      arg("a"), arg("dim"), arg("index"), arg("source"));
  m.def(
      "scatter",
      [](const Operand& a_, int64_t dim, const Operand& index_, const Operand& source_) {
        const Array& a = a_.as_array("scatter");
        const Array& index = index_.as_array("scatter");
        const Array& source = source_.as_array("scatter");
        return without_gil(a.numel + index.numel, [&] { return scatter(a, dim, index, source); });
      },
      "A copy of `a` with every element of `source` put where `index` points along `dim`.",
      arg("a"), arg("dim"), arg("index"), arg("source"));
  m.def(
      "scatter_reduce",
      [](const Operand& a_, int64_t dim, const Operand& index_, const Operand& source_,
         const std::string& reduce, bool include_self) {
        const Array& a = a_.as_array("scatter_reduce");
        const Array& index = index_.as_array("scatter_reduce");
        const Array& source = source_.as_array("scatter_reduce");
        return without_gil(a.numel + index.numel, [&] {
          return scatter_reduce(a, dim, index, source, reduce, include_self);
        });
      },
      "A copy of `a` with `source` combined into it where `index` points: sum, prod, mean, amax or "
      "amin.",
      arg("a"), arg("dim"), arg("index"), arg("source"), arg("reduce"), arg("include_self") = true);
  m.def(
      "embedding_backward",
      [](const Operand& grad_, const Operand& index_, int64_t num_weights, int64_t padding_idx,
         bool scale_grad_by_freq) {
        const Array& grad = grad_.as_array("embedding_backward");
        const Array& index = index_.as_array("embedding_backward");
        return without_gil(kLong, [&] {
          return embedding_backward(grad, index, num_weights, padding_idx, scale_grad_by_freq);
        });
      },
      "The gradient of a table of rows: row r is the sum of `grad` where `index` is r.",
      arg("grad"), arg("index"), arg("num_weights"), arg("padding_idx") = -1,
      arg("scale_grad_by_freq") = false);
  bind_counting(m);
}

}  // namespace norch
