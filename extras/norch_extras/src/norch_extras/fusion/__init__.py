"""Chains of elementwise operations as one loop: `compile`."""

from norch_extras.fusion.compiler import compile as compile
