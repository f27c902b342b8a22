"""Watching: what happens to the arguments of a function with a learner's lines, call by call.

The judge loads an answer through `AnswerLoader`, which puts a watcher round the function in which
the hole stands. It sees whether arguments and what `self` keeps are afterwards what they were,
which forms of input came in (`forms.py`), and how many steps a call took: lines of the answer, and
calls below them. It changes no value, and judges nothing: `judge.py` does.
"""

import ast
import functools
import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import decode_source
from types import CodeType, FrameType, ModuleType
from typing import Any

from norch_course.forms import forms_of, is_array
from norch_course.holes import Hole, find_hole

WATCH = "__norch_watch__"  # in a watched module: the decorator
DESCRIPTORS = ("property", "staticmethod", "classmethod", "setter", "cached_property")
LARGE = 20_000  # elements; a larger array is not read
DEEP = 12
Function = Callable[..., Any]
CachedFunction = type(functools.lru_cache(abs))


class Watch:
    """What was seen in the calls of one function."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.inside = threading.local()
        self.changed: dict[str, str] = {}  # the name of an argument -> how it changed first
        self.seen: set[tuple[str, str]] = set()  # kinds of arguments, and forms
        self.module: dict[str, Any] = {}
        self.steps = 0
        self.size = 0  # elements that came in
        self.is_counting = False

    def decorator(self, function: Function) -> Function:
        """Return the function, watched."""
        bind = inspect.signature(function).bind

        def arguments(args: Any, kwargs: Any) -> dict[str, Any]:
            try:
                return dict(bind(*args, **kwargs).arguments)
            except TypeError:  # the call itself is wrong, and says so
                return {}

        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            if getattr(self.inside, "a_call", False):
                return function(*args, **kwargs)
            with self.call(arguments(args, kwargs)):
                return function(*args, **kwargs)

        @functools.wraps(function)
        def watched_generator(*args: Any, **kwargs: Any) -> Any:
            given = arguments(args, kwargs)
            before = pictures(given)
            self.note_forms(given)
            yield from function(*args, **kwargs)
            self.compare(before, given)

        return watched_generator if inspect.isgeneratorfunction(function) else watched

    def call(self, given: dict[str, Any]) -> "_Call":
        """Return what surrounds one call."""
        return _Call(self, given)

    def forget(self) -> None:
        """Forget what the caches of the answer's file remember: the next call is made anew."""
        for item in list(self.module.values()):
            for one in (item, getattr(item, "__wrapped__", None)):  # the watched one is within
                if isinstance(one, CachedFunction):
                    one.cache_clear()

    def note_forms(self, given: dict[str, Any]) -> None:
        """Note the kinds and forms of the arguments."""
        for name, value in opened(given):
            self.seen.update(forms_of(name, value))

    def compare(self, before: dict[str, Any], given: dict[str, Any]) -> None:
        """Note which arguments are not what they were."""
        after = pictures(given)
        for name in before | after:
            if name not in before or name not in after:
                said = " is new" if name in after else " is gone"
            else:
                said = difference(before[name], after[name])
            if said:
                self.changed.setdefault(name, f"{name}{said}")


class _Call:
    """One call: what was given before it and after it, and the steps between."""

    def __init__(self, watch: Watch, given: dict[str, Any]) -> None:
        self.watch, self.given = watch, given

    def __enter__(self) -> None:
        watch = self.watch
        watch.inside.a_call = True
        self.before = pictures(self.given)
        if watch.is_counting:
            watch.size += sum(size_of(value) for _, value in opened(self.given))
            sys.setprofile(self.on_call)
            sys.settrace(self.on_trace)
        else:
            watch.note_forms(self.given)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self.watch.is_counting:
            sys.settrace(None)
            sys.setprofile(None)
        self.watch.inside.a_call = False
        if kind is not MemoryError:  # where memory is full there is no room for pictures
            self.watch.compare(self.before, self.given)

    def on_call(self, frame: FrameType, event: str, argument: object) -> None:
        """Count a call of a function in C."""
        self.watch.steps += event == "c_call"

    def on_trace(self, frame: FrameType, event: str, argument: object) -> Any:
        """Count a call in Python, and each line of the answer."""
        self.watch.steps += event in ("call", "line")
        return self.on_trace if frame.f_code.co_filename == self.watch.file else None


# ---- Pictures: what a value holds, in plain lists ------------------------------------------------


