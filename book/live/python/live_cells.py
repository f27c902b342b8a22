"""Run the cells of a chapter in its page: one namespace, and what a notebook would show.

What a cell prints and displays is told to the page while it runs, in its order; the value of the
last line and the error are what `run` returns. Whatever a cell does, the next one runs.
"""

import builtins
import gc
import io
import linecache
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

import live_stack
import tqdm
from IPython import display, get_ipython
from pyodide.code import eval_code

BOOK = "/norch/book"
RESERVE = 4 << 20  # bytes kept for what a MemoryError needs to be told
LONGEST = 40  # lines of a traceback at either end
DEEP = 1100  # calls: Python's limit is 1000, but for copy.deepcopy, which 3.13 does not count
NOBODY = "input() reads a keyboard, and a cell in a page has none: write the text into the cell"
STEP = ("done", "total", "words")  # of a bar
Tell = Callable[[dict[str, str]], None]
space: dict[str, object] = {"__name__": "__main__"}
space |= {"get_ipython": get_ipython, "display": display.display}


class Told(io.TextIOBase):
    """A stream whose text is told to the page line by line; `end` says how a piece ends."""

    def __init__(self, name: str, tell: Tell) -> None:
        self.name, self.tell, self.kept = name, tell, ""

    def write(self, text: str) -> int:
        """Tell the whole lines, keep the rest."""
        whole, end, rest = text.rpartition("\n")
        if end:
            self.send(self.kept + whole, "\n")
            self.kept = rest
        else:
            self.kept += text
        return len(text)

    def send(self, line: str, end: str) -> None:
        """Tell a piece, after what the other stream has kept."""
        self.kept = ""
        for other in (sys.stdout, sys.stderr):
            other.flush()
        self.tell({"kind": "line", "stream": self.name, "line": line, "end": end})

    def flush(self) -> None:
        """Tell what has no end of line yet."""
        if self.kept:
            self.send(self.kept, "")


def refuse(prompt: object = "") -> str:
    """Stand for `input`."""
    raise EOFError(NOBODY)


def replay(stored: str) -> None:
    """Stand for a cell that no page can run: chapter 6 draws what its latest `%%ranks` said."""
    said = space.get("said")
    if isinstance(said, list):
        said[:] = stored.splitlines()


def run(code: str, name: str, tell: Tell, page: str = "chapters/page") -> dict[str, str]:
    """Run a cell in the folder of its page; return its value as HTML and text, or its error."""
    live_stack.bound()
    folder = os.path.dirname(os.path.join(BOOK, page))
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    builtins.input = refuse
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    usual = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Told("out", tell), Told("err", tell)
    display.publish[0] = lambda bundle: tell_bundle(bundle, tell)
    tqdm.show[0] = lambda *step: tell({"kind": "progress", **dict(zip(STEP, step, strict=True))})
    reserve = kept_apart()
    try:
        return value_of(code, name)
    except BaseException as error:  # a cell may raise anything, SystemExit too
        reserve.clear()
        return {"error": told_error(error, name)}
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = usual


def kept_apart() -> list[bytearray]:
    """Return memory that an error's telling may use; none where cells before have filled it all."""
    with suppress(MemoryError):
        return [bytearray(RESERVE)]
    return []


def value_of(code: str, name: str) -> dict[str, str]:
    """Run a cell; return the value of its last line in the forms that a page shows."""
    first, _, rest = code.partition("\n")
    if first.startswith("%%"):
        command, _, line = first[2:].partition(" ")
        value = get_ipython().run_cell_magic(command, line, rest)
    else:
        value = eval_code(code, globals=space, filename=name)
    if value is None:
        return {}
    space["_"] = value
    return forms(display.bundle_of(value))


def forms(bundle: display.Bundle) -> dict[str, str]:
    """Return what a page shows of a bundle, and its text."""
    html = bundle.get("text/html", bundle.get("image/svg+xml"))
    text = bundle.get("text/markdown", bundle.get("text/plain", ""))
    return {"html": html, "plain": text} if html is not None else {"text": text}


def tell_bundle(bundle: display.Bundle, tell: Tell) -> None:
    """Tell what `display` was given; what has no form that a page shows is for the book alone."""
    sys.stdout.flush()
    sys.stderr.flush()
    if not bundle:
        tell({"kind": "clear"})
    elif {"text/plain", "text/html", "image/svg+xml", "text/markdown"} & set(bundle):
        tell({"kind": "shown", **forms(bundle)})


def told_error(error: BaseException, name: str) -> str:
    """Return the traceback from the cell on, and let go of what it held."""
    frames = error.__traceback__
    while frames and frames.tb_frame.f_code.co_filename != name:
        frames = frames.tb_next
    leave_out(frames)
    try:
        lines = "".join(traceback.format_exception(type(error), error, frames)).splitlines(True)
    except BaseException as second:  # its own __str__ may fail, or memory may be short
        lines = [f"{type(error).__name__}, which cannot be told: {type(second).__name__}"]
    traceback.clear_frames(error.__traceback__)
    gc.collect()  # what was in a circle with the frames
    if len(lines) > 2 * LONGEST:
        left = f"  ... {len(lines) - 2 * LONGEST} lines ...\n"
        lines = [*lines[:LONGEST], left, *lines[-LONGEST:]]
    return "".join(lines)


def leave_out(frames: TracebackType | None) -> None:
    """Cut the middle out of a traceback that would take minutes to tell."""
    calls = []
    while frames:
        calls.append(frames)
        frames = frames.tb_next
    if len(calls) > DEEP:
        calls[LONGEST].tb_next = calls[-LONGEST]
