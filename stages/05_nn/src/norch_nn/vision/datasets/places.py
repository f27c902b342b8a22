"""Where a dataset's files may lie, for the datasets that have nothing embedded in norch.

Called by FashionMNIST and CIFAR10. The order is: `root`, `$NORCH_DATA`, the cache, a download.
What is found nowhere is a RuntimeError that says where it was looked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from norch_nn.vision.datasets.download import DownloadError
from norch_nn.vision.datasets.sources import cache_folder

T = TypeVar("T")


def find_or_fetch(
    owner: str,
    root: str | os.PathLike[str] | None,
    download: bool,
    find: Callable[[Path], T | None],
    fetch: Callable[[Path], None],
) -> T:
    """Return what `find` finds in the first place that has it; `fetch` fills an empty one."""
    if root is not None:
        places = [Path(root).expanduser()]
    else:
        data = os.environ.get("NORCH_DATA")
        places = [Path(data).expanduser()] if data else []
        places.append(cache_folder())
    for place in places:
        if (found := find(place)) is not None:
            return found
    looked = " nor in ".join(map(str, places))
    if not download:
        raise RuntimeError(f"[{owner}] not found in {looked}: correct root, or pass download=True")
    target = places[-1]
    try:
        target.mkdir(parents=True, exist_ok=True)
        fetch(target)
    except DownloadError as error:
        raise RuntimeError(f"[{owner}] not found in {looked}, and {error}") from error
    except OSError as error:
        raise RuntimeError(
            f"[{owner}] cannot write to {target} ({error.strerror or error}): give a root, or set "
            "NORCH_CACHE to a folder you can write to"
        ) from error
    if (found := find(target)) is None:
        raise RuntimeError(f"[{owner}] the download left nothing in {target}")
    return found


def digest_differs(content: bytes, md5: str) -> str:
    """Say what is wrong with a downloaded file, or nothing."""
    import hashlib  # slow to import, seldom needed

    found = hashlib.md5(content, usedforsecurity=False).hexdigest()
    return "" if found == md5 else f"wrong checksum {found[:12]}, not {md5[:12]}"
