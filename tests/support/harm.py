"""What happens to files: cut short, with noise in them, or longer than they were."""

import random


def spoiled(content: bytes, dice: random.Random) -> bytes:
    """Return a file's bytes cut short, with noise in them, or lengthened."""
    kind = dice.randrange(4)
    if kind == 0:
        return content[: dice.randrange(len(content))]
    if kind == 1:
        return dice.randbytes(dice.randrange(200))
    place = dice.randrange(min(64, len(content)))
    noise = dice.randbytes(1 + dice.randrange(8))
    return content[:place] + noise + content[place + len(noise) * (kind == 2) :]
