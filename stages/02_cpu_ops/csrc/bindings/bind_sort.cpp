// sort, topk, kthvalue, median, unique.
#include "bindings/python.h"
#include "ops/sort.h"

namespace norch {

void bind_sort(py::module_& m) {
  using py::arg;
  m.def(
      "sort",
      [](const Operand& a_, int64_t dim, bool descending, bool) {
        const Array& a = a_.as_array("sort");
        return without_gil(a.numel * 8, [&] { return sort(a, dim, descending); });
      },
      "(values, indices) in order along dim; NaN is the largest. The sort is always stable.",
      arg("a"), arg("dim") = -1, arg("descending") = false, arg("stable") = false);
  m.def(
      "topk",
      [](const Operand& a_, int64_t k, int64_t dim, bool largest, bool) {
        const Array& a = a_.as_array("topk");
        return without_gil(a.numel * 2, [&] { return topk(a, k, dim, largest); });
      },
      "(values, indices) of the k largest or smallest along dim, always in order.", arg("a"),
      arg("k"), arg("dim") = -1, arg("largest") = true, arg("sorted") = true);
  m.def(
      "kthvalue",
      [](const Operand& a_, int64_t k, int64_t dim, bool keepdim) {
        const Array& a = a_.as_array("kthvalue");
        return without_gil(a.numel * 4, [&] { return kthvalue(a, k, dim, keepdim); });
      },
      "(values, indices) of the k-th smallest along dim, counted from 1.", arg("a"), arg("k"),
      arg("dim") = -1, arg("keepdim") = false);
  m.def(
      "median",
      [](const Operand& a_, int64_t dim, bool keepdim) {
        const Array& a = a_.as_array("median");
        return without_gil(a.numel * 4, [&] { return median(a, dim, keepdim); });
      },
      "(values, indices) of the middle along dim, the lower one of two; NaN wins.", arg("a"),
      arg("dim") = -1, arg("keepdim") = false);
  m.def(
      "unique",
      [](const Operand& a_) {
        const Array& a = a_.as_array("unique");
        return without_gil(a.numel * 8, [&] { return unique(a); });
      },
      "(values, inverse, counts): the different elements, sorted; which of them each element is; "
      "how often each occurs.",
      arg("a"));
}

}  // namespace norch
