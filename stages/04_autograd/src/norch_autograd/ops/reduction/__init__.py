"""Reductions along dimensions: sums, extremes, statistics; running results; sorting."""
