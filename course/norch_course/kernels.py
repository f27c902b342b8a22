"""The kernels that this user has compiled, lent to a sealed judge of an answer in CUDA.

The judge compiles into a cache of its own, which is empty. What an answer has no part in (the
simulator, other files) is compiled already: when it is asked for, a link appears there, which can
be read and not be written through. Called by `judge.py`, before any answer runs.
"""

import os
from contextlib import suppress
from pathlib import Path

from norch_course.seal import BUILT


def lend() -> None:
    """Let the library that is imported next find what is compiled already."""
    from norch_cuda.runtime import library_cache

    is_whole = library_cache.is_whole

    def is_whole_or_lent(built: Path) -> bool:
        there = Path(os.environ[BUILT], built.parent.name, built.name)
        if there.exists() and not built.exists():
            for suffix in (".sum", there.suffix):
                with suppress(FileExistsError):
                    built.with_suffix(suffix).symlink_to(there.with_suffix(suffix))
        return bool(is_whole(built))

    library_cache.is_whole = is_whole_or_lent
