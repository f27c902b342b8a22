// matmul, linear, and the switches that lessons and tests use to choose who multiplies.
#include "bindings/layouts.h"
#include "bindings/openblas.h"
#include "bindings/python.h"
#include "core/blas.h"
#include "ops/matmul.h"

namespace norch {

void find_blas() {
  static bool is_known = false;  // guarded by the GIL
  if (is_known) return;
  is_known = true;
  const auto path = py::module_::import("norch_cpu_ops.openblas").attr("library_path")();
  blas::set_library(path.cast<std::string>());
}

namespace {

Array batch_of(const Array& a) {  // the batch dims alone
  Array batch = a;
  batch.ndim -= 2;
  batch.update();
  return batch;
}

// Asks stage 1; called from inside a product, so the GIL has to be taken back.
void broadcast_batches(Array& a, Array& b) {
  py::gil_scoped_acquire gil;
  Array batch_a = batch_of(a), batch_b = batch_of(b);
  try {
    broadcast(batch_a, batch_b);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_RuntimeError)) throw;
    raise<ShapeError>("[matmul] batches ", batch_a.shape_text(), " and ", batch_b.shape_text(),
                      " do not broadcast: sizes must be equal, or one of them 1");
  }
  a = with_batch(a, batch_a);
  b = with_batch(b, batch_b);
}

// The multiply-adds of a b, or more; also decides whether OpenBLAS could be wanted.
int64_t work_of(const Array& a, int64_t columns) {
  const int64_t work = a.numel * columns;
  if (work > kSmallProduct) find_blas();
  return work;
}

Array matmul_by(const Operand& left, const Operand& right, MatmulPath path) {
  const Array &a = left.as_array("matmul"), &b = right.as_array("matmul");
  const int64_t work = work_of(a, b.ndim > 1 ? b.shape[b.ndim - 1] : 1);
  return without_gil(work, [&] { return matmul(a, b, path, &broadcast_batches); });
}

Array linear_of(const Operand& input, const Operand& matrix, const Operand& added) {
  const Array &x = input.as_array("linear"), &weight = matrix.as_array("linear");
  const Array* bias = added.object == Py_None ? nullptr : &added.as_array("linear");
  const int64_t work = work_of(x, weight.ndim > 0 ? weight.shape[0] : 1);
  return without_gil(work, [&] { return linear(x, weight, bias, &broadcast_batches); });
}

}  // namespace

PyObject* operators::matmul(PyObject* left, PyObject* right) {
  return operate(left, right, [](const Operand& a, const Operand& b) {
    return matmul_by(a, b, MatmulPath::kAutomatic);
  });
}

void bind_matmul(py::module_& m) {
  using namespace py::literals;
  m.def(
      "matmul",
      [](const Operand& a, const Operand& b) { return matmul_by(a, b, MatmulPath::kAutomatic); },
      "a"_a, "b"_a, "The matrix product of the last two dims; vectors and batches as in PyTorch.");
  m.def("linear", &linear_of, "x"_a, "weight"_a, "bias"_a = py::none(),
        "x @ weight.T + bias in one pass: x (..., in), weight (out, in), bias (out,).");
  m.def(
      "matmul_naive",
      [](const Operand& a, const Operand& b) { return matmul_by(a, b, MatmulPath::kNaive); }, "a"_a,
      "b"_a, "matmul by three plain loops: the reference of the lessons and tests.");
  m.def(
      "matmul_blocked",
      [](const Operand& a, const Operand& b) { return matmul_by(a, b, MatmulPath::kBlocked); },
      "a"_a, "b"_a, "matmul by norch's own packed register tiles, whatever BLAS is there.");
  m.def(
      "blas",
      [] {
        find_blas();
        return blas::description();
      },
      "What multiplies large matrices: OpenBLAS and its version, or 'norch'.");
  m.def("set_blas_enabled", &blas::set_enabled, "on"_a, "Switch OpenBLAS off, or on again.");
  m.def("is_blas_enabled", &blas::is_enabled, "Whether OpenBLAS may be used when it is there.");
}

}  // namespace norch
