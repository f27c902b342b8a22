"""The examples in docstrings are written as a program would be: `norch` is there already."""

import pytest

import norch_autograd


@pytest.fixture(autouse=True)
def imported(doctest_namespace: dict[str, object]) -> None:
    """Let every example say `norch` without an import."""
    doctest_namespace["norch"] = norch_autograd
