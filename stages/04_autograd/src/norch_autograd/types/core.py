"""Whether the C++ core is used, decided once, at import; and the mark of what it says again.

`csrc/` says in C++ what the texts marked `@in_core` say: a tensor's and a node's state, the record
and the ordinary backward pass. The text beside the mark is the reference, and runs wherever the
core stands aside: where it was not built, under `NORCH_CORE=0`, and where one of the files that it
was built from has been edited since.
"""

from __future__ import annotations

import importlib
import os
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

Form = TypeVar("Form")

NOT_BUILT = "it was not built when this package was installed"
REASON = Path(__file__).parents[1] / f"_no_core{EXTENSION_SUFFIXES[0]}.txt"  # by hatch_build.py


def _find_edit(texts: dict[str, str]) -> str:
    """The first file that is not the text autograd's C++ core was built from; or nothing."""
    for file, digest in texts.items():
        found = find_spec("norch_autograd." + file.removesuffix(".py").replace("/", "."))
        if found is None or found.origin is None:
            return file
        with open(found.origin, "rb") as text:
            if sha256(text.read()).hexdigest() != digest:
                return file
    return ""


def _why_not(core: Any, suffix: str, wanted: str) -> str:
    """Why autograd's C++ core, if there is one, is not used: one sentence, or nothing."""
    if wanted == "0":
        return "NORCH_CORE is 0"
    if core is None:
        return f"{NOT_BUILT}: {REASON.read_text()}" if REASON.exists() else NOT_BUILT
    if core.built_for not in suffix:
        return f"it was built for {core.built_for}, and this Python loads {suffix}"
    edited = _find_edit(core.texts)
    return edited and f"{edited} is not the text that it was built from: `make setup` builds again"


def _load_core() -> tuple[Any, str]:
    """Autograd's C++ core, or None and why not."""
    name, wanted = "norch_autograd._core", os.environ.get("NORCH_CORE", "")
    try:
        core = importlib.import_module(name) if wanted != "0" else None
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        core = None
    except ImportError as error:  # what csrc/module.cpp refuses
        return None, f"it refused to load: {error}"
    why_not = _why_not(core, EXTENSION_SUFFIXES[0], wanted)
    return (None, why_not) if why_not else (core, "")


_core, _reason = _load_core()


def in_core(text: Form) -> Form:
    """Marks a function or class that csrc/ says again, and gives its form in C++: for every case
    but the ordinary one the form calls this text. The text itself, where the core stands aside.
    """
    return text if _core is None else _core.form_of(text)


def is_core_used() -> bool:
    """Whether the C++ core runs in the place of the Python text."""
    return _core is not None


def core_status() -> str:
    """Whether the C++ core is used and, if not, why, in one sentence."""
    return f"the core stands aside: {_reason}" if _core is None else "the core is in use"
