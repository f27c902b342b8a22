"""A stand-in for the little of NumPy with which the tests of stage 1 say what is right.

Pyodide's registry package has no NumPy, and a page without a network cannot fetch one. The page
puts this on the path of a judge alone, so that `import numpy` in a cell says honestly that there is
none. `tests/book/test_live_course.py` holds every expectation of the stage to NumPy's own.
"""

from itertools import product
from math import prod as _prod

ITEM = 8  # bytes of a number
Ints = tuple[int, ...]


def _row_major(shape: Ints) -> Ints:
    return tuple(_prod(max(size, 1) for size in shape[k + 1 :]) for k in range(len(shape)))


class _Flags:
    """What NumPy says of an array's order."""

    def __init__(self, array: "ndarray") -> None:
        wanted = _row_major(array.shape)
        steps = zip(array.shape, array._steps, wanted, strict=True)
        self.c_contiguous = 0 in array.shape or all(n == 1 or a == b for n, a, b in steps)


class ndarray:
    """Numbers in a list, walked by steps that count numbers."""

    itemsize = ITEM

    def __init__(self, data: list[int], shape: Ints, steps: Ints, start: int = 0) -> None:
        self._data, self._start = data, start
        self.shape, self._steps = tuple(shape), tuple(steps)

    @property
    def strides(self) -> Ints:
        """The steps in bytes."""
        return tuple(step * ITEM for step in self._steps)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return _prod(self.shape)

    @property
    def flags(self) -> _Flags:
        """Whether the numbers lie row after row."""
        return _Flags(self)

    @property
    def __array_interface__(self) -> dict:
        return {"data": (self._start * ITEM, False)}

    def _places(self) -> list[int]:
        walks = product(*map(range, self.shape))
        return [self._start + sum(map(int.__mul__, at, self._steps)) for at in walks]

    def __getitem__(self, key: object) -> object:
        """Return the view of slices and positions, or one number; `...` at the end keeps a view."""
        keys = key if isinstance(key, tuple) else (key,)
        is_view, keys = keys[-1:] == (...,), tuple(one for one in keys if one is not ...)
        keys += (slice(None),) * (len(self.shape) - len(keys))
        start, shape, steps = self._start, [], []
        for one, size, step in zip(keys, self.shape, self._steps, strict=True):
            if isinstance(one, slice):
                walk = range(size)[one]
                start += walk.start * step if walk else 0
                shape.append(len(walk))
                steps.append(step * walk.step)
            else:
                start += range(size)[one] * step
        is_view = is_view or bool(shape)
        return ndarray(self._data, shape, steps, start) if is_view else self._data[start]

    def transpose(self, dims: Ints) -> "ndarray":
        """Reorder the dimensions."""
        shape, steps = ([row[d] for d in dims] for row in (self.shape, self._steps))
        return ndarray(self._data, shape, steps, self._start)

    def reshape(self, shape: Ints, copy: bool | None = None) -> "ndarray":
        """Return a view, if the places are the sum of one step for each new index; else a copy."""
        places, rows = self._places(), _row_major(shape)
        steps = rows
        if places:
            sizes = zip(shape, rows, strict=True)
            steps = tuple(places[row] - places[0] if size > 1 else row for size, row in sizes)
        view = ndarray(self._data, shape, steps, self._start)
        if view._places() == places:
            return view
        if copy is False:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
        return ndarray([self._data[place] for place in places], shape, rows)

    def ravel(self) -> "ndarray":
        """Copy into one row."""
        return ndarray([self._data[place] for place in self._places()], (self.size,), (1,))

    def __sub__(self, number: int) -> "ndarray":
        found = [one - number for one in self.ravel()._data]
        return ndarray(found, self.shape, _row_major(self.shape))

    def tolist(self) -> list:
        """Return nested lists."""
        flat = self.ravel()._data
        for size in reversed(self.shape[1:]):
            flat = [flat[k : k + size] for k in range(0, len(flat), size)]
        return flat


def prod(shape: Ints, dtype: type = int) -> int:
    """Multiply the sizes."""
    return _prod(shape)


def arange(count: int) -> ndarray:
    """Count from 0."""
    return ndarray(list(range(count)), (count,), (1,))


def broadcast_to(array: ndarray, shape: Ints) -> ndarray:
    """Repeat without storing again: a repeated dimension has the step 0, and one of size 1 too."""
    new = len(shape) - len(array.shape)
    old = zip(array.shape, array._steps, shape[new:], strict=True)
    steps = [step if size == wanted != 1 else 0 for size, step, wanted in old]
    return ndarray(array._data, shape, [0] * new + steps, array._start)


class lib:
    """The namespace `numpy.lib`."""

    class stride_tricks:
        """The namespace `numpy.lib.stride_tricks`."""

        @staticmethod
        def as_strided(array: ndarray, shape: Ints, strides: Ints) -> ndarray:
            """Walk the buffer by a shape and steps in bytes."""
            return ndarray(array._data, shape, [step // ITEM for step in strides], array._start)

        @staticmethod
        def sliding_window_view(array: ndarray, size: int, dim: int) -> ndarray:
            """Add a dimension that walks the window at each place of `dim`."""
            shape = [*array.shape, size]
            shape[dim] -= size - 1
            steps = [*array._steps, array._steps[dim]]
            return ndarray(array._data, shape, steps, array._start)
