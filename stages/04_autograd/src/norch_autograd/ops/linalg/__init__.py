"""Matrices: products, and their triangles."""
