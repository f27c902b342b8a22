"""The meter: whether an answer in C++ stays inside its arrays, and how much of them it reads.

Tests of C++ exercises say which places a call may use. The compiler has put a call to `meter.h`
before each access of the answer (`compiling.py`); here its counts are set and read. A module
without them is one that no learner edited, or of a compiler that knows no such thing (the report
says so): its calls are made all the same. Nothing here depends on time or on the machine's load.
"""

import array
import ctypes
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

MOST = 8  # places
AROUND = 1 << 16  # bytes on each side of a room
LINE = 64  # bytes of a cache line: blocks of memory are as many of them as they need


class Place(NamedTuple):
    """Where elements lie, from `begin` to `end`, and how far around them nobody else has any."""

    name: str
    low: int
    begin: int
    end: int
    high: int
    itemsize: int


class Room(NamedTuple):
    """Elements amid others that belong to nobody: what to share, the first one, and the place."""

    memory: "array.array[float]"
    first: int
    place: Place


class _Range(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_size_t) for name in ("low", "begin", "end", "high")),
        *((name, ctypes.c_int64) for name in ("bytes_read", "bytes_written")),
    ]


class _Meter(ctypes.Structure):
    _fields_ = [
        ("watched", ctypes.c_int64),
        ("ranges", _Range * MOST),
        *((name, ctypes.c_int64) for name in ("outside", "by", "bytes", "writes")),
        *((name, ctypes.c_int64) for name in ("index", "is_bad", "line")),
        *((name, ctypes.c_char_p) for name in ("file", "array")),
    ]


def room(name: str, numbers: Iterable[float], kind: str = "f", others: float = 0) -> Room:
    """Lay numbers of a kind of `array.array` down amid others."""
    around = array.array(kind, [others]) * (AROUND // array.array(kind).itemsize)
    middle = array.array(kind, numbers)
    memory = around + middle + around
    low, count = memory.buffer_info()
    size, begin = memory.itemsize, low + AROUND
    place = Place(name, low, begin, begin + len(middle) * size, low + count * size, size)
    return Room(memory, len(around), place)


def place_of(name: str, found: object) -> Place:
    """Return the place of an array that is stored without gaps in a block of the allocator's."""
    view = memoryview(found)  # type: ignore[arg-type]  # whatever has a buffer
    begin = ctypes.addressof(ctypes.c_char.from_buffer(view)) if view.nbytes else 0
    end = begin + view.nbytes
    return Place(name, begin, begin, end, -(-end // LINE) * LINE, view.itemsize)


def mark(place: Place) -> None:
    """Fill what a block of memory has behind an array, so that what is written there is seen."""
    ctypes.memset(place.end, 0x5A, place.high - place.end)


def inside(module: ModuleType, call: Callable[[], object], places: Sequence[Place]) -> object:
    """Make a call; raise IndexError where it reads or writes beside one of the places.

    What it has written there is seen without a meter too.
    """
    before = [_around(place) for place in places]
    meter = _begin(module, places)
    value = call()
    if meter:
        meter.watched = 0
        _complain(meter, places)
    for place, (low, high) in zip(places, before, strict=True):
        for at, old in ((place.low, low), (place.end, high)):
            new = ctypes.string_at(at, len(old))
            if new != old:
                first = next(
                    k for k, (one, other) in enumerate(zip(old, new, strict=True)) if one != other
                )
                raise _leaving(place, "writes", at + first - place.begin)
    return value


def _around(place: Place) -> tuple[bytes, bytes]:
    """Return what stands in front of the elements of a place, and behind them."""
    front, behind = place.begin - place.low, place.high - place.end
    return ctypes.string_at(place.low, front), ctypes.string_at(place.end, behind)


def read_by(module: ModuleType, call: Callable[[], object], place: Place) -> int | None:
    """Make a call; return how many elements of a place it reads, or None without a meter."""
    meter = _begin(module, [place])
    call()
    if not meter:
        return None
    meter.watched = 0
    return int(meter.ranges[0].bytes_read) // place.itemsize


def _begin(module: ModuleType, places: Sequence[Place]) -> _Meter | None:
    """Set the meter of a module, if it has one, to watch some places."""
    try:
        meter = _Meter.in_dll(ctypes.CDLL(module.__file__), "norch_meter_state")
    except (ValueError, OSError):
        return None
    for k, place in enumerate(places):
        meter.ranges[k] = _Range(place.low, place.begin, place.end, place.high)
    meter.outside, meter.is_bad, meter.watched = -1, 0, len(places)
    return meter


def _complain(meter: _Meter, places: Sequence[Place]) -> None:
    """Raise IndexError for the first access beside a place, or index beside an array."""
    if meter.is_bad:
        size = re.findall(r"\[(\d+)\]", meter.array.decode())[0]
        place = f"{Path(meter.file.decode()).name}:{meter.line}"
        raise IndexError(f"index {meter.index} of an array that has {size}: {place}")
    if meter.outside < 0:
        return
    place = places[meter.outside]
    first = max(meter.by, place.end - place.begin) if meter.by >= 0 else meter.by
    raise _leaving(place, "writes" if meter.writes else "reads", first)


def _leaving(place: Place, verb: str, byte: int) -> IndexError:
    """Return the error for an access at so many bytes behind the first element of a place."""
    count = (place.end - place.begin) // place.itemsize
    if not count:
        return IndexError(f"your code {verb} {place.name}, which has no elements")
    last = f"the last is {place.name}[{count - 1}]"
    return IndexError(f"your code {verb} {place.name}[{byte // place.itemsize}], and {last}")
