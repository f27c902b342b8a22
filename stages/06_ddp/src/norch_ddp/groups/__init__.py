"""Which ranks there are: the process group, groups of some ranks, and what they state of a call.

What a call moves, and how, is decided above; how processes start and meet, in `launch`.
"""
