"""Sequences of different lengths: padded to the longest, packed without padding, and back.

Packing returns stage 5's PackedSequence, which its recurrent layers take. `norch.nn.utils.rnn`
re-exports this file; the page book/library/nn_utils.md names it.
"""

from __future__ import annotations

from collections.abc import Sequence

import norch_autograd as autograd
from norch_autograd import Tensor, cat
from norch_nn.core.packed_sequence import PackedSequence, _numbers


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Pack a padded batch (T, N, ...), or (N, T, ...) with `batch_first`, of these lengths.

    With `enforce_sorted` the longest sequence must come first; without it they are sorted.

    >>> padded = norch.tensor([[1.0, 3.0], [2.0, 0.0]])
    >>> packed = pack_padded_sequence(padded, [2, 1])
    >>> packed.data.tolist(), packed.batch_sizes.tolist()
    ([1.0, 3.0, 2.0], [2, 1])
    """
    x = input.transpose(0, 1) if batch_first else input
    wanted = [int(n) for n in (lengths.tolist() if isinstance(lengths, Tensor) else lengths)]
    steps, count = x.shape[:2]
    _check_lengths(wanted, steps, count)
    order = sorted(range(count), key=lambda row: -wanted[row])
    if enforce_sorted and order != list(range(count)):
        raise RuntimeError(
            f"[pack_padded_sequence] lengths {wanted} must fall from first to last; pass "
            "enforce_sorted=False to have them sorted"
        )
    sizes = [sum(n > t for n in wanted) for t in range(max(wanted))]
    rows = [t * count + row for t, size in enumerate(sizes) for row in order[:size]]
    data = x.reshape(steps * count, *x.shape[2:]).index_select(0, _numbers(x, rows))
    batch_sizes = autograd.tensor(sizes, dtype=autograd.int64)
    if enforce_sorted:
        return PackedSequence(data, batch_sizes)
    back = sorted(range(count), key=order.__getitem__)
    return PackedSequence(data, batch_sizes, _numbers(x, order), _numbers(x, back))


def _check_lengths(lengths: list[int], steps: int, count: int) -> None:
    """Refuse lengths of sequences that do not fit their padded batch."""
    if len(lengths) != count:
        raise RuntimeError(
            f"[pack_padded_sequence] a batch of {count} sequences needs as many lengths, "
            f"got {len(lengths)}"
        )
    if not lengths or not 0 < min(lengths) <= max(lengths) <= steps:
        raise RuntimeError(
            f"[pack_padded_sequence] every length must lie from 1 to {steps}, the steps of the "
            f"batch, got {lengths}"
        )


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Undo packing: the padded batch (T, N, ...) and the lengths, in the order before packing.

    >>> packed = pack_sequence([norch.tensor([1.0, 2.0]), norch.tensor([3.0])])
    >>> padded, lengths = pad_packed_sequence(packed, batch_first=True)
    >>> padded.tolist(), lengths.tolist()
    ([[1.0, 2.0], [3.0, 0.0]], [2, 1])
    """
    data, sizes = sequence.data, sequence.batch_sizes.tolist()
    steps = len(sizes) if total_length is None else total_length
    if steps < len(sizes):
        raise ValueError(
            f"[pad_packed_sequence] total_length {total_length} is below the longest sequence, "
            f"{len(sizes)}"
        )
    count, width = sizes[0], data.shape[1:]
    place = range(count)  # the row, within a step, of each sequence of the result
    if sequence.unsorted_indices is not None:
        place = sequence.unsorted_indices.tolist()
    padding = sum(sizes)  # the number of the row of padding put behind the data
    starts = [sum(sizes[:t]) for t in range(len(sizes))]
    rows = [
        starts[t] + row if t < len(sizes) and row < sizes[t] else padding
        for t in range(steps)
        for row in place
    ]
    whole = cat([data, data.new_full((1, *width), padding_value)])
    padded = whole.index_select(0, _numbers(data, rows)).reshape(steps, count, *width)
    lengths = [sum(row < size for size in sizes) for row in place]
    found = autograd.tensor(lengths, dtype=autograd.int64)
    return (padded.transpose(0, 1) if batch_first else padded), found


def pad_sequence(
    sequences: Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Stack tensors (T_i, ...) of different lengths: (longest, N, ...), padded at one end.

    >>> rows = [norch.tensor([1.0, 2.0]), norch.tensor([3.0])]
    >>> pad_sequence(rows, batch_first=True).tolist()
    [[1.0, 2.0], [3.0, 0.0]]
    """
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"[pad_sequence] padding_side must be 'left' or 'right', not {padding_side!r}"
        )
    if not sequences:
        raise RuntimeError("[pad_sequence] expected at least one sequence, got none")
    longest = max(one.shape[0] for one in sequences)
    rows = []
    for one in sequences:
        filling = one.new_full((longest - one.shape[0], *one.shape[1:]), padding_value)
        rows.append(cat([one, filling] if padding_side == "right" else [filling, one]))
    return autograd.stack(rows, 0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False
) -> list[Tensor]:
    """Return the sequences of a padded batch, each without its padding.

    >>> [one.tolist() for one in unpad_sequence(norch.tensor([[1.0, 3.0], [2.0, 0.0]]), [2, 1])]
    [[1.0, 2.0], [3.0]]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    wanted = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    return [row[: int(length)] for row, length in zip(rows.unbind(0), wanted, strict=True)]


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences that were packed, each without padding, in their order.

    >>> packed = pack_sequence([norch.tensor([1.0, 2.0]), norch.tensor([3.0])])
    >>> [one.tolist() for one in unpack_sequence(packed)]
    [[1.0, 2.0], [3.0]]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack tensors (T_i, ...), the longest first unless `enforce_sorted` is False.

    >>> pack_sequence([norch.tensor([1.0, 2.0]), norch.tensor([3.0])]).data.tolist()
    [1.0, 3.0, 2.0]
    """
    lengths = [one.shape[0] for one in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)
