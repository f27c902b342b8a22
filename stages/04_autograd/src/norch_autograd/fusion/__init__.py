"""Chains of elementwise operations as one loop: `compile`."""
