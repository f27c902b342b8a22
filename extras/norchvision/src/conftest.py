"""What the examples in docstrings use without an import."""

from assembled import doctest_namespace as doctest_namespace
