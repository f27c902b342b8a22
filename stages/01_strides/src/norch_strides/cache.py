"""How the functions of this stage remember their answers.

A training loop asks for the same few views again and again, so the pure part of each function is
wrapped in `functools.lru_cache` with this bound. Two rules hold everywhere: a cache never grows
past the bound, and an offset is never part of a key, so that the rows of an array share one entry.
"""

CACHE_SIZE = 4096  # answers per function; a training loop needs a few hundred
