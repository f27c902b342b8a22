"""Files that are neither safetensors nor torch.save's: what they are, and what to do with them.

Called by save_load.py with the beginning of a file.
"""

from __future__ import annotations

from norch_nn.serialization.files import LoadError

HEAD = 512  # bytes that are enough to tell
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


def refuse_other_kinds(head: bytes) -> None:
    """Raise LoadError if this is the beginning of another known kind of file.

    >>> try:
    ...     refuse_other_kinds(b"<!DOCTYPE html>")
    ... except RuntimeError as error:
    ...     print(str(error)[:19])
    it is a web page, n
    """
    if not head:
        raise LoadError("it is empty: the download or the copy did not finish")
    for magic, advice in KINDS:
        if head.startswith(magic):
            raise LoadError(advice)
    if head[257:262] == b"ustar":
        raise LoadError("it is a tar archive: unpack it with tar -xf first")
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"<"):
        raise LoadError("it is a web page, not the file: download it from the link to the raw file")
    if text.startswith(b"{") and b"\0" not in head[:8]:
        raise LoadError(
            "it is JSON text: where it is an index of several files, load each of those it names"
        )
