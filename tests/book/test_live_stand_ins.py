"""The stand-ins of a page's Python do what the packages do: safetensors, byte for byte."""

import ctypes
import importlib.util
import random
from pathlib import Path

import pytest
import safetensors

ROOT = Path(__file__).resolve().parents[2]
STAND_IN = ROOT / "book" / "live" / "python" / "stand_in_always"


@pytest.fixture(scope="module")
def own():
    """Return the stand-in for safetensors, which the package's own name hides."""
    path = STAND_IN / "safetensors" / "__init__.py"
    spec = importlib.util.spec_from_file_location("own_safetensors", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def specs_of(module, memory, seed):
    """Return some tensors of every dtype, which lie in a piece of memory."""
    dice = random.Random(seed)
    names = [f"{dice.choice('aäZ0.é')}{k}" for k in range(20)]
    found = {}
    for name in dice.sample(names, len(names)):
        dtype = dice.choice(list(SIZES))
        shape = [dice.randrange(4) for _ in range(dice.randrange(3))]
        count = 1
        for size in shape:
            count *= size
        place = ctypes.addressof(memory) + dice.randrange(64)
        size = count * SIZES[dtype]
        found[name] = module.TensorSpec(dtype=dtype, shape=shape, data_ptr=place, data_len=size)
    return found


SIZES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4}
SIZES |= {"int16": 2, "int8": 1, "uint8": 1, "bool": 1}
TEXT = {"b": 'é\n\x01\u2028😀"'}  # of several the package writes now this first, now that


@pytest.mark.parametrize("seed", range(20))
def test_files_are_equal_byte_for_byte_and_read_alike(own, seed):
    memory = ctypes.create_string_buffer(bytes(range(256)) * 2)
    ours, theirs = (specs_of(module, memory, seed) for module in (own, safetensors))
    for text in (None, TEXT):
        data = own.serialize(ours, text)
        assert data == safetensors.serialize(theirs, text)
    assert dict(own.deserialize(data)) == dict(safetensors.deserialize(data))


def test_a_file_that_is_not_whole_is_refused(own):
    memory = ctypes.create_string_buffer(bytes(range(256)) * 2)
    data = own.serialize(specs_of(own, memory, 1), TEXT)
    for broken in (b"", data[:4], data[:-1], data + b"x", data[:60], b"\xff" * 8 + data[8:]):
        for module in (own, safetensors):
            with pytest.raises(module.SafetensorError):
                module.deserialize(broken)
