"""Linear algebra beyond products of matrices: solving, factors, norms, spectra, einsum."""
