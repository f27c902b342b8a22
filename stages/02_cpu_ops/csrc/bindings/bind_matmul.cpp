// matmul, linear, linear_int8, and the switches that lessons and tests use to choose who
// multiplies.
#include "bindings/layouts.h"
#include "bindings/operation.h"
#include "core/blas.h"
#include "ops/matmul.h"

namespace norch {
// Asks Python once where OpenBLAS lies.
void find_blas() {
  static bool is_known = false;  // guarded by the GIL
  if (is_known) return;
  is_known = true;
  const Owned library_path = import_name("norch_cpu_ops.openblas", "library_path");
  const Owned path = checked(PyObject_CallNoArgs(library_path.get()));
  blas::set_library(read(Type<std::string>(), {path.get(), "blas", "path"}));
}

namespace {
// The bindings of products ask stage 1 how batches broadcast; called from inside a product, so the
// GIL has to be taken back.
void broadcast_batches(Array& a, Array& b) {
  const WithGil gil;
  Array batch_a = batch_of(a), batch_b = batch_of(b);
  try {
    broadcast(batch_a, batch_b);
  } catch (const PythonError&) {
    clear_runtime_error();
    raise<ShapeError>("[matmul] batches ", batch_a.shape_text(), " and ", batch_b.shape_text(),
                      " do not broadcast: sizes must be equal, or one of them 1");
  }
  a = with_batch(a, batch_a);
  b = with_batch(b, batch_b);
}

// For the bindings of products: the multiply-adds of a b, or more; also decides whether OpenBLAS
// could be wanted.
double work_of(const Array& a, int64_t columns) {
  const int64_t work = a.numel * columns;
  if (work > kSmallProduct) find_blas();
  return static_cast<double>(work);
}

// The binding that Python calls as matmul, matmul_naive and matmul_blocked.
template <MatmulPath path>
Array matmul_by(const Array& a, const Array& b) {
  const double work = work_of(a, b.ndim > 1 ? b.shape[b.ndim - 1] : 1);
  return without_gil(work, [&] { return matmul(a, b, path, &broadcast_batches); });
}

// The binding that Python calls as linear; the GIL is let go when the product is long.
Array linear_of(const Array& x, const Array& weight, const Array* bias) {
  const double work = work_of(x, weight.ndim > 0 ? weight.shape[0] : 1);
  return without_gil(work, [&] { return linear(x, weight, bias, &broadcast_batches); });
}

// The binding that Python calls as linear_int8, beside those of matmul and linear.
Array linear_int8_of(const Array& x, const Array& weight, const Array& scale, const Array* bias) {
  const double work = double(x.numel) * (weight.ndim > 0 ? weight.shape[0] : 1);
  return without_gil(work, [&] { return linear_int8(x, weight, scale, bias); });
}

// The binding that Python calls as blas.
std::string blas_description() {
  find_blas();
  return blas::description();
}
}  // namespace

// Python's a @ b in the bindings of the class Array.
PyObject* operators::matmul(PyObject* left, PyObject* right) {
  return operate(left, right, [=](const Operand&, const Operand&) {
    const Array& a = read(Type<Array>(), {left, "matmul", "a"});
    return matmul_by<MatmulPath::kAutomatic>(a, read(Type<Array>(), {right, "matmul", "b"}));
  });
}

// The matrix products, as rows that become Python functions.
Table matmul_table() {
  static const Operation rows[] = {
      {"matmul(a, b)", &matmul_by<MatmulPath::kAutomatic>,
       "The matrix product of the last two dims; vectors and batches as in PyTorch.", kHoldsGil},
      {"linear(x, weight, bias=None)", &linear_of,
       "x @ weight.T + bias in one pass: x (..., in), weight (out, in), bias (out,).", kHoldsGil},
      {"linear_int8(x, weight, scale, bias=None)", &linear_int8_of,
       "linear with int8 weights and a scale for each of their rows; x is rounded to int8 by rows.",
       kHoldsGil},
      {"matmul_naive(a, b)", &matmul_by<MatmulPath::kNaive>,
       "matmul by three plain loops: the reference of the lessons and tests.", kHoldsGil},
      {"matmul_blocked(a, b)", &matmul_by<MatmulPath::kBlocked>,
       "matmul by norch's own packed register tiles, whatever BLAS is there.", kHoldsGil},
      {"blas()", &blas_description,
       "Who computes LAPACK, and products without AVX-512: OpenBLAS's version, or 'norch'."},
      {"set_blas_enabled(on)", &blas::set_enabled, "Switch OpenBLAS off, or on again."},
      {"is_blas_enabled()", &blas::is_enabled, "Whether OpenBLAS may be used when it is there."},
  };
  return rows;
}
}  // namespace norch
