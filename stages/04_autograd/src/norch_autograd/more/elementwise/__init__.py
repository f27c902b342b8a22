"""Further functions of each element alone."""
