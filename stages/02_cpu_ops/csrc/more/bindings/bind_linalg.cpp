// LAPACK: svd, eigh, qr, cholesky, lu_factor, row_order, solve_triangular, lstsq.
#include "bindings/operation.h"
#include "more/ops/lapack.h"
#include "more/ops/linalg.h"

namespace norch {
namespace {
// Where the library lies is asked for while the GIL is held; the work is done without it.
template <auto function, class... A>
auto by_lapack(const A&... arguments) {
  find_blas();
  return without_gil(kLong, [&] { return function(arguments...); });
}

// One of more's bindings, which Python calls as has_lapack.
bool is_here() {
  find_blas();
  return has_lapack();
}

// One of more's bindings, which Python calls as require_lapack.
void require(const char* op) {
  find_blas();
  require_lapack(op);
}
}  // namespace

// LAPACK's operations, as rows that become Python functions.
Table linalg_table() {
  static const Operation rows[] = {
      {"has_lapack()", &is_here, "Whether LAPACK is there: OpenBLAS brings it.", kHoldsGil},
      {"require_lapack(op)", &require, "RuntimeError in the name of op unless LAPACK is there.",
       kHoldsGil},
      {"svd(a, full_matrices=True, compute_uv=True)", &by_lapack<&svd, Array, bool, bool>,
       "(U, S, Vh, info): singular values, the largest first, and their vectors.", kHoldsGil},
      {"eigh(a, compute_v=True)", &by_lapack<&eigh, Array, bool>,
       "(w, V, info): eigenvalues of symmetric matrices, the smallest first, and their vectors.",
       kHoldsGil},
      {"qr(a, complete=False, compute_q=True)", &by_lapack<&qr, Array, bool, bool>,
       "(Q, R): orthonormal columns and an upper triangle.", kHoldsGil},
      {"cholesky(a)", &by_lapack<&cholesky, Array>,
       "(L, info): the triangle whose square a symmetric positive definite matrix is.", kHoldsGil},
      {"lu_factor(a)", &by_lapack<&lu_factor, Array>,
       "(LU, pivots, info): both triangles in one matrix, and the rows exchanged, from 1.",
       kHoldsGil},
      {"row_order(pivots, rows)", &row_order,
       "Which row of a each row of L @ U is, from the pivots of lu_factor(a).", kHoldsGil},
      {"solve_triangular(a, b, upper, unit=False)",
       &by_lapack<&solve_triangular, Array, Array, bool, bool>,
       "x with a x = b for triangles a; with unit, ones stand for the diagonal.", kHoldsGil},
      {"lstsq(a, b, rcond, driver)", &by_lapack<&lstsq, Array, Array, double, const char*>,
       "(x, rank, singular values, info): the x of least |a x - b|.", kHoldsGil},
  };
  return rows;
}
}  // namespace norch
