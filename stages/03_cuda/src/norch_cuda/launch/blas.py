"""Whose products of large matrices a GPU computes: those of NVIDIA's cuBLAS, or norch's own.

Written through `norch.backends.cuda.preferred_blas_library`; asked by operations/matmul.py. The
simulator has no library.
"""

from __future__ import annotations

from norch_cuda.runtime.backend import Backend
from norch_cuda.runtime.cupy_backend import CupyBackend

_LIBRARIES = ("default", "cublas", "norch")
_preferred = "default"


def preferred_blas_library(backend: str | None = None) -> str:
    """Choose the library of matrix products on GPUs, if one is named; return the one in use.

    "default" is cuBLAS where CuPy finds it, "cublas" an error where it does not, "norch" neither.

    >>> preferred_blas_library()
    'default'
    """
    global _preferred
    if backend is not None and backend not in _LIBRARIES:
        raise RuntimeError(
            f"[preferred_blas_library] got {backend!r}: expected one of {', '.join(_LIBRARIES)}"
        )
    _preferred = backend or _preferred
    return _preferred


def blas_of(backend: Backend) -> CupyBackend | None:
    """Return the GPU whose cuBLAS is to multiply, if one is."""
    if not isinstance(backend, CupyBackend) or _preferred == "norch":
        return None
    return backend if _preferred == "cublas" or backend.has_cublas() else None
