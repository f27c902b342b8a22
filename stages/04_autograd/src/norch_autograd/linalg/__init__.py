"""Linear algebra under PyTorch's name: norms, solving, inverses, determinants, factorizations.
Leading dimensions are batches.

Everything is made of a few operations for each column, so it is for small matrices. Eigenvalues and
singular values are left out.
"""

from norch_autograd.axes import numpys_words
from norch_autograd.linalg import norms, products
from norch_autograd.linalg.elimination import (
    LinAlgError as LinAlgError,
    det as det,
    inv as inv,
    slogdet as slogdet,
    solve as solve,
)
from norch_autograd.linalg.factors import cholesky as cholesky, qr as qr
from norch_autograd.linalg.norms import matrix_norm as matrix_norm
from norch_autograd.linalg.products import (
    diagonal as diagonal,
    matrix_power as matrix_power,
    multi_dot as multi_dot,
)

norm = numpys_words(norms.norm)
vector_norm = numpys_words(norms.vector_norm)
cross = numpys_words(products.cross)
vecdot = numpys_words(products.vecdot)
