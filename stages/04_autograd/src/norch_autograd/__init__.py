"""Tensor: every operation remembers how to send blame back."""
