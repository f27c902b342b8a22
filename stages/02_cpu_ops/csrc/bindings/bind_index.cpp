// index_select, index_add, gather, scatter_add.
#include "bindings/python.h"
#include "ops/index.h"

namespace norch {

void bind_index(py::module_& m) {
  using py::arg;
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
}

}  // namespace norch
