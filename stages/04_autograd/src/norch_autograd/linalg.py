"""Linear algebra under PyTorch's name: norms, solving, inverses, determinants, factorizations.
Leading dimensions are batches.

Everything is made of a few operations for each column, so it is for small matrices. Eigenvalues and
singular values are left out.
"""
# An index: several names a line.
# fmt: off
# ruff: noqa: I001

from norch_autograd.ops.keyword_aliases import numpys_words
from norch_autograd.ops.linalg import namesakes, norms
from norch_autograd.ops.linalg.decompositions import cholesky as cholesky, qr as qr
from norch_autograd.ops.linalg.namesakes import diagonal as diagonal
from norch_autograd.ops.linalg.products import matrix_power as matrix_power, multi_dot as multi_dot
from norch_autograd.ops.linalg.norms import matrix_norm as matrix_norm
from norch_autograd.ops.linalg.solve import (
    det as det, inv as inv, LinAlgError as LinAlgError, slogdet as slogdet, solve as solve,
)

norm = numpys_words(norms.norm)
vector_norm = numpys_words(norms.vector_norm)
cross = numpys_words(namesakes.cross)
vecdot = numpys_words(namesakes.vecdot)
