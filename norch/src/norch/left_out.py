"""Names of PyTorch that norch leaves out on purpose: each module says so where one is asked for.

They are the `-` lines of norch/names.txt, and docs/scope.md gives the reasons. A module answers by
its `__getattr__` (PEP 562), which Python calls for names that are not there, and for no other. It
forwards nothing: such a name stays an AttributeError, and `hasattr` says no.
"""

import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import NoReturn


def answers(module: str, patterns: str) -> Callable[[str], NoReturn]:
    """Return the `__getattr__` of a module that leaves out the names of `patterns`.

    >>> try:
    ...     answers("norch", "fft *_copy")("view_copy")
    ... except AttributeError as error:
    ...     print(error)
    module 'norch' has no attribute 'view_copy', left out on purpose: docs/scope.md says why
    """

    def __getattr__(name: str) -> NoReturn:
        text = f"module {module!r} has no attribute {name!r}"
        if name.startswith("__") or not any(fnmatchcase(name, one) for one in patterns.split()):
            raise AttributeError(text, name=name, obj=sys.modules[module])  # what it may have meant
        raise AttributeError(f"{text}, left out on purpose: docs/scope.md says why", name=name)

    return __getattr__
