"""Write the embedded digits from scikit-learn's copy of UCI optdigits (needs scikit-learn).

Run once; the two small files it writes are committed. The same input gives the same bytes.
"""

import gzip
import struct
from pathlib import Path

from sklearn.datasets import load_digits

TARGET = Path(__file__).parents[1] / "src/norchvision/datasets"


def write_idx(name: str, values: bytes, shape: tuple[int, ...]) -> None:
    """Write bytes of `shape` as a compressed idx file."""
    header = bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    (TARGET / name).write_bytes(gzip.compress(header + values, 9, mtime=0))


digits = load_digits()
write_idx("digits-images-idx3-ubyte.gz", digits.images.astype("uint8").tobytes(), (1797, 8, 8))
write_idx("digits-labels-idx1-ubyte.gz", digits.target.astype("uint8").tobytes(), (1797,))
