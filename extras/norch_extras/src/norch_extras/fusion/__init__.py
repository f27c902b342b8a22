"""Chains of elementwise operations as one loop: `compile`.

The page book/fusion.ipynb is its chapter.
"""

from norch_extras.fusion.compiler import compile as compile
