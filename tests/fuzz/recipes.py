"""Inputs as recipes: a dtype, a shape, a memory layout and a pattern of numbers.

A recipe is made into a tensor of any library, and into one line of Python that makes the same
tensor without the fuzzer. generate.py invents recipes, shrink.py makes them plainer; neither knows
how a layout is laid out.
"""

import functools
import math
from dataclasses import dataclass, replace

import numpy as np

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "uint8", "int8")
LAYOUTS = ("plain", "permuted", "stepped", "offset", "flipped", "expanded", "overlapping")
LAYOUTS += ("swapped", "odd bytes")
PERIOD = 61  # numbers repeat after a prime, so that a large tensor is written down shortly
MOVED = 4096  # numbers that may move each in its own way
LARGEST = {k: np.finfo(k if k != "bfloat16" else "float32").max for k in FLOATS}
INF, NAN = math.inf, math.nan
SPECIAL = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 5e-324, 1e-40, 6e-8, 0.5, -2.5, 200.0, -200.0]
SPECIAL += [1e30, -1e30, 65504.0, 2.0**24 + 1, 1e-8]


def numbers(kind, count, rng):
    """Return `count` random numbers of a kind: the letters are those of tests/parity/compare.py."""
    match kind:
        case "f":
            return [rng.gauss(0.0, 1.0) for _ in range(count)]
        case "p":
            return [rng.uniform(0.5, 2.0) for _ in range(count)]
        case "u":
            return [rng.uniform(-0.9, 0.9) for _ in range(count)]
        case "q":
            return [rng.uniform(0.05, 0.95) for _ in range(count)]
        case "g":
            return [n / 4 - 1.1 for n in rng.sample(range(count), count)]
        case "t" | "i":
            return [rng.randrange(3) for _ in range(count)]
        case "j":
            return [rng.randrange(-5, 6) for _ in range(count)]
        case "b":
            return [rng.randrange(2) for _ in range(count)]
        case "s":
            return [rng.randrange(2) * 2 - 1 for _ in range(count)]
        case "h":
            return [rng.choice([n for n in SPECIAL if abs(n) < 1e3]) for _ in range(count)]
    return [rng.choice(SPECIAL) for _ in range(count)]


def as_dtype(values, dtype):
    """Return numbers as a dtype holds them, as Python numbers; integers get their extremes."""
    if dtype == "bool":
        return [bool(n) and not math.isnan(n) for n in values]
    if dtype not in INTEGERS:
        return [float(n) for n in values]
    limits = np.iinfo(dtype)
    whole = [0 if math.isnan(n) else int(max(min(n, 2.0**62), -(2.0**62))) for n in values]
    low, high = int(limits.min), int(limits.max)
    return [high if n == 2**62 else max(low, min(high, n)) for n in whole]


