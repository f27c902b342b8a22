"""Fixtures that a conftest.py imports by name: no network, forked workers, names for docstrings."""

import multiprocessing
import socket
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Refuse connections to any machine but this one."""
    connect = socket.socket.connect

    def local_only(self, address):
        assert not isinstance(address, tuple) or address[0] == "127.0.0.1", address
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", local_only)


@pytest.fixture
def forked_workers():
    """Fork workers, which functions of a test need, where a test names no other way."""
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method("fork", force=True)
    yield
    multiprocessing.set_start_method(before, force=True)


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    """Return norch and nn, which examples in docstrings of the extras use without an import."""
    import norch
    import norch_nn

    return {"norch": norch, "nn": norch_nn}
