"""Says in `make test` why the parity suite did not run."""

import importlib.util

import pytest


def test_pytorch_is_here():
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed here: `make parity` says how to compare with it")
