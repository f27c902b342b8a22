"""Terminals: there are none. Stage 6 reads this number, and asks nothing with it in a page."""

FIONREAD = 0x541B
