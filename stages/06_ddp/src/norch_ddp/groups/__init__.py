"""Which ranks there are: the process group, groups of some ranks, and what they state of a call.

`bootstrap` is what a launched rank runs first. What a call moves, and how, is decided above.
"""
