"""Tensors from data, from a shape, like another, or from a generator."""
