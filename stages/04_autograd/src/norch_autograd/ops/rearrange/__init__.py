"""Compositions that move elements: stacks, repeats, rolls, windows."""
