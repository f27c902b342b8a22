"""Matrices: products, solving, factorizations, norms."""
