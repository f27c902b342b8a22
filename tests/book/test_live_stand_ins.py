"""The stand-ins of a page's Python do what the packages do: safetensors, byte for byte.

Of mpi4py, what stage 6 asks of it is there; `test_live_ranks.py` runs it in a browser.
"""

import ast
import ctypes
import importlib
import importlib.util
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest
import safetensors

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "book" / "live" / "python"
STAND_IN = PYTHON / "stand_in_always"
TRANSPORT = ROOT / "stages" / "06_ddp" / "src" / "norch_ddp" / "transports" / "mpi.py"
COMMUNICATORS = {"comm", "_comm", "_ours"}  # the names that the transport has for one
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
    """Return what a transport reads of mpi4py and of its communicators, as (owner, name)."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = getattr(node.value, "attr", getattr(node.value, "id", None))
            found |= {("COMM_WORLD", node.attr)} if owner in COMMUNICATORS else set()
            found |= {("MPI", node.attr)} if owner in ("mpi", "_mpi") else set()
    return found


@pytest.fixture
def page_mpi(monkeypatch):
    """Return the stand-in for mpi4py, of a page with one rank."""
    ffi = SimpleNamespace(run_sync=None, to_js=None)
    stubs = {"live_ports": SimpleNamespace(rank=0, size=1), "pyodide.ffi": ffi}
    monkeypatch.syspath_prepend(PYTHON / "rank")
    with patch.dict(sys.modules, {"pyodide": SimpleNamespace(ffi=ffi), **stubs}):
        for name in [name for name in sys.modules if name.partition(".")[0] == "mpi4py"]:
            del sys.modules[name]
        yield importlib.import_module("mpi4py.MPI")


def test_a_page_has_all_that_the_transport_of_processes_asks_of_mpi(page_mpi):
    assert Path(page_mpi.__file__).is_relative_to(PYTHON)
    wanted = asked(ast.parse(TRANSPORT.read_text(encoding="utf-8")))
    assert ("COMM_WORLD", "Ialltoall") in wanted
    owners = {"MPI": page_mpi, "COMM_WORLD": page_mpi.COMM_WORLD}
    missing = {name for owner, name in wanted if not hasattr(owners[owner], name)}
    assert missing == NOT_ON_PAGES
