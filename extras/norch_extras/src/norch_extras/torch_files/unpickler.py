"""Pickles read as data: a machine with a stack that calls nothing but a fixed list of functions.

Called by readers.py. A pickle is a program. Here a name in it stays a name (`Name`), no module
is imported, no attribute is read or set, and the only calls are those of `functions`, which check
what they are given. What a pickle can take in memory and time grows with its size alone.
"""

from __future__ import annotations

import io
import warnings
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from norch_nn.serialization.files import LoadError
from norch_nn.serialization.structure import KEY_BITS

LARGEST = 2**25  # bytes of one pickle; those of large models have some hundred kilobytes
DICTS = (dict, OrderedDict, defaultdict, Counter)
COPIED = (str, bytes, bytearray, list, tuple, dict)
KEY_PARTS = 20  # of a tuple that is a key
KEY_LENGTH = 10_000  # of a text that is a key: equal ones are compared again and again

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Name:
    """What a pickle refers to by name; never the thing itself."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Unpickler:
    """One run of a pickle: `functions` and `values` are all the names that it may use."""

    def __init__(
        self,
        functions: Mapping[Name, Function],
        values: Callable[[Name], Any],
        persistent_load: Function,
    ) -> None:
        """Begin with an empty stack; `values(name)` gives a name's value, or refuses it."""
        self.functions = functions
        self.values = values
        self.persistent_load = persistent_load
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []  # the stacks under each mark
        self.memo: dict[int, Any] = {}
        self.budget = 0  # how much the arguments of all calls may hold together

    def load(self, file: io.BytesIO) -> Any:
        """Run the pickle that begins here, and leave the file behind it.

        >>> from pickle import dumps
        >>> Unpickler({}, str, str).load(io.BytesIO(dumps({"a": [1, (2.5, None)]})))
        {'a': [1, (2.5, None)]}
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in a damaged name
            return self._run(file)

    def _run(self, file: io.BytesIO) -> Any:
        """Take the steps of the pickle one after the other."""
        import pickletools  # slow to import

        start = file.tell()
        self.budget = min(LARGEST, len(file.getbuffer()) - start)
        for opcode, argument, position in pickletools.genops(file):
            if position is not None and position - start > LARGEST:
                raise LoadError(f"its pickle has more than {LARGEST} bytes")
            step = STEPS.get(opcode.name)
            if step is None:
                raise LoadError(f"its pickle uses {opcode.name}, which torch.save does not write")
            step(self, argument)
        (result,) = self.stack
        return result

    def push(self, value: Any) -> None:
        """Put a value on the unpickler's stack."""
        self.stack.append(value)

    def pop_to_mark(self) -> list[Any]:
        """Take what lies on the unpickler's stack above the last mark."""
        items, self.stack = self.stack, self.below.pop()
        return items

    def call(self) -> None:
        """Call one of the listed functions by the name in the pickle, with checked arguments."""
        arguments, name = self.stack.pop(), self.stack.pop()
        if type(name) is not Name or name not in self.functions or type(arguments) is not tuple:
            raise LoadError("its pickle calls what is no function")
        self.budget -= sum(len(part) for part in arguments if isinstance(part, COPIED))
        if self.budget < 0:
            raise LoadError("its pickle copies more than it holds")
        self.push(self.functions[name](*arguments))

    def set_items(self, items: list[Any]) -> None:
        """Put keys and values, one after the other, into the dict on the unpickler's stack."""
        found = self.stack[-1]
        if type(found) not in DICTS or len(items) % 2:
            raise LoadError("its pickle fills what is no dict")
        for key, value in zip(items[::2], items[1::2], strict=True):
            found[check_key(key)] = value

    def append(self, items: list[Any]) -> None:
        """Put items into the list on the unpickler's stack."""
        if type(self.stack[-1]) is not list:
            raise LoadError("its pickle fills what is no list")
        self.stack[-1].extend(items)

    def add(self, items: list[Any]) -> None:
        """Put items into the set on the unpickler's stack."""
        if type(self.stack[-1]) is not set:
            raise LoadError("its pickle fills what is no set")
        self.stack[-1].update(map(check_key, items))

    def join(self, count: int) -> None:
        """Make a tuple of the last items on the unpickler's stack."""
        items = tuple(self.stack[-count:])
        if len(items) != count:
            raise IndexError("its pickle's stack is empty")
        self.stack[-count:] = [items]

    def build(self) -> None:
        """Take the state of an object, which says nothing here: see `accept_state`."""
        state = self.stack.pop()
        accept_state(self.stack[-1], state)

    def push_name(self, module: Any, name: Any) -> None:
        """Put a name of the pickle on the stack, or the value it stands for."""
        if type(module) is not str or type(name) is not str:
            raise LoadError("its pickle names something by what is no text")
        known = Name("builtins" if module == "__builtin__" else module, name)
        self.push(known if known in self.functions else self.values(known))


def check_key(key: Any) -> Any:
    """Return what a pickle may have as a key, or in a set: hashed and compared in little time."""
    parts, todo = 0, [key]
    while todo:
        part = todo.pop()
        parts += 1
        if type(part) is tuple and parts + len(part) <= KEY_PARTS:
            todo.extend(part)
        elif (type(part) is int and part.bit_length() <= KEY_BITS) or (
            type(part) in (str, bytes) and len(part) <= KEY_LENGTH
        ):
            continue
        elif part is not None and type(part) not in (bool, float):
            raise LoadError(
                f"a key of its dicts is a {type(part).__name__}, too large or not plain"
            )
    return key


