"""Where a path of PyTorch's sources is shown, such as `torch/csrc/autograd/engine.cpp`: at one tag.

The pages write the bare path, as code; `norch_links.py` makes a link of it when the book is built.
`pytorch_paths.txt` lists the paths that were looked up, and `tests/book/test_book_away.py` holds
the pages against it. Nothing is fetched.
"""

import re
from pathlib import Path

TAG = "v2.13.0"
TREE = "https://github.com/pytorch/pytorch"
PATH = re.compile(r"(?:torch|aten/src|c10|tools/autograd)/[\w./-]+")
LISTED = Path(__file__).with_name("pytorch_paths.txt")


def paths() -> list[str]:
    """Return the paths that were looked up in PyTorch's sources at the tag."""
    lines = LISTED.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def address(path: str) -> str:
    """Return where a path of PyTorch is shown: a file if its last part has a dot, or a folder."""
    path = path.rstrip("/")
    kind = "blob" if "." in path.rpartition("/")[2] else "tree"
    return f"{TREE}/{kind}/{TAG}/{path}"
