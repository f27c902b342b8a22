"""The promise that tests use no network: a fixture that the conftest.py of a package imports."""

import socket

import pytest


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Refuse connections to any machine but this one."""
    connect = socket.socket.connect

    def local_only(self, address):
        assert not isinstance(address, tuple) or address[0] == "127.0.0.1", address
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", local_only)
