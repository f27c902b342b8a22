"""size_average and reduce: how losses were told their reduction before there was `reduction`.

Old scripts still say `nn.MSELoss(size_average=False)`. Losses wear the decorator of this file; the
words are keywords here, and a warning names the new one.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def reduction_of(size_average: bool | None, reduce: bool | None) -> str:
    """Return the reduction that the two old words mean; each is True when left out.

    >>> reduction_of(False, None), reduction_of(None, False)
    ('sum', 'none')
    """
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def with_old_words(function: F) -> F:
    """Let a loss accept `size_average` and `reduce` beside `reduction`."""

    @functools.wraps(function)
    def called(
        *args: Any, size_average: bool | None = None, reduce: bool | None = None, **kwargs: Any
    ) -> Any:
        if size_average is not None or reduce is not None:
            kwargs["reduction"] = reduction_of(size_average, reduce)
            warnings.warn(
                "[loss] size_average and reduce are the old words: "
                f"write reduction={kwargs['reduction']!r}",
                stacklevel=2,
            )
        return function(*args, **kwargs)

    return called  # type: ignore[return-value]
