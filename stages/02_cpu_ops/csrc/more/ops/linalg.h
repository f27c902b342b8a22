// Linear algebra of matrices (..., rows, columns) in float32 and float64, computed by LAPACK. Doors
// and calls in one: there is no kernel of our own to stand between. Nothing here knows derivatives.
//
// Where a matrix can be at fault, `info` (int32, one number a matrix) says so: 0 is success, a
// positive number LAPACK's own (which pivot, which minor), -1 a matrix with NaN or infinity, which
// was not handed to LAPACK, for it might search without end; the results are NaN then.
#pragma once

#include <tuple>
#include <utility>

#include "core/array.h"

namespace norch {
// a = U diag(S) Vh -> U, S, Vh, info. Without compute_uv the first and the third are empty.
std::tuple<Array, Array, Array, Array> svd(const Array& a, bool full_matrices, bool compute_uv);
// Symmetric a = V diag(w) V^T -> w, V, info; only the lower triangle is read.
std::tuple<Array, Array, Array> eigh(const Array& a, bool compute_v);
// a = Q R -> Q, R. `complete`: all columns of Q. Without compute_q the first is empty.
std::pair<Array, Array> qr(const Array& a, bool complete, bool compute_q);
// Symmetric positive definite a = L L^T -> L, info; only the lower triangle is read.
std::pair<Array, Array> cholesky(const Array& a);
// P a = L U -> L and U in one matrix, pivots (int32, counted from 1), info.
std::tuple<Array, Array, Array> lu_factor(const Array& a);
// Which row of `a` each row of L U is (int64), from those pivots. Needs no LAPACK.
Array row_order(const Array& pivots, int64_t rows);
// x with a x = b; only one triangle of `a` is read, and with `unit` not its diagonal.
Array solve_triangular(const Array& a, const Array& b, bool upper, bool unit);
// The x of least |a x - b| -> x, rank, singular values, info. Drivers: gels, gelsy, gelsd, gelss,
// of which the first fills no rank and the last two alone the singular values.
std::tuple<Array, Array, Array, Array> lstsq(const Array& a, const Array& b, double rcond,
                                             const char* driver);
}  // namespace norch
