"""Chapter 2: Philox round by round, as the rule in stage 2's `philox.h` states it, in plain Python.

figures/philox.py draws the rounds, `_static/philox_picture.js` repeats them in the page; tests
compare both with the numbers that norch draws. Nothing here is fast, and no other code uses it.
"""

Words = tuple[int, int, int, int]  # of 32 bits each

ROUNDS = 10
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
WEYL = 0x9E3779B9, 0xBB67AE85  # what the key grows by, from round to round
MASK = 0xFFFFFFFF


def rounds(seed: int, position: int) -> list[Words]:
    """Return the counter of a position's group of four, and the four words after each round."""
    group = position // 4
    states = [(group & MASK, group >> 32, 0, 0)]
    key = seed & MASK, seed >> 32
    for _ in range(ROUNDS):
        a, b, c, d = states[-1]
        left, right = MULTIPLIERS[0] * a, MULTIPLIERS[1] * c  # 64 bits each
        mixed = (right >> 32) ^ b ^ key[0], right & MASK, (left >> 32) ^ d ^ key[1], left & MASK
        states.append(mixed)
        key = (key[0] + WEYL[0]) & MASK, (key[1] + WEYL[1]) & MASK
    return states


def uniform(word: int) -> float:
    """Return the number from 0 to 1, without 1, that a word becomes: its first 24 bits."""
    return (word >> 8) / 2**24


def flips(one: Words, other: Words) -> int:
    """Count the bits in which the four words differ."""
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))
