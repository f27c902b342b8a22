"""PackedSequence: sequences of different lengths in one batch, without padding.

It holds step 0 of all sequences, then step 1 of those that have one, and so on, the longest
sequence first. Recurrent layers take it in place of a padded batch; the functions of
`norch.nn.utils.rnn` make it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import norch_autograd as autograd
from norch_autograd import Tensor


class PackedSequence(NamedTuple):
    """Sequences without padding: `data` holds `batch_sizes[t]` rows for every step t.

    `sorted_indices` says which sequence each row belongs to, `unsorted_indices` undoes it; both are
    None where the sequences came longest first. Made by `pack_sequence` and `pack_padded_sequence`.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Move or cast the packed rows, as `Tensor.to`."""
        return self._replace(data=self.data.to(*args, **kwargs))

    def float(self) -> PackedSequence:
        """Cast the packed rows to float32."""
        return self.to(autograd.float32)

    def double(self) -> PackedSequence:
        """Cast the packed rows to float64."""
        return self.to(autograd.float64)

    def half(self) -> PackedSequence:
        """Cast the packed rows to float16."""
        return self.to(autograd.float16)

    def cpu(self) -> PackedSequence:
        """Move the packed rows to the CPU."""
        return self.to("cpu")

    def cuda(self) -> PackedSequence:
        """Move the packed rows to the GPU."""
        return self.to("cuda")

    @property
    def is_cuda(self) -> bool:
        """Whether the packed rows are on a GPU."""
        return self.data.is_cuda


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the permutation that undoes a packed sequence's; None stays None.

    >>> invert_permutation(norch.tensor([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    if permutation is None:
        return None
    places = permutation.tolist()
    return _numbers(permutation, sorted(range(len(places)), key=places.__getitem__))


def _numbers(tensor: Tensor, values: list[int]) -> Tensor:
    """Return a packed sequence's row numbers as a tensor on the device of `tensor`."""
    return autograd.tensor(values, dtype=autograd.int64, device=tensor.device)