class TypeCode:
    """NumPy's dtype of a scalar, as far as a pickle tells: a code such as "f8" and the order."""

    __slots__ = ("code", "order")

    def __init__(self, code: Any, *_: Any) -> None:
        if type(code) is not str:
            raise LoadError("it holds a NumPy dtype without a code")
        self.code, self.order = code, "="


def accept_state(found: Any, state: Any) -> None:
    """Accept the state that PyTorch and NumPy note beside a value; nothing is set on an object.

    A state_dict has the versions of its modules (`_metadata`), which norch does not use; a NumPy
    dtype has its byte order.
    """
    if type(found) is OrderedDict and type(state) is dict and set(state) <= {"_metadata"}:
        return
    if type(found) is TypeCode and type(state) is tuple and state[1] in ("<", ">", "=", "|"):
        found.order = state[1]
        return
    raise LoadError(f"its pickle sets attributes of a {type(found).__name__}")


def _text(text: Any) -> str:
    """Return a str of Python 2: bytes, which pickletools takes for Latin-1."""
    try:
        return text.encode("latin1").decode()  # type: ignore[no-any-return]
    except UnicodeDecodeError:
        return text  # type: ignore[no-any-return]


def _pushes(make: Callable[[Any], Any]) -> Function:
    """Return the step that puts what `make` makes of its argument on the stack."""
    return lambda machine, argument: machine.push(make(argument))


def _mark(machine: Unpickler, _: Any) -> None:
    """Begin a new stack of the unpickler, above a mark."""
    machine.below.append(machine.stack)
    machine.stack = []


def _put(machine: Unpickler, index: Any) -> None:
    """Remember the top of the unpickler's stack in its memo."""
    machine.memo[len(machine.memo) if index is None else index] = machine.stack[-1]


def _get(machine: Unpickler, index: Any) -> None:
    """Put a value of the memo on the unpickler's stack."""
    machine.push(machine.memo[index])


def _name_from_stack(machine: Unpickler, _: Any) -> None:
    """Make a name of the two texts on top of the unpickler's stack."""
    name, module = machine.stack.pop(), machine.stack.pop()
    machine.push_name(module, name)


def _pairs(items: list[Any]) -> dict[Any, Any]:
    """Return a pickle's keys and values, one after the other, as a dict."""
    return {check_key(key): value for key, value in zip(items[::2], items[1::2], strict=True)}


_argument = _pushes(lambda argument: argument)
# What each opcode does; one that is not here (for objects, extensions, buffers) is refused.
STEPS: dict[str, Function] = {
    **dict.fromkeys(("PROTO", "FRAME", "STOP"), lambda *_: None),
    "NONE": _pushes(lambda _: None),
    "NEWTRUE": _pushes(lambda _: True),
    "NEWFALSE": _pushes(lambda _: False),
    **dict.fromkeys(
        ("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
        _argument,
    ),
    **dict.fromkeys(("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"), _argument),
    **dict.fromkeys(("SHORT_BINBYTES", "BINBYTES", "BINBYTES8", "BYTEARRAY8"), _argument),
    **dict.fromkeys(("STRING", "BINSTRING", "SHORT_BINSTRING"), _pushes(_text)),
    "EMPTY_LIST": _pushes(lambda _: []),
    "EMPTY_TUPLE": _pushes(lambda _: ()),
    "EMPTY_DICT": _pushes(lambda _: {}),
    "EMPTY_SET": _pushes(lambda _: set()),
    "MARK": _mark,
    "LIST": lambda m, _: m.push(m.pop_to_mark()),
    "DICT": lambda m, _: m.push(_pairs(m.pop_to_mark())),
    "TUPLE": lambda m, _: m.push(tuple(m.pop_to_mark())),
    "FROZENSET": lambda m, _: m.push(frozenset(map(check_key, m.pop_to_mark()))),
    "TUPLE1": lambda m, _: m.join(1),
    "TUPLE2": lambda m, _: m.join(2),
    "TUPLE3": lambda m, _: m.join(3),
    "APPEND": lambda m, _: m.append([m.stack.pop()]),
    "APPENDS": lambda m, _: m.append(m.pop_to_mark()),
    "ADDITEMS": lambda m, _: m.add(m.pop_to_mark()),
    "SETITEM": lambda m, _: m.set_items([m.stack.pop(), m.stack.pop()][::-1]),
    "SETITEMS": lambda m, _: m.set_items(m.pop_to_mark()),
    "POP": lambda m, _: m.stack.pop(),
    "POP_MARK": lambda m, _: m.pop_to_mark(),
    "DUP": lambda m, _: m.push(m.stack[-1]),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"), _put),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _get),
    "GLOBAL": lambda m, argument: m.push_name(*argument.split(" ", 1)),
    "STACK_GLOBAL": _name_from_stack,
    "BINPERSID": lambda m, _: m.push(m.persistent_load(m.stack.pop())),
    "REDUCE": lambda m, _: m.call(),
    "BUILD": lambda m, _: m.build(),
}
