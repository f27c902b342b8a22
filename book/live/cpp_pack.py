"""What a page needs to compile an answer in C++: clang, headers, objects, and the commands.

`parts` hands packing.py the files of the pack `compiler`. Headers, objects and commands come from
the build tree of stage 2 for a browser, where ninja knows what each object was made of. Nothing is
compiled here.
"""

import json
import os
import shlex
import struct
from itertools import pairwise
from pathlib import Path

from fetch_clang import NPM

from norch_course.catalog import Stage, load
from norch_course.compiling import (
    CHECKS,
    METER,
    meter_words,
    ninja,
    objects_to_compile,
    source_folder,
    without_depfile,
)

ROOT = Path(__file__).resolve().parents[2]
MODULE = "_cpu.so"
LICENCE = "under Apache-2.0 with LLVM exceptions"
OURS = {"-O3": "-O1", "-O2": "-O1", "-Werror": None}  # a warning is no error in an answer


def parts(clang: Path, tree: Path) -> dict[str, bytes]:
    """Return all that page/clang.js reads, from the folder of fetch_clang.py and a build tree."""
    wasm = {path.name: path.read_bytes() for path in sorted(clang.glob("*.wasm"))}
    script = as_script((clang / "bundle.js").read_text(encoding="utf-8"))
    worker = (ROOT / "book" / "live" / "page" / "clang_worker.js").read_bytes()
    return {
        "clang_worker.js": worker,
        "clang.js": script.encode(),
        "cpp": packed(files(tree)),
        **wasm,
    }


def as_script(module: str) -> str:
    """Turn clang's module into a script: a page opened by double click can load no modules."""
    text = module.replace("import.meta.url", '"http://clang.invalid/"')
    head, _, names = text.partition("\nexport {")
    return f"/*! {NPM}, under the ISC licence; LLVM {LICENCE} */\n{head}\nself.yowasp = {{{names}"


def packed(files: dict[str, bytes]) -> bytes:
    """Join files as clang_worker.js takes them apart: the size of a table, the table, the files."""
    table = json.dumps({path: len(data) for path, data in files.items()}).encode()
    return struct.pack("<I", len(table)) + table + b"".join(files.values())


class Places:
    """Short names for the folders of a build: the sources, and those that headers are found in."""

    def __init__(self, csrc: Path) -> None:
        self.names = {str(csrc): "csrc"}

    def add(self, folder: str) -> None:
        """Name one more folder."""
        self.names.setdefault(os.path.normpath(folder), f"include/{len(self.names)}")

    def short(self, path: str) -> str:
        """Return a path as the page has it, below the nearest folder that has a name."""
        path = os.path.normpath(path)
        inside = [one for one in self.names if f"{path}/".startswith(f"{one}/")]
        folder = max(inside, key=len)
        return self.names[folder] + path.removeprefix(folder)


def files(tree: Path) -> dict[str, bytes]:
    """Return what a page's compiler reads, by path; `recipe.json` says what to do with it."""
    stage = Stage(ROOT / "stages" / "02_cpu_ops")
    exercises = [one.source for one in load(ROOT).of_stage(stage)]
    commands: dict[str, list[str]] = {}
    sources: dict[str, list[str]] = {}
    places = Places(source_folder(tree) / "csrc")
    places.add(str(METER.parent))
    found = {places.short(str(METER)): METER.read_bytes()}
    for source in dict.fromkeys(exercises):
        objects = list(objects_to_compile(stage, tree, [source], quick=True))
        sources[source.relative_to(stage.folder).as_posix()] = objects
        for name in objects:
            commands[name] = _compile_words(tree, name, places)
            found |= {places.short(path): Path(path).read_bytes() for path in _read_by(tree, name)}
    link = _link_words(tree)
    built = [word for word in link if word.endswith(".o")]
    found |= {name: (tree / name).read_bytes() for name in built}
    recipe = {"sources": sources, "compile": commands, "link": link, "module": MODULE}
    return {"recipe.json": json.dumps(recipe).encode(), **found}


def _read_by(tree: Path, name: str) -> list[str]:
    """List the files that an object was compiled from."""
    lines = ninja(tree, "-t", "deps", name).splitlines()[1:]
    return [os.path.join(tree, line.strip()) for line in lines if line.strip()]


def _compile_words(tree: Path, name: str, places: Places) -> list[str]:
    """Return the command that compiles an object, with the page's paths and little optimised."""
    words = without_depfile(shlex.split(ninja(tree, "-t", "commands", name).splitlines()[-1]))
    words = words[words.index("clang") + 1 :]
    kept = [OURS.get(word, word) for word in words]
    for flag, word in pairwise(words):
        if flag == "-isystem":
            places.add(word)
    short = [word and _with_places(word, places) for word in kept]
    meter = [_with_places(word, places) for word in meter_words(tree)]
    return ["clang++", *(word for word in short if word), *CHECKS, *meter]


def _with_places(word: str, places: Places) -> str:
    """Return a word of a command with the page's path, if it has one."""
    flag = "-I" if word.startswith("-I") else ""
    path = word.removeprefix(flag)
    return flag + places.short(path) if path.startswith("/") else word


def _link_words(tree: Path) -> list[str]:
    """Return the command that links the module."""
    module = next(tree.glob("_cpu*.so")).name
    words = shlex.split(ninja(tree, "-t", "commands", module).splitlines()[-1])
    words = words[words.index("wasm-ld") : len(words) - 1 - words[::-1].index("&&")]
    words[words.index("-o") + 1] = MODULE
    return words
