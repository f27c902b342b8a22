"""The names that the examples in the docstrings use without an import: norch, nn and dist.

An example that joins the process group is alone in it, and leaves it at its end.
"""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    """Return the names; pytest puts them into every example."""
    import norch_autograd
    import norch_ddp
    import norch_nn

    return {"norch": norch_autograd, "nn": norch_nn, "dist": norch_ddp}


@pytest.fixture(autouse=True)
def left() -> Iterator[None]:
    """Leave the group, so that the next example can join one."""
    import norch_ddp

    yield
    if norch_ddp.is_initialized():
        norch_ddp.destroy_process_group()
