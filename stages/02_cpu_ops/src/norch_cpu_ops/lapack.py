"""LAPACK on arrays of float32 and float64: factorizations, eigenvalues, solutions.

OpenBLAS brings it (openblas.py): without that package every function here refuses with one
sentence, but `has_lapack` and `row_order`. Matrices are the last two dims, all others are batches.
`info` among the results tells what was wrong with a matrix (more/ops/linalg.h): nothing is raised.
"""

from norch_cpu_ops._cpu import (
    cholesky as cholesky,
    eigh as eigh,
    has_lapack as has_lapack,
    lstsq as lstsq,
    lu_factor as lu_factor,
    qr as qr,
    require_lapack as require_lapack,
    row_order as row_order,
    solve_triangular as solve_triangular,
    svd as svd,
)
