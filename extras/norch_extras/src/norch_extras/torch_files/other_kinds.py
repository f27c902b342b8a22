"""Other kinds of files under the names of checkpoints: what each is, and how to go on.

Registered with stage 5's `load`, as a kind of file whose reader only refuses it.
"""

from __future__ import annotations

from typing import BinaryIO, NoReturn

from norch_nn.serialization.files import LoadError, Place

# How such files begin, and what to do with them.
KINDS = (
    (b"version https://git-lfs", "it is a pointer of git-lfs, not the file itself: git lfs pull"),
    (b"\x1f\x8b", "it is compressed: unpack it with gunzip first"),
    (b"BZh", "it is compressed: unpack it with bunzip2 first"),
    (b"\xfd7zXZ\0", "it is compressed: unpack it with unxz first"),
    (b"\x28\xb5\x2f\xfd", "it is compressed: unpack it with unzstd first"),
    (b"7z\xbc\xaf\x27\x1c", "it is a 7z archive: unpack it first"),
    (b"\x93NUMPY", "it is a NumPy array: norch.from_numpy(numpy.load(file))"),
    (b"\x89HDF\r\n", "it is an HDF5 file, such as Keras writes: read it with h5py"),
    (b"GGUF", "it is a GGUF file: convert it to safetensors first"),
)


def advice_on(head: bytes) -> str:
    """Say what a file is that begins so, if it is known and nothing that `load` reads; else "".

    >>> advice_on(b"<!DOCTYPE html>")[:19]
    'it is a web page, n'
    """
    if not head:
        return "it is empty: the download or the copy did not finish"
    for magic, advice in KINDS:
        if head.startswith(magic):
            return advice
    if head[257:262] == b"ustar":
        return "it is a tar archive: unpack it with tar -xf first"
    if head[7:9] == b"\0{":
        return ""  # safetensors: its first byte, a part of the header's length, may be a "<"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"<"):
        return "it is a web page, not the file: download it from the link to the raw file"
    if text.startswith(b"{") and b"\0" not in head[:8]:
        return "it is JSON text: where it is an index of several files, load each of those it names"
    return ""


def refuse(file: BinaryIO, place: Place, mapped: bool) -> NoReturn:
    """Raise LoadError with the advice on a file; `load` puts the file's name in front."""
    raise LoadError(advice_on(file.read(512)))
