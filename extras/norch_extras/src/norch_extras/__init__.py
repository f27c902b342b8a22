"""Offered, not taught: a row of shelves that `norch` assembles and that no stage imports."""
