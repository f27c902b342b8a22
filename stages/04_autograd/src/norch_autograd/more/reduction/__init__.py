"""Further reductions: counts, statistics, differences, distinct values."""
