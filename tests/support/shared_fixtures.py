"""Fixtures that the conftest.py of a package imports by name: no network; names for docstrings."""

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


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    """Return norch and nn, which examples in docstrings of the extras use without an import."""
    import norch
    import norch_nn

    return {"norch": norch, "nn": norch_nn}
