// Reductions over dims, extremes with their places, cumulative sums.
#include "bindings/python.h"
#include "ops/cumulative.h"
#include "ops/reduce.h"

namespace norch {
namespace {

using py::arg;

template <ReduceOp op>
Array over_dims(const Operand& a, const std::optional<Dims>& dims, bool keepdim) {
  const Array& x = a.as_array(name_of(op));
  if ((op == ReduceOp::kAmax || op == ReduceOp::kAmin) && x.numel == 0 && (!dims || dims->n == 0)) {
    raise<Error>("[", name_of(op), "] shape ", x.shape_text(), " has no elements: name the dims");
  }
  return without_gil(
      x.numel, [&] { return reduce(op, x, reduced_dims(dims, x.ndim, name_of(op)), keepdim); });
}

template <ReduceOp op>
Array over_dim(const Operand& a, std::optional<int64_t> dim, bool keepdim) {
  std::optional<Dims> dims;
  if (dim) dims.emplace().push(*dim);
  return over_dims<op>(a, dims, keepdim);
}

template <ReduceOp op>
std::pair<Array, Array> extreme_of(const Operand& a, int64_t dim, bool keepdim) {
  const Array& x = a.as_array(op == ReduceOp::kArgmax ? "max" : "min");
  return without_gil(x.numel, [&] { return extreme(op, x, dim, keepdim); });
}

template <ReduceOp op>
void def(py::module_& m, const char* doc) {
  m.def(name_of(op), &over_dims<op>, doc, arg("a"), arg("dims") = py::none(),
        arg("keepdim") = false);
}

template <bool largest>
std::pair<Array, Array> running_extreme(const Operand& a, int64_t dim) {
  const Array& x = a.as_array(largest ? "cummax" : "cummin");
  return without_gil(x.numel, [&] { return cumulative_extreme(x, dim, largest); });
}

void bind_cumulative(py::module_& m) {
  m.def(
      "cumprod",
      [](const Operand& a, int64_t dim) {
        const Array& x = a.as_array("cumprod");
        return without_gil(x.numel, [&] { return cumprod(x, dim); });
      },
      "Running products along dim.", arg("a"), arg("dim"));
  m.def("cummax", &running_extreme<true>, "(values, indices) of the running maximum along dim.",
        arg("a"), arg("dim"));
  m.def("cummin", &running_extreme<false>, "(values, indices) of the running minimum along dim.",
        arg("a"), arg("dim"));
  m.def(
      "logcumsumexp",
      [](const Operand& a, int64_t dim) {
        const Array& x = a.as_array("logcumsumexp");
        return without_gil(x.numel * 8, [&] { return logcumsumexp(x, dim); });
      },
      "The logarithm of running sums of exponentials along dim.", arg("a"), arg("dim"));
}

}  // namespace

void bind_reduce(py::module_& m) {
  def<ReduceOp::kSum>(m, "The sum; of integers and bools an int64.");
  def<ReduceOp::kMean>(m, "The mean; NaN of nothing.");
  def<ReduceOp::kProd>(m, "The product; of integers and bools an int64.");
  def<ReduceOp::kAmax>(m, "The largest element; NaN wins.");
  def<ReduceOp::kAmin>(m, "The smallest element; NaN wins.");
  def<ReduceOp::kAny>(m, "Is any element not 0?");
  def<ReduceOp::kAll>(m, "Is no element 0?");
  m.def(
      "var",
      [](const Operand& a, const std::optional<Dims>& dims, double correction, bool keepdim) {
        const Array& x = a.as_array("var");
        return without_gil(x.numel, [&] {
          return reduce(ReduceOp::kVar, x, reduced_dims(dims, x.ndim, "var"), keepdim, correction);
        });
      },
      "The variance: squared deviations over n - correction.", arg("a"), arg("dims") = py::none(),
      arg("correction") = 1.0, arg("keepdim") = false);
  m.def("argmax", &over_dim<ReduceOp::kArgmax>, "Where the largest element first stands.", arg("a"),
        arg("dim") = py::none(), arg("keepdim") = false);
  m.def("argmin", &over_dim<ReduceOp::kArgmin>, "Where the smallest element first stands.",
        arg("a"), arg("dim") = py::none(), arg("keepdim") = false);
  m.def("max", &extreme_of<ReduceOp::kArgmax>, "(values, indices) of the largest along dim.",
        arg("a"), arg("dim"), arg("keepdim") = false);
  m.def("min", &extreme_of<ReduceOp::kArgmin>, "(values, indices) of the smallest along dim.",
        arg("a"), arg("dim"), arg("keepdim") = false);
  m.def(
      "cumsum",
      [](const Operand& a, int64_t dim) {
        const Array& x = a.as_array("cumsum");
        return without_gil(x.numel, [&] { return cumsum(x, dim); });
      },
      "Running sums along dim.", arg("a"), arg("dim"));
  bind_cumulative(m);
}

}  // namespace norch
