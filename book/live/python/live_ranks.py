"""`%%ranks` in a page: a script in several Pythons at once, each in a worker of its own.

`start` stands for the chapter's, which starts processes; it asks the page (`ranks.js`), and waits.
`run` is one of those ranks. Waiting for a message needs a browser that can suspend a Python.
"""

from __future__ import annotations

import atexit
import linecache
import os
import pickle
import sys
import tempfile
from pathlib import Path
from types import CodeType
from typing import Any

import live_cells
import live_stack
from pyodide.ffi import can_run_sync, run_sync, to_js

NAME = "script.py"
MOST = 8  # each is a Python of its own, of some 100 MB
TOO_OLD = "Ranks in a page need a browser that can suspend WebAssembly, as Chromium 137 does"
BUILT = "This is what they printed when the book was built:"


def start(count: str, program: str) -> list[str]:
    """Run a script in `count` Pythons of the page; return the lines that they printed."""
    import live_page

    if not can_run_sync():
        raise RuntimeError(TOO_OLD)
    if not 1 <= int(count) <= MOST:
        raise ValueError(f"[%%ranks] {count}: a page has room for 1 to {MOST} ranks")
    given = pickle.dumps((dict(os.environ), temporary_files()))
    said = run_sync(live_page.ranks(int(count), program, to_js(given)))
    if said.failed:
        raise RuntimeError(said.text)
    for left in said.left:
        write(pickle.loads(left.to_bytes()))
    return said.text.splitlines()


def temporary_files() -> dict[str, bytes]:
    """Return them as ranks begin with them; what ranks write is there when all have ended."""
    found = Path(tempfile.gettempdir()).rglob("*")
    return {str(path): path.read_bytes() for path in found if path.is_file()}


def write(files: dict[str, bytes]) -> None:
    """Write files, and the folders above them."""
    for name, data in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)


def command(code: str, name: str, tell: Any, page: str, stored: str = "") -> dict[str, str]:
    """Run a cell that begins with a command: the chapter's own, which ask the page for ranks.

    Where they cannot run, it says so, and tells what they said when the book was built.
    """
    if stored and code.startswith("%%ranks") and not can_run_sync():
        live_cells.replay(stored)
        tell({"kind": "line", "stream": "err", "line": f"{TOO_OLD}. {BUILT}", "end": "\n"})
        tell({"kind": "line", "stream": "out", "line": stored, "end": ""})
        return {}
    if (processes := sys.modules.get("lessons.processes")) is not None:
        processes.start = start
    return live_cells.run(code, name, tell, page)


def run(program: str, given: Any, rank: int, size: int, tell: Any) -> dict[str, object]:
    """Run a script as one rank, to the end of what it does at exit; return its error or files."""
    from norch_ddp.launch.bootstrap import rank_environment

    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "rank"))
    environment, files = pickle.loads(given.to_bytes())
    write(files)
    os.environ.update(environment | rank_environment(rank, size, rank, size))
    live_stack.bound()
    linecache.cache[NAME] = (len(program), None, program.splitlines(keepends=True), NAME)
    sys.stdout, sys.stderr = live_cells.Told("out", tell), live_cells.Told("err", tell)
    try:
        run_to_its_end(compile(program, NAME, "exec"))
    except BaseException as error:  # a script may raise anything
        return {"error": f"rank {rank} of {size} failed:\n{live_cells.told_error(error, NAME)}"}
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    changed = {k: data for k, data in temporary_files().items() if files.get(k) != data}
    return {"files": pickle.dumps(changed)}


def run_to_its_end(program: CodeType) -> None:
    """Run a script and what it leaves for its exit; one that calls `exit()` has not failed."""
    try:
        exec(program, sys.modules["__main__"].__dict__)
    except SystemExit as error:
        if error.code not in (None, 0):
            raise
    atexit._run_exitfuncs()
