"""Sequences of unlike lengths: padded, packed and back; packed ones through a layer."""

import pytest
from layer_checks import wave

import norch_autograd as norch
import norch_nn as nn
from norch_extras import sequences as rnn

PADDED = wave(3, 4, 2)


@pytest.mark.parametrize("batch_first", [False, True])
def test_packing_and_padding_undo_each_other(batch_first):
    x = PADDED.transpose(0, 1) if batch_first else PADDED
    packed = rnn.pack_padded_sequence(x, norch.tensor([1, 3, 2, 1]), batch_first, False)
    assert packed.batch_sizes.tolist() == [4, 2, 1]
    assert packed.sorted_indices.tolist() == [1, 2, 0, 3]
    assert packed.unsorted_indices.tolist() == [2, 0, 1, 3]
    places = [(0, 1), (0, 2), (0, 0), (0, 3), (1, 1), (1, 2), (2, 1)]
    assert packed.data.tolist() == [PADDED[t, b].tolist() for t, b in places]
    padded, lengths = rnn.pad_packed_sequence(packed, batch_first, -1.0, total_length=5)
    assert lengths.tolist() == [1, 3, 2, 1]
    assert tuple(padded.shape) == ((4, 5, 2) if batch_first else (5, 4, 2))
    rows = padded if batch_first else padded.transpose(0, 1)
    for b, length in enumerate(lengths.tolist()):
        assert norch.equal(rows[b, :length], PADDED[:length, b])
        assert (rows[b, length:] == -1).all().item()
    back = rnn.unpad_sequence(padded, lengths, batch_first)
    assert [tuple(one.shape) for one in back] == [(1, 2), (3, 2), (2, 2), (1, 2)]


def test_pad_and_pack_sequences():
    rows = [norch.tensor([1.0, 2.0]), norch.tensor([3.0])]
    padded = rnn.pad_sequence(rows, batch_first=True, padding_value=9.0, padding_side="left")
    assert padded.tolist() == [[1.0, 2.0], [9.0, 3.0]]
    packed = rnn.pack_sequence(rows[::-1], enforce_sorted=False)
    assert packed.data.tolist() == [1.0, 3.0, 2.0] and packed.sorted_indices.tolist() == [1, 0]


def test_a_packed_batch_goes_through_a_layer_as_its_sequences_do():
    layer = nn.GRU(2, 3).double()
    packed, last = layer(rnn.pack_padded_sequence(PADDED, [1, 3, 2, 1], enforce_sorted=False))
    for b, rows in enumerate(rnn.unpack_sequence(packed)):
        alone, end = layer(PADDED[: len(rows), b])
        assert norch.allclose(rows, alone) and norch.allclose(last[:, b], end)


SHORT = norch.ones(2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rnn.pack_padded_sequence(PADDED, [1, 3, 2, 1]), RuntimeError, "enforce_sorted"),
        (lambda: rnn.pack_padded_sequence(PADDED, [3, 2, 1]), RuntimeError, "needs as many"),
        (lambda: rnn.pack_padded_sequence(PADDED, [3, 2, 1, 0]), RuntimeError, "from 1 to 3"),
        (lambda: rnn.pack_padded_sequence(PADDED, [4, 2, 1, 1]), RuntimeError, "from 1 to 3"),
        (lambda: rnn.pad_packed_sequence(rnn.pack_sequence([SHORT]), total_length=1), ValueError,
         "total_length 1 is below"),
        (lambda: rnn.pad_sequence([SHORT], padding_side="up"), RuntimeError, "'left' or 'right'"),
        (lambda: rnn.pad_sequence([]), RuntimeError, "at least one sequence"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
