"""Compositions that move or repeat elements: stacks, splits, rolls, windows."""
