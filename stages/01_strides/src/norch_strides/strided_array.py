"""A whole array in plain Python: a flat list and a layout. To look at, not for speed.

`StridedArray` lets a reader see what views do with no compiler at hand. All views of an array
share its buffer, so a write through one shows in the others. The fast array is stage 2's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from typing import Any

from norch_strides.broadcast import broadcast_to
from norch_strides.indexing import basic_index
from norch_strides.layout import Layout, check_layout, contiguous, is_contiguous, positions
from norch_strides.picking import select, windows
from norch_strides.rearrange import flip, permute, transpose
from norch_strides.reshaping import reshape

SHOWN = 12  # elements of the buffer in a repr


class StridedArray:
    """A flat buffer and a `Layout` that says how to walk it.

    Raises RuntimeError when the layout reaches outside the buffer.

    >>> StridedArray([0, 1, 2, 3, 4, 5], Layout((2, 3), (3, 1)))
    StridedArray(shape=(2, 3), strides=(3, 1), offset=0, buffer=[0, 1, 2, 3, 4, 5])
    """

    __slots__ = ("buffer", "layout")

    def __init__(self, buffer: MutableSequence[Any], layout: Layout) -> None:
        """Keep both, once the layout is known to stay inside the buffer."""
        check_layout(layout, len(buffer), "StridedArray")
        self.buffer = buffer
        self.layout = layout

    @classmethod
    def from_nested(cls, nested: Any) -> StridedArray:
        """Build an array from nested lists (or one number), copying the elements.

        Raises ValueError when lists of one level differ in length.

        >>> StridedArray.from_nested([[1, 2], [3, 4]])
        StridedArray(shape=(2, 2), strides=(2, 1), offset=0, buffer=[1, 2, 3, 4])
        """
        shape = _nested_shape(nested)
        flat: list[Any] = [nested]
        for depth, size in enumerate(shape):
            _check_level(flat, size, depth)
            flat = [item for row in flat for item in row]
        if any(isinstance(item, (list, tuple)) for item in flat):
            raise ValueError(
                f"[StridedArray] ragged list: some elements below shape {shape} are lists, "
                "others are not"
            )
        return cls(flat, contiguous(shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension."""
        return self.layout.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """The step in the buffer for each dimension, in elements."""
        return self.layout.strides

    @property
    def offset(self) -> int:
        """The position in the buffer of the first element."""
        return self.layout.offset

    @property
    def T(self) -> StridedArray:
        """The view with all dimensions in reverse order.

        >>> StridedArray.from_nested([[1, 2, 3], [4, 5, 6]]).T.tolist()
        [[1, 4], [2, 5], [3, 6]]
        """
        return self.permute(*reversed(range(len(self.shape))))

    def tolist(self) -> Any:
        """Return the elements as nested lists; without dimensions, as the element itself.

        >>> StridedArray([7, 8, 9], Layout((3,), (-1,), offset=2)).tolist()
        [9, 8, 7]
        """
        if not self.shape:
            return self.buffer[self.offset]
        return [row.tolist() for row in self._rows()]

    def __getitem__(self, key: Any) -> Any:
        """Return the view at `key`, or the element itself where no dimension is left."""
        found = self._view_as(basic_index(self.layout, key))
        return found if found.shape else found.tolist()

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write `value` (a number, nested lists, an array) through the view at `key`."""
        target = basic_index(self.layout, key)
        source = value if isinstance(value, StridedArray) else StridedArray.from_nested(value)
        stretched = source._view_as(broadcast_to(source.layout, target.shape))
        values = stretched.flat()  # all read before the first write: both may share the buffer
        for position, item in zip(positions(target), values, strict=True):
            self.buffer[position] = item

    def __len__(self) -> int:
        """Return the size of the first dimension."""
        if not self.shape:
            raise TypeError("[len] an array without dimensions has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Go through the first dimension."""
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        """Show shape, strides, offset and the (beginning of the) buffer."""
        shown = ", ".join(map(repr, self.buffer[:SHOWN]))
        more = f", ... {len(self.buffer)} in all" if len(self.buffer) > SHOWN else ""
        return (
            f"StridedArray(shape={self.shape}, strides={self.strides}, offset={self.offset}, "
            f"buffer=[{shown}{more}])"
        )

    def flat(self) -> list[Any]:
        """List the elements in row-major order.

        >>> StridedArray.from_nested([[1, 2], [3, 4]]).T.flat()
        [1, 3, 2, 4]
        """
        return [self.buffer[position] for position in positions(self.layout)]

    def contiguous(self) -> StridedArray:
        """Return the array itself if its elements lie in order, else a copy in order.

        >>> StridedArray.from_nested([[1, 2], [3, 4]]).T.contiguous()
        StridedArray(shape=(2, 2), strides=(2, 1), offset=0, buffer=[1, 3, 2, 4])
        """
        if is_contiguous(self.layout):
            return self
        return StridedArray(self.flat(), contiguous(self.shape))

    def shares_buffer(self, other: StridedArray) -> bool:
        """Tell whether a write to one array can show in the other.

        >>> a = StridedArray.from_nested([[1, 2], [3, 4]])
        >>> a.shares_buffer(a.T), a.shares_buffer(a.T.contiguous())
        (True, False)
        """
        return self.buffer is other.buffer

    def permute(self, *dims: int | Iterable[int]) -> StridedArray:
        """Return the view with the dimensions reordered (see `permute`)."""
        return self._view_as(permute(self.layout, _as_list(dims)))

    def transpose(self, dim0: int, dim1: int) -> StridedArray:
        """Return the view with two dimensions swapped (see `transpose`)."""
        return self._view_as(transpose(self.layout, dim0, dim1))

    def flip(self, *dims: int | Iterable[int]) -> StridedArray:
        """Return the view that walks the named dimensions backwards (see `flip`)."""
        return self._view_as(flip(self.layout, _as_list(dims)))

    def broadcast_to(self, *shape: int | Iterable[int]) -> StridedArray:
        """Return the view stretched to a larger shape (see `broadcast_to`)."""
        return self._view_as(broadcast_to(self.layout, _as_list(shape)))

    def windows(self, dim: int, size: int, step: int = 1) -> StridedArray:
        """Return the view of all runs of `size` elements (see `windows`)."""
        return self._view_as(windows(self.layout, dim, size, step))

    def reshape(self, *shape: int | Iterable[int]) -> StridedArray:
        """Return the array in another shape: a view where one exists, else a copy.

        >>> a = StridedArray.from_nested([[1, 2, 3], [4, 5, 6]])
        >>> a.reshape(3, 2).shares_buffer(a), a.T.reshape((6,)).shares_buffer(a)
        (True, False)
        """
        found = reshape(self.layout, _as_list(shape))
        if found is not None:
            return self._view_as(found)
        return self.contiguous().reshape(*shape)

    def _view_as(self, layout: Layout) -> StridedArray:
        return StridedArray(self.buffer, layout)

    def _rows(self) -> Iterable[StridedArray]:
        return (self._view_as(select(self.layout, 0, i)) for i in range(self.shape[0]))


def _as_list(values: tuple[Any, ...]) -> Iterable[int]:
    """Return sizes or dimensions that were given one by one, or as one tuple or list."""
    if len(values) == 1 and isinstance(values[0], (tuple, list)):
        return values[0]
    return values


def _nested_shape(nested: Any) -> tuple[int, ...]:
    """Follow the first element down: its lengths are the shape, if the lists are not ragged."""
    shape = []
    while isinstance(nested, (list, tuple)):
        shape.append(len(nested))
        if not nested:
            break
        nested = nested[0]
    return tuple(shape)


def _check_level(rows: Sequence[Any], size: int, depth: int) -> None:
    for row in rows:
        if not isinstance(row, (list, tuple)) or len(row) != size:
            have = f"length {len(row)}" if isinstance(row, (list, tuple)) else "no list"
            raise ValueError(
                f"[StridedArray] ragged list: in dimension {depth} one element has length {size}, "
                f"another {have}"
            )
