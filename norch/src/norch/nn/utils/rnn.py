"""Packed and padded sequences: re-exported from stage 5, `norch_nn.utils.rnn`."""

from norch_nn.core.packed_sequence import (
    PackedSequence as PackedSequence,
    invert_permutation as invert_permutation,
)
from norch_nn.utils.rnn import (
    pack_padded_sequence as pack_padded_sequence,
    pack_sequence as pack_sequence,
    pad_packed_sequence as pad_packed_sequence,
    pad_sequence as pad_sequence,
    unpack_sequence as unpack_sequence,
    unpad_sequence as unpad_sequence,
)
