"""The stand-ins of a page's Python do what the packages do: safetensors, byte for byte.

Of mpi4py, what stage 6 asks of it is there; `test_live_ranks.py` runs it in a browser.
"""

import ast
import ctypes
import importlib.util
import random
from pathlib import Path

import pytest
import safetensors

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "book" / "live" / "python"
STAND_IN = PYTHON / "stand_in_always"
TRANSPORT = ROOT / "stages" / "06_ddp" / "src" / "norch_ddp" / "transports" / "mpi.py"
ASKED_OF = {"comm": "Comm", "_comm": "Comm", "_ours": "Comm", "mpi": "", "_mpi": ""}
NOT_ON_PAGES = {"Allreduce_init", "Get_version", "Finalize"}  # for more than 8 ranks; at the end


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


def asked(tree):
    """Return what a transport reads of a communicator or of mpi4py, as (class, name)."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = getattr(node.value, "attr", getattr(node.value, "id", None))
            found |= {(ASKED_OF[owner], node.attr)} if owner in ASKED_OF else set()
    return found


def given(tree):
    """Return what a stand-in has, likewise."""
    found = set()
    for place, body in [("", tree), *((c.name, c) for c in tree.body if hasattr(c, "bases"))]:
        names = [node for node in ast.walk(body) if isinstance(node, (ast.Name, ast.Attribute))]
        stored = [node for node in names if isinstance(node.ctx, ast.Store)]
        found |= {(place, getattr(node, "attr", getattr(node, "id", ""))) for node in stored}
        found |= {(place, node.name) for node in body.body if hasattr(node, "name")}
        imports = [node for node in body.body if isinstance(node, ast.ImportFrom)]
        found |= {(place, one.asname or one.name) for node in imports for one in node.names}
    return found


def test_a_page_has_all_that_the_transport_of_processes_asks_of_mpi():
    here, there = (
        ast.parse(path.read_text(encoding="utf-8"))
        for path in (TRANSPORT, PYTHON / "rank" / "mpi4py" / "MPI.py")
    )
    assert ("Comm", "Ialltoall") in asked(here)
    missing = asked(here) - given(there)
    assert {name for _, name in missing} <= NOT_ON_PAGES
