"""Bools whose bytes are not 0 and 1: every door lets them in, and every function takes them for
what they are, true unless 0.
"""

import json
import pickle

import numpy
import pytest

import norch

RAW = bytes([0, 1, 2, 255, 128, 0, 64, 3] * 6)
CLEAN = [byte != 0 for byte in RAW]
MODEL = norch.zeros(48)


def from_stranger(tmp_path):
    """Read a safetensors file that somebody wrote by hand."""
    header = json.dumps({"x": {"dtype": "BOOL", "shape": [48], "data_offsets": [0, 48]}}).encode()
    path = tmp_path / "stranger.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + RAW)
    return norch.load(path)["x"]


def raw_numpy():
    return numpy.frombuffer(bytearray(RAW), numpy.uint8).view(bool)


def left_in_memory(found):
    """Return new memory that happens to hold these bytes."""
    found.view(norch.uint8).copy_(norch.frombuffer(bytearray(RAW), dtype=norch.uint8))
    return found


DOORS = {
    "frombuffer": lambda _: norch.frombuffer(bytearray(RAW), dtype=norch.bool),
    "from_numpy": lambda _: norch.from_numpy(raw_numpy()),
    "as_tensor": lambda _: norch.as_tensor(raw_numpy()),
    "tensor": lambda _: norch.tensor(raw_numpy()),
    "from_dlpack": lambda _: norch.from_dlpack(raw_numpy()),
    "view": lambda _: norch.frombuffer(bytearray(RAW), dtype=norch.uint8).view(norch.bool),
    "view of int64": lambda _: norch.frombuffer(bytearray(RAW), dtype=norch.int64).view(norch.bool),
    "empty": lambda _: left_in_memory(norch.empty(48, dtype=norch.bool)),
    "empty_like": lambda _: left_in_memory(norch.empty_like(MODEL, dtype=norch.bool)),
    "new_empty": lambda _: left_in_memory(MODEL.new_empty(48, dtype=norch.bool)),
    "load": from_stranger,
    "pickle": lambda _: pickle.loads(pickle.dumps(norch.from_numpy(raw_numpy()))),
    "cuda-sim": lambda _: norch.from_numpy(raw_numpy()).to("cuda-sim"),
}
# Memory of their own, which numpy() may show. A pickle keeps the bytes of a storage as they are:
# another tensor in it may be a view of them as uint8.
COPIES = ("tensor", "load")
USES = (
    lambda x: x.sum(), lambda x: x.nonzero(), norch.count_nonzero, lambda x: ~x,
    lambda x: x.tolist(), repr, lambda x: [y.item() for y in x], lambda x: x.all(),
    lambda x: x[norch.tensor(CLEAN, device=x.device)].all(), lambda x: x.to(norch.float32).sum(),
    lambda x: norch.arange(48, device=x.device)[x], lambda x: x == True,  # noqa: E712
    lambda x: norch.where(x, 1, 2), lambda x: norch.zeros(48, device=x.device).masked_fill(x, 1),
    lambda x: norch.equal(x, norch.tensor(CLEAN, device=x.device)), lambda x: x.sort(),
    lambda x: x.unique(), lambda x: x.cumsum(0), lambda x: x.to(norch.uint8), lambda x: x ^ x,
    lambda x: norch.masked_select(norch.arange(48, device=x.device), x), lambda x: x.amax(),
)  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
def test_a_bool_is_true_unless_its_byte_is_0(door, tmp_path):
    x = DOORS[door](tmp_path)
    clean = norch.tensor(CLEAN, device=x.device)
    for use in USES:
        assert repr(use(x)) == repr(use(clean))
    if door in COPIES:
        assert x.numpy().view(numpy.uint8).max() == 1


SKIPPED = ("_", "set_", "use", "empty", "seed", "manual_seed", "initial_seed", "save", "load")
FUNCTIONS = sorted(
    name
    for name, value in vars(norch).items()
    if callable(value) and not isinstance(value, type) and not name.startswith(SKIPPED)
)


def outcome(function, *args):
    """Return what a call gives, or the type of its error."""
    norch.manual_seed(0)
    try:
        return repr(function(*args))
    except Exception as error:  # noqa: BLE001: any refusal, but the same for both
        return type(error)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_sees_the_same_in_raw_and_clean_bools(name):
    function = getattr(norch, name)
    raw = norch.from_numpy(raw_numpy()).reshape(6, 8)
    clean = norch.tensor(CLEAN).reshape(6, 8)
    real = norch.arange(48.0).reshape(6, 8)
    for tail in ((), (0,), (1, 2), (0.5, 2.0), (real,), (real, real)):
        assert outcome(function, raw, *tail) == outcome(function, clean, *tail)
    assert outcome(function, raw, raw) == outcome(function, clean, clean)
    assert outcome(function, real, raw) == outcome(function, real, clean)
