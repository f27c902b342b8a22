"""Writing a file all at once: beside its target first, then renamed over it.

Called by `serialization` and by the dataset download. A reader sees the old file or the new one,
and an interrupted writer leaves neither a half file nor a temporary one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file that becomes `path` when the block ends without an exception.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "a.bin")
    ...     with replacing(target) as file:
    ...         _ = file.write(b"new"), target.exists()
    ...     target.read_bytes(), len(os.listdir(folder))
    (b'new', 1)
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder, not a file")
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
