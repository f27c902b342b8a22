"""Functions of single elements, or of two that meet."""
