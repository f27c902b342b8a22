"""The same elements in another shape, and tensors joined or taken apart."""
