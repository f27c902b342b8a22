"""Stages 2 and 4 compiled for a browser: what they ask for is there; what pages load is small.

`make wasm` compiles them, and `make book` where it can. The gates are held to files made here by
hand too, so that they are tested where nothing was compiled.
"""

import subprocess
import sys
import tarfile
from pathlib import Path

import built
import fetch_pyodide
import make_wasm
import packing
import pytest
import wasm_file

OVER_THE_WIRE = 8_100_000  # bytes: all packs but MNIST and the compiler
BESIDE = {"mnist", "compiler"}
compiled = pytest.mark.skipif(
    not built.is_there() or not built.modules(), reason="nothing is compiled: make wasm"
)
LIVE = built.ROOT / "book" / "_build" / "html" / "_static" / "live"
in_book = pytest.mark.skipif(
    not (LIVE / "tensors.pack").exists(), reason="the book is not built with compiled stages"
)
EMPTY = b"\0asm\1\0\0\0"


def leb(number):
    """Return a number as WebAssembly spells it."""
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + leb(rest) if rest else bytes([low])


def name(text):
    """Return a name, its length before it."""
    return leb(len(text)) + text.encode()


def section(number, entries):
    """Return a section of entries."""
    body = leb(len(entries)) + b"".join(entries)
    return bytes([number]) + leb(len(body)) + body


def test_a_function_that_nobody_has_is_named(tmp_path):
    function = bytes([wasm_file.FUNCTION, 0])
    asked = [
        name("env") + name("memory") + bytes([wasm_file.MEMORY, 1, 1]) + leb(300),
        name("env") + name("__indirect_function_table") + bytes([wasm_file.TABLE, 0x70, 0, 1]),
        name("env") + name("__stack_pointer") + bytes([wasm_file.GLOBAL, 0x7F, 1]),
        name("env") + name("__cpp_exception") + bytes([wasm_file.TAG, 0, 2]),
        name("env") + name("PyList_New") + function,
        name("env") + name("its_own") + function,
        name("env") + name("nobody_has_it") + function,
    ]
    side, main = tmp_path / "side.wasm", tmp_path / "main.wasm"
    its = [name("its_own") + bytes([wasm_file.FUNCTION, 0])]
    side.write_bytes(EMPTY + section(wasm_file.IMPORTS, asked) + section(wasm_file.EXPORTS, its))
    there = [name("PyList_New") + bytes([wasm_file.FUNCTION]) + leb(200)]
    main.write_bytes(EMPTY + section(0, []) + section(wasm_file.EXPORTS, there))
    assert wasm_file.unresolved(side, main) == ["nobody_has_it"]
    with pytest.raises(ValueError, match="no WebAssembly module of version 1"):
        wasm_file.imports(Path(__file__))


@compiled
def test_the_pages_python_has_all_that_the_stages_ask_for():
    for path in built.modules():
        assert len(wasm_file.imports(path)) > 50
        assert wasm_file.unresolved(path, built.PYODIDE / "pyodide.asm.wasm") == []
        assert "PyInit_" + path.name.partition(".")[0] in wasm_file.exports(path)


@in_book
def test_all_that_pages_load_is_about_eight_megabytes():
    loaded = {path.stem: path.stat().st_size for path in LIVE.glob("*.pack")}
    assert {"runtime", "course", "tensors", "library", "book"} <= set(loaded)
    assert sum(size for pack, size in loaded.items() if pack not in BESIDE) <= OVER_THE_WIRE


@in_book
def test_what_starts_a_chapter_is_compiled_already():
    with tarfile.open(LIVE / "tensors.pack") as tar:
        names = tar.getnames()
    for module in (
        "norch_cpu_ops/__init__",
        "norch_autograd/__init__",
        "norch_autograd/types/core",
    ):
        folder, _, file = module.rpartition("/")
        assert any(one.endswith(f"{folder}/__pycache__/{file}.cpython-313.pyc") for one in names)


@pytest.mark.parametrize("words", ["--if-possible", ""])
def test_what_is_missing_is_named_in_one_line(words, tmp_path):
    program = (
        "import sys, make_wasm\n"
        "make_wasm.is_there = lambda: False\n"
        f"sys.argv = ['make_wasm.py', *{words.split()!r}]\n"
        "make_wasm.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(built.HERE), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    said = (
        "[wasm] not compiled for a browser, so chapter 1 alone runs in its page: "
        f"{fetch_pyodide.NPM} is not here, which the modules are made for\n"
    )
    if words:
        assert (done.returncode, done.stdout, done.stderr) == (0, said, "")
    else:
        assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_a_python_of_another_version_is_not_taken():
    with pytest.raises(fetch_pyodide.Missing, match=r"no Python 2\.7 with its headers"):
        make_wasm.python("2.7")


def test_the_compiler_is_held_to_hashes():
    lines = (built.HERE / "wasm" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if "==" in line]
    assert len(pinned) == 1 and sum("--hash=sha256:" in line for line in lines) >= 4


def test_packs_are_the_same_for_the_same_files():
    files = {"b": b"2", "a" * 90 + "/" + "n" * 60: b"1"}
    assert packing.archive(files) == packing.archive(dict(reversed(files.items())))