def opened(given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments by their names, and in the place of `self` what it keeps."""
    for name, value in given.items():
        if name == "self" and not is_array(value):
            yield from (("self." + key, part) for key, part in kept_by(value).items())
        else:
            yield name, value


def kept_by(value: object) -> dict[str, Any]:
    """Return the attributes of an object, those in slots too."""
    slots = [name for kind in type(value).__mro__ for name in _names(kind)]
    found = {name: getattr(value, name) for name in slots if _is_set(value, name)}
    return found | dict(getattr(value, "__dict__", {}))


def _names(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    slots = (slots,) if isinstance(slots, str) else tuple(slots)
    own = [name for name in slots if inspect.isdatadescriptor(kind.__dict__.get(name))]
    return tuple(name for name in own if not name.startswith("__"))


def _is_set(value: object, name: str) -> bool:
    # A property of a class above may stand in front of the slot: it is not ours to call.
    found = inspect.getattr_static(type(value), name, None)
    return inspect.ismemberdescriptor(found) and hasattr(value, name)


def pictures(given: dict[str, Any]) -> dict[str, Any]:
    """Return what the arguments hold."""
    return {name: picture(value) for name, value in opened(given)}


def picture(value: Any, depth: int = 0) -> Any:
    """Return what a value holds, as plain values, lists and dicts; of an object, which one it is.

    Numbers are given as text, so that NaN is what it was.
    """
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if is_array(value):
        return _array(value, depth)
    if depth < DEEP and isinstance(value, list | tuple):
        return [picture(part, depth + 1) for part in value]
    if depth < DEEP and isinstance(value, dict):
        return {_key(key): picture(part, depth + 1) for key, part in value.items()}
    return id(value)


def _key(key: object) -> object:
    return key if isinstance(key, str | int | float | tuple) else id(key)


def _array(value: Any, depth: int) -> Any:
    shape = list(value.shape)
    if size_of(value) > LARGE:
        return shape
    held = {"shape": shape, "values": _texts(value.tolist())}
    grad = getattr(value, "grad", None) if getattr(value, "is_leaf", False) else None
    return held | ({"grad": picture(grad, depth + 1)} if grad is not None else {})


def _texts(value: Any) -> Any:
    return [_texts(part) for part in value] if isinstance(value, list) else repr(value)


def size_of(value: Any) -> int:
    """Count the elements of a value, and of all within it."""
    if is_array(value):
        count = 1
        for size in value.shape:
            count *= size
        return count
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return len(value) + sum(size_of(part) for part in value if not isinstance(part, int))
    return 1


def difference(before: Any, after: Any, place: str = "") -> str:
    """Say where two pictures differ first: `[1][0] was 2.0 and is 6.0`; nothing if they do not."""
    if before == after:
        return ""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        pairs = [(_step(key), before[key], after[key]) for key in before]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = [(f"[{k}]", one, two) for k, (one, two) in enumerate(zip(before, after))]  # noqa: B905
    else:
        return f"{place} {_told(before, after)}"
    return next(said for step, one, two in pairs if (said := difference(one, two, place + step)))


def _step(key: object) -> str:
    return {"values": "", "shape": ".shape", "grad": ".grad"}.get(str(key), f"[{key!r}]")


def _told(before: Any, after: Any) -> str:
    if isinstance(before, list | dict) and isinstance(after, list | dict):
        return f"had {len(before)} parts and has {len(after)}"
    if isinstance(before, str) and isinstance(after, str):
        return f"was {before} and is {after}"
    return "is another object"


# ---- Loading -------------------------------------------------------------------------------------


class AnswerLoader(SourceFileLoader):
    """Loads the file of an answer with a watcher round the function that holds the hole."""

    def __init__(self, name: str, path: str, watch: Watch, id: str) -> None:
        super().__init__(name, path)
        self.watch, self.id = watch, id

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its decorator, then run it."""
        module.__dict__[WATCH] = self.watch.decorator
        self.watch.module = module.__dict__
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType:
        """Compile the file, with the decorator; the code is not stored."""
        text = decode_source(self.get_data(self.path))
        tree = ast.parse(text, self.path)
        for function in functions_with(tree, find_hole(text, ".py", self.id)):
            mark = ast.copy_location(ast.Name(WATCH, ast.Load()), function)
            function.decorator_list.insert(place_of_watcher(function), mark)
        return compile(tree, self.path, "exec", dont_inherit=True)


def place_of_watcher(function: ast.FunctionDef) -> int:
    """Return where it stands among decorators: in front, but within what makes no function."""
    for place, one in enumerate(function.decorator_list, start=1):
        if ast.unparse(one).rpartition(".")[2] in DESCRIPTORS:
            return place
    return 0


def functions_with(tree: ast.AST, hole: Hole) -> Iterator[ast.FunctionDef]:
    """Yield the outermost functions that a hole lies in, or that lie in a hole."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            if node.lineno < hole.end and (node.end_lineno or 0) > hole.begin:
                yield node
        elif isinstance(node, ast.ClassDef | ast.If | ast.With | ast.Try):
            yield from functions_with(node, hole)
