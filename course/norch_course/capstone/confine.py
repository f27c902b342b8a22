"""What `mytorch.py` is made of: its own lines, the standard library, the arrays of stage 2.

The first claim reads the text; the process then refuses other modules by whatever way they are
asked for, files and programs too, and stage 2's ready-made gradients and steps. It keeps a learner
from a short cut, and is no wall against somebody who takes the judge apart.
"""

import ast
import importlib.machinery
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from norch_course.projects import NotYet

LINES, COLUMNS = 300, 100
ARRAYS = ("norch_cpu_ops", "norch_strides")
LIBRARIES = ("scipy_openblas32",)  # stage 2 looks for it, for its matrix products
READY_MADE = ("_backward", "_step")  # how the kernels end that the learner is to write
PROGRAMS = ("subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system")
MODULES = tuple(importlib.machinery.all_suffixes())  # the finder guards these, wherever they lie
RULE = "yours are 300 lines, Python's standard library and the arrays of stage 2, norch_cpu_ops."

refused: list[str] = []  # what was asked for; an answer that catches the error is still told
before: set[str] = set()  # what the judge itself has imported
readable: list[str] = []  # the folders of Python and of the arrays
guarding = False


def is_allowed(module: str) -> bool:
    """Tell whether a module belongs to Python or to stage 2."""
    top = _top(module)
    return top in sys.stdlib_module_names or top in (*ARRAYS, *LIBRARIES)


def _top(module: str) -> str:
    return module.partition(".")[0]


def yours(file: Path) -> str:
    """Read the text: its size, and what it imports."""
    lines = file.read_text(encoding="utf-8").splitlines()
    if len(lines) > LINES:
        raise NotYet(f"{len(lines)} lines", f"at most {LINES}: what can be made of something else?")
    long = [number for number, line in enumerate(lines, 1) if len(line) > COLUMNS]
    if long:
        raise NotYet(f"line {long[0]} is long", f"at most {COLUMNS} characters a line.")
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError as error:
        raise NotYet(f"line {error.lineno}: {error.msg}", "Python has to read it first.") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in imported(node):
                if not is_allowed(name):
                    raise NotYet(f"line {node.lineno} imports {name}", RULE)
    return f"{len(lines)} of {LINES} lines"


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """List the modules that a statement imports; "." is a folder's."""
    if isinstance(node, ast.Import):
        return [one.name for one in node.names]
    return [node.module or "."]


class Refuse:
    """A finder in front of all others: it finds nothing, and refuses what is not allowed."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Raise ImportError for a module that is not the learner's to use."""
        if guarding and not is_allowed(name):
            refused.append(f"it asks for {name}")
            raise ImportError(f"[capstone] {name} is not yours to import: {RULE}")
        return None


def audit(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse files that are not Python's own, and programs: a hook for `sys.addaudithook`."""
    if not guarding:
        return
    if event.startswith(PROGRAMS):
        refused.append(f"it starts a program ({event})")
        raise PermissionError(f"[capstone] {event}: {RULE}")
    if event == "open" and isinstance(arguments[0], str | bytes):
        path = os.path.abspath(os.fsdecode(arguments[0]))
        if not (path.startswith(tuple(readable)) or path.endswith(MODULES)):
            refused.append(f"it opens {os.path.basename(path)}")
            raise PermissionError(f"[capstone] {path}: what mytorch.py needs is handed to it")


def _ready_made(name: str) -> Callable[..., None]:
    def not_yours(*arguments: object, **options: object) -> None:
        refused.append(f"it calls {name} of stage 2")
        raise PermissionError(f"[capstone] {name}: gradients and steps are what you write")

    return not_yours


def _guard() -> None:
    """Put the guards up, once in a process."""
    import norch_cpu_ops
    import norch_strides  # noqa: F401  its folder is asked for

    folders = [os.path.dirname(str(sys.modules[name].__file__)) for name in ARRAYS]
    readable.extend([sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), *folders])
    sys.dont_write_bytecode = True  # an import opens files to read, and no others
    for module in (norch_cpu_ops.ops, sys.modules["norch_cpu_ops._cpu"]):
        for name in [name for name in vars(module) if name.endswith(READY_MADE)]:
            setattr(module, name, _ready_made(name))
    before.update(_top(name) for name in sys.modules)
    sys.meta_path.insert(0, Refuse())
    sys.addaudithook(audit)


@cache
def load(file: Path) -> ModuleType:
    """Import the learner's file, guarded."""
    _guard()
    module = ModuleType("mytorch")
    module.__file__ = str(file)
    sys.modules["mytorch"] = module
    code = compile(file.read_text(encoding="utf-8"), str(file), "exec")
    guarded(exec, code, vars(module))
    return module


def guarded(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call something of the learner's while the guards look; NotYet where they had to."""
    global guarding
    guarding = True
    try:
        return function(*arguments)
    finally:
        guarding = False
        if refused:
            raise NotYet(refused[0], RULE)


@contextmanager
def telling(shown: str) -> Iterator[None]:
    """Let an error inside say what was asked when it arose."""
    try:
        yield
    except NotYet:
        raise
    except Exception as error:
        error.add_note(shown)
        raise


def nothing_strange() -> None:
    """Raise NotYet for a module that came in past the guards."""
    for name in map(_top, list(sys.modules)):
        if not is_allowed(name) and name not in before and name != "mytorch":
            raise NotYet(f"it has imported {name}", RULE)


def name_of(file: Path, name: str, call: str) -> Any:
    """Return what the learner calls by a name; `call` shows how it will be called."""
    found = getattr(load(file), name, None)
    nothing_strange()
    if found is None:
        raise NotYet(f"there is no `{name}`", f"write it: `{call}`; the task says what it takes.")
    return found
