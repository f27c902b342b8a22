"""The names that examples in docstrings of the extras use without an import: norch, nn."""

from typing import Any

import pytest


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    """Return the names; pytest puts them into every example."""
    import norch
    import norch_nn

    return {"norch": norch, "nn": norch_nn}
