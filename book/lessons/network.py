"""The front page's network as a file: numbers of two bytes each, in base64, in one JSON.

`digits.py` trains the network and writes the file, which is committed; the build of the book, the
page itself and the tests read it. Needs no norch, so that a book is built without a compiler.
"""

import base64
import json
import struct
from itertools import chain
from pathlib import Path

PATH = Path(__file__).with_name("network.json")


def packed(numbers: list[float]) -> str:
    """Return numbers as base64 of their two bytes each."""
    return base64.b64encode(struct.pack(f"<{len(numbers)}e", *numbers)).decode("ascii")


def unpacked(text: str) -> list[float]:
    """Return the numbers of `packed`, as they were rounded."""
    found = base64.b64decode(text)
    return list(struct.unpack(f"<{len(found) // 2}e", found))


def layer(weight: str, bias: str) -> list[list]:
    """Return a layer's rows of weights, and its biases."""
    numbers, biases = unpacked(weight), unpacked(bias)
    wide = len(numbers) // len(biases)
    return [[numbers[k : k + wide] for k in range(0, len(numbers), wide)], biases]


def write(found: dict, path: Path) -> None:
    """Write a network: `layers` are pairs of rows of weights, and biases."""
    layers = [[packed([*chain(*rows)]), packed(biases)] for rows, biases in found["layers"]]
    pixels = [base64.b64encode(bytes(one["pixels"])).decode("ascii") for one in found["digits"]]
    digits = [{**one, "pixels": each} for one, each in zip(found["digits"], pixels, strict=True)]
    text = json.dumps({**found, "layers": layers, "digits": digits}, indent=0)
    path.write_text(f"{text}\n", encoding="utf-8")


def read(path: Path = PATH) -> dict:
    """Return a network as `write` got it."""
    found = json.loads(path.read_text(encoding="utf-8"))
    digits = [{**one, "pixels": [*base64.b64decode(one["pixels"])]} for one in found["digits"]]
    return {**found, "layers": [layer(*one) for one in found["layers"]], "digits": digits}
