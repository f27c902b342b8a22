"""Where OpenBLAS lies, when the package scipy-openblas32 is installed.

Called once, by the first matrix product large enough to want it. The package is only looked for,
never imported; the shared library itself is opened by csrc/core/blas.cpp.
"""

from importlib.util import find_spec
from pathlib import Path


def library_path() -> str:
    """Return the path of the shared library, or "" when the package is not installed."""
    spec = find_spec("scipy_openblas32")
    if spec is None or spec.origin is None:
        return ""
    folder = Path(spec.origin).parent / "lib"
    found = sorted(folder.glob("libscipy_openblas*.*"))
    libraries = [path for path in found if path.suffix in (".so", ".dylib")]
    return str(libraries[0]) if libraries else ""
