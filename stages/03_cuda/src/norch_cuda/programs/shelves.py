"""Folders of headers that other packages bring for whole programs: cuBLAS, thrust and the like.

A package brings one by an entry point of the group `norch_cuda.headers`: a name, and a function
that returns the folder. Called by build.py; reads no header.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

_MISSING = re.compile(r"fatal error: '?([^':]+)'?(?:: No such file| file not found)")
# What the shelf of norch-extras has.
_OF_EXTRAS = re.compile(r"(thrust|cub|nvtx3)/|cublas|curand\.h|helper_|cuda_(fp8|profiler_api)\.h")


@lru_cache(maxsize=1)
def header_folders() -> dict[str, Path]:
    """Return the folders of all installed packages by their names.

    A package whose files this process may not read, as in the judge of an exercise, brings none.
    """
    folders = {}
    for entry in sorted(entry_points(group="norch_cuda.headers"), key=lambda entry: entry.name):
        with suppress(PermissionError):
            folders[entry.name] = Path(entry.load()())
    return folders


def missing_header(said: str) -> str:
    """Say who has the header that a compiler did not find; "" if it missed none.

    >>> missing_header("a.cu:1:10: fatal error: cufft.h: No such file or directory")
    '[norch-nvcc] no installed package has <cufft.h>: say -I folder if it is your own'
    """
    found = _MISSING.search(said)
    if found is None:
        return ""
    known = _OF_EXTRAS.match(found[1]) and "cuda_libraries" not in header_folders()
    mend = "install norch-extras, which has it" if known else "say -I folder if it is your own"
    return f"[norch-nvcc] no installed package has <{found[1]}>: {mend}"
