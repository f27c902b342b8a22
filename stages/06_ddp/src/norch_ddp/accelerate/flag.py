"""A yes or no that may be read or called: `accelerator.is_main_process`, with or without ().

Hugging Face's Accelerator has a property there, MyTorch's a method; scripts of both kinds run.
"""

from __future__ import annotations


class Flag(int):
    """True or False.

    >>> yes = Flag(True)
    >>> yes, yes(), not yes, yes == True
    (True, True, False, True)
    """

    def __call__(self) -> bool:
        """Return the answer as a plain bool."""
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))

    __str__ = __repr__
