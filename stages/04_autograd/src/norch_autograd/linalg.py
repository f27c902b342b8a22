"""Linear algebra under PyTorch's name: norms, solving, inverses, determinants, factorizations,
singular values and eigenvalues. Leading dimensions are batches.

LAPACK computes in float32 and float64 on the CPU, where OpenBLAS is installed. Without it and on
other devices norch solves, inverts and factors by itself (`solve`, `inv`, `det`, `slogdet`,
`cholesky`, `qr`, `solve_triangular`), with a few operations for each column; the rest refuses.
"""
# An index: several names a line.
# fmt: off
# ruff: noqa: I001

from norch_autograd.tensor.aliases import numpys_words
from norch_autograd.more.linalg import namesakes, norms
from norch_autograd.more.linalg.decompositions import (
    cholesky as cholesky, lu as lu, lu_factor as lu_factor, lu_solve as lu_solve, qr as qr,
)
from norch_autograd.more.linalg.lapack import LinAlgError as LinAlgError
from norch_autograd.more.linalg.namesakes import diagonal as diagonal
from norch_autograd.more.linalg.products import matrix_power as matrix_power, multi_dot as multi_dot
from norch_autograd.more.linalg.norms import cond as cond, matrix_norm as matrix_norm
from norch_autograd.more.linalg.solve import (
    det as det, inv as inv, slogdet as slogdet, solve as solve,
    solve_triangular as solve_triangular,
)
from norch_autograd.more.linalg.spectral import (
    eigh as eigh, eigvalsh as eigvalsh, lstsq as lstsq, matrix_rank as matrix_rank, pinv as pinv,
    svd as svd, svdvals as svdvals,
)

norm = numpys_words(norms.norm)
vector_norm = numpys_words(norms.vector_norm)
cross = numpys_words(namesakes.cross)
vecdot = numpys_words(namesakes.vecdot)
