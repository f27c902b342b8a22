"""Linear algebra: products of matrices and vectors, norms of vectors."""
