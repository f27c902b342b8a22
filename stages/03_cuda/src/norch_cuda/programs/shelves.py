"""Folders of headers that other packages bring for whole programs: cuBLAS, thrust and the like.

A package brings one by an entry point of the group `norch_cuda.headers`: a name, and a function
that returns the folder. Called by build.py; reads no header.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

from norch_cuda.runtime.diagnostics import header_not_found

_NOT_INSTALLED = (
    "say -I folder if it is your own, or install norch-extras, which brings headers of cuBLAS, "
    "cuRAND, Thrust, NVTX and CUDA's samples"
)


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


def where_to_look(said: str) -> str:
    """Say who may have the header that a compiler did not find; "" if it missed none."""
    name = header_not_found(said)
    if not name:
        return ""
    brought = "cuda_libraries" in header_folders()
    mend = "say -I folder if it is your own" if brought else _NOT_INSTALLED
    return f"[norch-nvcc] no installed package has <{name}>: {mend}"
