"""The names that the examples in the docstrings of norch_nn use without an import: norch and nn."""

from typing import Any

import pytest


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    """Return the names; pytest puts them into every example."""
    import norch_autograd
    import norch_nn

    return {"norch": norch_autograd, "nn": norch_nn}
