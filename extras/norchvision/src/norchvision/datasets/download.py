"""Fetching a file: several mirrors, a progress line, a checksum, and a rename at the end.

Called by the datasets. The target appears only when its content is known to be right; whatever
stops the download leaves no half file behind. Servers, and proxies on the way to them, may send
anything, or nothing, for as long as they like: each has a limit, then the next is tried.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from norch_nn.serialization.files import replacing

TIMEOUT = 10  # seconds without an answer before the next mirror is tried
PATIENCE = 60  # seconds in which a server must have sent more than a trickle
TRICKLE = 60_000  # bytes
CHUNK = 1 << 16
LARGEST = 256 << 20  # no file of ours is larger: stop a server that sends without end
LONGEST = 200  # characters of what a server says of itself


class DownloadError(RuntimeError):
    """No mirror gave the right file; the text says what they did instead."""


def fetch(name: str, mirrors: Sequence[str], target: Path, check: Callable[[bytes], str]) -> None:
    """Download `name` from the first mirror that has it right and put it at `target`.

    `check` takes the content and returns "" or what is wrong with it. Raises DownloadError, or
    OSError when `target` cannot be written.
    """
    failures: dict[str, None] = {}
    for mirror in mirrors:
        try:
            content = read(mirror + name, Progress(name, sys.stderr))
        except Exception as error:  # what a server sends may end a network library in any way
            failures[reason(error)] = None
            continue
        if wrong := check(content):
            is_page = content.lstrip()[:1] == b"<"
            note = " (a web page, as a proxy or a sign-in sends)" if is_page else ""
            failures[wrong + note] = None
            continue
        with replacing(target) as file:
            file.write(content)
        return
    raise DownloadError(f"no mirror gave {name}: {'; '.join(failures) or 'there are none'}")


def read(url: str, progress: Progress) -> bytes:
    """Download what `url` sends; an error when it stops early, or only trickles."""
    transfer = Transfer(url)
    transfer.start()
    try:
        with progress:
            began, had = time.monotonic(), 0
            while transfer.is_alive():
                transfer.join(0.1)
                progress.show(len(transfer.content), transfer.total)
                if time.monotonic() - began > PATIENCE:
                    if len(transfer.content) - had < TRICKLE:
                        raise TimeoutError(f"less than {TRICKLE} bytes in {PATIENCE} seconds")
                    began, had = time.monotonic(), len(transfer.content)
            if transfer.problem:
                raise transfer.problem
    finally:
        transfer.is_abandoned = True
    return bytes(transfer.content)


class Transfer(threading.Thread):
    """One download in a thread of its own: whoever waits for it can give it up.

    TIMEOUT is between two bytes: one that sends a byte now and then, or headers without end, would
    keep a program for ever.
    """

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.url = url
        self.content = bytearray()
        self.total = 0  # bytes that the server has promised
        self.problem: Exception | None = None
        self.is_abandoned = False

    def run(self) -> None:
        """Download, and keep what goes wrong for who waits."""
        try:
            self.receive()
        except Exception as error:
            self.problem = error

    def receive(self) -> None:
        """Download what the server sends; OSError when that is not what it promised."""
        from urllib.request import urlopen  # here and below: a network library is slow to import

        with urlopen(self.url, timeout=TIMEOUT) as response:
            length = response.headers.get("Content-Length", "")
            self.total = int(length) if length.isdecimal() else 0
            if self.total > LARGEST:
                raise OSError(f"{self.total} bytes were promised, {LARGEST} are the most")
            while not self.is_abandoned and (chunk := response.read1(CHUNK)):
                self.content += chunk
                if len(self.content) > LARGEST:
                    raise OSError(f"more than {LARGEST} bytes were sent")
        if self.total and len(self.content) != self.total:
            raise OSError(f"cut off after {len(self.content)} of {self.total} bytes")


def reason(error: Exception) -> str:
    """Say in a few words why a download failed, and nothing that would write to a terminal."""
    from urllib.error import HTTPError, URLError

    if isinstance(error, HTTPError):
        error.close()  # it is the server's answer as well
        note = " (redirected, and nowhere to)" if 300 <= error.code < 400 else ""
        return f"HTTP {error.code}{note}"
    text = str(error.reason) if isinstance(error, URLError) else str(error)
    words = "".join(letter if letter.isprintable() else " " for letter in text).split()
    return " ".join(words)[:LONGEST] or type(error).__name__


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
