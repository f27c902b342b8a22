"""The examples in docstrings are written as a program would be: `norch` is there already. Those
that need LAPACK are skipped where it is not installed.
"""

import doctest
from collections.abc import Generator

import pytest

import norch_autograd


@pytest.fixture(autouse=True)
def imported(doctest_namespace: dict[str, object]) -> None:
    """Let every example say `norch` without an import."""
    doctest_namespace["norch"] = norch_autograd


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Skip an example that was told that LAPACK is missing."""
    try:
        yield
    except doctest.UnexpectedException as error:
        said = str(error.exc_info[1])
        if "needs LAPACK" not in said:
            raise
        pytest.skip(said)
