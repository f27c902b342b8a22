"""Fetching a file: several mirrors, a progress line, a checksum, and a rename at the end.

Called by the datasets. The target appears only when its content is known to be right; whatever
stops the download leaves no half file behind.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from norch_nn.serialization.files import replacing

TIMEOUT = 10  # seconds without an answer before the next mirror is tried
CHUNK = 1 << 16
LARGEST = 256 << 20  # no file of ours is larger: stop a server that sends without end


class DownloadError(RuntimeError):
    """No mirror gave the right file; the text says what they did instead."""


def fetch(name: str, mirrors: Sequence[str], target: Path, check: Callable[[bytes], str]) -> None:
    """Download `name` from the first mirror that has it right and put it at `target`.

    `check` takes the content and returns "" or what is wrong with it. Raises DownloadError, or
    OSError when `target` cannot be written.
    """
    from http.client import HTTPException  # here and below: a network library is slow to import

    failures: dict[str, None] = {}
    for mirror in mirrors:
        url = mirror + name
        try:
            content = read(url, Progress(name, sys.stderr))
        except (OSError, HTTPException, ValueError) as error:
            failures[reason(error)] = None
            continue
        if wrong := check(content):
            failures[wrong] = None
            continue
        with replacing(target) as file:
            file.write(content)
        return
    raise DownloadError(f"no mirror gave {name}: {'; '.join(failures) or 'there are none'}")


def read(url: str, progress: Progress) -> bytes:
    """Download what `url` sends; OSError when it stops early."""
    from urllib.request import urlopen

    with urlopen(url, timeout=TIMEOUT) as response:
        length = response.headers.get("Content-Length")
        total = int(length) if length else 0
        content = bytearray()
        with progress:
            while chunk := response.read(CHUNK):
                content += chunk
                progress.show(len(content), total)
                if len(content) > LARGEST:
                    raise OSError(f"more than {LARGEST} bytes were sent")
    if total and len(content) != total:
        raise OSError(f"cut off after {len(content)} of {total} bytes")
    return bytes(content)


def reason(error: Exception) -> str:
    """Say in a few words why a download failed."""
    from urllib.error import HTTPError, URLError

    if isinstance(error, HTTPError):
        error.close()  # it is the server's answer as well
        return f"HTTP {error.code}"
    if isinstance(error, URLError):
        return str(error.reason)
    return str(error) or type(error).__name__


class Progress:
    """One line that counts up on a terminal; one line a file elsewhere."""

    def __init__(self, name: str, stream: Any) -> None:
        self.name = name
        self.stream = stream
        self.live = stream.isatty()
        self.done = self.total = 0

    def __enter__(self) -> Progress:
        return self

    def show(self, done: int, total: int) -> None:
        """Update the line of a download's progress."""
        self.done, self.total = done, total
        if self.live:
            percent = f"{100 * done // total:3d} %" if total else ""
            print(f"\r{self.name} {done / 1e6:6.1f} MB {percent}", end="", file=self.stream)

    def __exit__(self, *exc: object) -> None:
        if self.live:
            print(file=self.stream)
        elif exc[0] is None:
            print(f"{self.name} {self.done / 1e6:.1f} MB downloaded", file=self.stream)
