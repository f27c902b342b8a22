"""What the examples in docstrings use without an import."""

from shared_fixtures import doctest_namespace as doctest_namespace
