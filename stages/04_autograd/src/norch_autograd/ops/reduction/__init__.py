"""Reductions along dimensions: sums, extremes, variance, norms; running results; sorting."""
