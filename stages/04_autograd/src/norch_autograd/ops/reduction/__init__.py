"""Many elements made few: sums, extremes, statistics, sorting."""
