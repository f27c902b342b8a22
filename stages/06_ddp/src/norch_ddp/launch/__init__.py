"""How several processes start and how they end: the launcher, `spawn`, several machines, abort.

Nothing here moves a tensor or knows of a group; user code runs only in what is started.
"""
