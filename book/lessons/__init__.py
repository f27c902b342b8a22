"""Small programs that a chapter runs and takes apart: wrong, or too slow, on purpose."""