@dataclass(frozen=True)
class Recipe:
    """One tensor: `pattern` is what its storage holds, again and again."""

    dtype: str
    shape: tuple
    layout: str = "plain"
    pattern: tuple = (1,)
    grad: bool = False
    seed: int = 0  # which dimensions a layout touches

    def plain(self):
        """Return the same numbers at the same places, contiguous."""
        return replace(self, layout="plain", pattern=tuple(self.array().ravel().tolist()) or (1,))

    def moved(self, turn, unit, alike):
        """Return the recipe with its numbers moved by a rounding error, equal ones alike if told.

        Those above 100 always move each in a way of its own: where they cancel, it is by rounding.
        """
        if self.dtype not in FLOATS:
            return self
        size = self.strided()[2]
        count = len(self.pattern) if alike else min(size, MOVED)
        pattern = [self.pattern[i % len(self.pattern)] for i in range(count)]
        limit, moved = float(LARGEST[self.dtype]), []
        for i, n in enumerate(pattern):
            step = 1 - 2 * (hash((turn, n, (not alike or abs(n) > 100) and i)) % 2)
            m = n * (1 + step * unit)
            moved.append(n if abs(n) <= limit < abs(m) else m)
        return replace(self, pattern=tuple(moved))

    def strided(self):
        """Return (strides, offset, size of the storage), in elements; the flip comes after."""
        order = list(range(len(self.shape)))
        if self.layout == "permuted":
            order.reverse()
        elif self.layout == "swapped" and len(order) > 1:
            i = self.seed % (len(order) - 1)
            order[i], order[i + 1] = order[i + 1], order[i]
        step = 2 if self.layout == "stepped" else 1
        strides = [0] * len(order)
        for place in reversed(order):
            strides[place] = step
            step *= max(self.shape[place], 1)
        if self.layout == "expanded" and order:
            strides[self.seed % len(order)] = 0
        elif self.layout == "overlapping":
            strides = [1] * len(order)
        offset = 3 if self.layout == "offset" else 0
        last = sum(s * max(n - 1, 0) for s, n in zip(strides, self.shape, strict=True))
        last = 0 if 0 in self.shape else last
        return tuple(strides), offset, offset + last + 1

    def storage(self):
        """Return a new flat array that holds the numbers; those of bfloat16 as float32."""
        return self.held.copy()

    @functools.cached_property
    def held(self):
        """The flat array that every tensor of this recipe copies."""
        size = self.strided()[2]
        values = as_dtype(self.pattern, self.dtype)
        with np.errstate(all="ignore"):
            if self.dtype == "bfloat16":
                bits = np.array(values, np.float32).view(np.uint32)
                flat = (bits & 0xFFFF0000).view(np.float32)  # what bfloat16 holds without rounding
            else:
                flat = np.array(values, self.dtype)
        return np.resize(flat, size)

    def view(self, flat):
        """Return the array that shows the layout's places of a flat one."""
        strides, offset, _ = self.strided()
        steps = tuple(s * flat.itemsize for s in strides)
        seen = np.lib.stride_tricks.as_strided(flat[offset:], self.shape, steps)
        return seen[::-1] if self.layout == "flipped" and self.shape else seen

    def array(self):
        """Return the numbers as a contiguous array that nobody writes into."""
        return self.seen

    @functools.cached_property
    def seen(self):
        """What `array` returns, made once."""
        made = np.ascontiguousarray(self.view(self.storage())).reshape(self.shape)
        made.flags.writeable = False
        return made

    def build(self, library, dtype=None):
        """Return the tensor of a library, a leaf that owns its memory."""
        strides, offset, _ = self.strided()
        made = self.flat(library)
        if self.shape != tuple(made.shape) or self.layout != "plain":
            made = made.as_strided(self.shape, strides, offset)
        if self.layout == "flipped" and self.shape:
            made = made[::-1] if library.__name__ == "norch" else made.flip(0)
        if dtype is not None and made.is_floating_point():
            made = made.to(dtype)
        return made.requires_grad_() if self.grad and self.dtype in FLOATS else made

    def flat(self, library):
        """Return the storage as a tensor of one dimension."""
        flat, kind = self.storage(), getattr(library, self.dtype)
        if self.layout == "odd bytes" and self.dtype == "bool" and library.__name__ == "norch":
            return library.from_numpy(odd_bytes(flat)).view(kind)
        made = library.from_numpy(flat)
        return made.to(kind) if self.dtype == "bfloat16" else made

    def source(self):
        """Return the Python expression that makes this tensor with norch."""
        strides, offset, size = self.strided()
        kind = f"norch.{self.dtype}"
        values = as_dtype(self.pattern, self.dtype)[:size]
        text = f"[{', '.join(map(written, values))}]"
        if size > len(values):
            text = f"{text} * {-(-size // len(values))}"
            text = f"({text})[:{size}]" if size % len(values) else text
        if self.layout == "odd bytes" and self.dtype == "bool":
            odd = odd_bytes(self.storage()).tolist()
            made = f"norch.tensor({odd}, dtype=norch.uint8).view(norch.bool)"
        else:
            made = f"norch.tensor({text}, dtype={kind})"
        if self.layout == "plain" and self.shape != (size,):
            made = f"{made}[:{math.prod(self.shape)}].reshape({self.shape})"
        elif self.layout != "plain":
            made = f"{made}.as_strided({self.shape}, {strides}, {offset})"
        if self.layout == "flipped" and self.shape:
            made += "[::-1]"
        return made + (".requires_grad_()" if self.grad and self.dtype in FLOATS else "")


def odd_bytes(flat):
    """Return bytes that are true where an array is: memory from elsewhere need not hold 1."""
    return np.resize(np.array([2, 255, 1], np.uint8), flat.size) * flat


def written(value):
    """Return a number as Python text."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    return repr(value)
