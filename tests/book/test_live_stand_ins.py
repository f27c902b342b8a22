"""Of mpi4py, what stage 6 asks of it is there in a page's Python.

`test_live_ranks.py` runs it in a browser.
"""

import ast
import importlib
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "book" / "live" / "python"
TRANSPORT = ROOT / "stages" / "06_ddp" / "src" / "norch_ddp" / "transports" / "mpi.py"
COMMUNICATORS = {"comm", "_comm", "_ours"}  # the names that the transport has for one
NOT_ON_PAGES = {"Allreduce_init", "Get_version", "Finalize"}  # for more than 8 ranks; at the end


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
