"""Compiling: edited C++ files, and a module linked from them and from objects built before.

No CMake runs here. The build tree of the stage (`make setup` makes it) says which objects contain
a file and how they are compiled and linked; only those are compiled again. For a check that must be
quick: little optimised, and of a kernel that exists once per instruction set the simplest alone,
which tests of C++ exercises choose. For `mine.py`, which trains with them: as the build does.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from norch_course import machine, seal
from norch_course.catalog import CourseError, Stage

PATIENCE = 600  # seconds for one call of a compiler
CHECKS = ("-fmax-errors=1", "-Werror=return-type")  # what an answer is compiled with besides
METER = Path(__file__).with_name("meter.h")
CALLED = {  # what has a compiler call the meter at each access to memory, by CMake's name for it
    "GNU": "-fsanitize=kernel-address,bounds-strict --param asan-stack=0 --param asan-globals=0",
    "Clang": "-Xclang -fsanitize=kernel-address,array-bounds "
    "-Xclang -fsanitize-recover=kernel-address,array-bounds "
    "-mllvm -asan-instrumentation-with-call-threshold=0 "
    "-mllvm -asan-stack=0 -mllvm -asan-globals=0",
}
CALLS_FOR_MEMSET = ["-mllvm", "-asan-kernel-mem-intrinsic-prefix=1"]  # and memcpy, from Clang 16 on
SETS = ("kernels_baseline.dir", "kernels_avx2.dir", "kernels_avx512.dir")  # simplest first


class CompileError(Exception):
    """The compiler refused an answer: its words, and the line of the spliced file."""

    def __init__(self, words: str, line: int | None) -> None:
        super().__init__(words)
        self.words = words
        self.line = line


def build_tree(stage: Stage) -> Path:
    """Return the build tree of the stage; raises CourseError where it was never built."""
    trees = [path.parent for path in stage.folder.glob("build/editable-*/.ninja_deps")]
    if not trees:
        raise CourseError(
            f"[course] stage {stage.number} was never built here, and its exercises are compiled "
            f"from that build: make check {stage.number} makes it, once"
        )
    return max(trees, key=lambda tree: (tree / ".ninja_deps").stat().st_mtime)


def is_current(tree: Path) -> bool:
    """Tell whether the module of a build tree is newer than every source."""
    sources = (source_folder(tree) / "csrc").rglob("*.*")
    newest = max(path.stat().st_mtime for path in sources)
    return all(path.stat().st_mtime >= newest for path in tree.glob("_cpu*.so"))


def compile_module(
    stage: Stage,
    sources: Sequence[Path],
    csrc: Path,
    target: Path,
    quick: bool = True,
    is_sealed: bool = False,
) -> None:
    """Compile `csrc`, a copy of the stage's with edited `sources`, into a module in `target`.

    Without edited sources that is the module of the build itself.
    `quick` leaves out optimisation and all instruction sets but one, and puts in the meter. Raises
    CompileError with the compiler's first error. What is a stranger's is compiled sealed: it may
    try to include anything.
    """
    tree = build_tree(stage)
    if not is_current(tree):
        raise CourseError(
            f"[course] the build of stage {stage.number} is older than its sources, and its "
            "exercises are linked with it: make setup"
        )
    if not sources:
        shutil.copy2(next(tree.glob("_cpu*.so")), target)
        return
    objects = objects_to_compile(stage, tree, sources, quick)
    fresh = {name: target / f"{number}.o" for number, name in enumerate(objects)}
    meter = meter_words(tree) if quick else []
    guard: list[str] = []
    if is_sealed:
        readable = [target.parent, sources[0], tree, stage.folder / "csrc", METER]
        guard = [sys.executable, "-P", seal.__file__, *map(str, readable), "--"]

    def compile_one(name: str) -> None:
        command = ninja(tree, "-t", "commands", name).splitlines()[-1]
        moved = command.replace(str(source_folder(tree) / "csrc"), str(csrc))
        moved = re.sub(r"-O[03]\b", "-O1", moved) if quick else moved
        words = [str(fresh[name]) if word == name else word for word in shlex.split(moved)]
        _run(
            [*guard, *without_depfile(words), *CHECKS, *meter],
            tree,
            objects[name].name,
            target,
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, objects))
    _link(stage, tree, fresh, target, guard)


def meter_words(tree: Path) -> list[str]:
    """Return the words that put the meter into an object; none for a compiler that knows no way."""
    files = sorted(tree.glob("CMakeFiles/*/CMakeCXXCompiler.cmake"))
    facts = "".join(path.read_text(encoding="utf-8") for path in files)
    found = re.search(r'CMAKE_CXX_COMPILER_ID "(\w+)"', facts)
    if not found or found[1] not in CALLED:
        return []
    words = CALLED[found[1]].split()
    version = re.search(r'CMAKE_CXX_COMPILER_VERSION "(\d+)', facts)
    if found[1] == "Clang" and version and int(version[1]) >= 16:
        words += CALLS_FOR_MEMSET
    return [*words, "-include", str(METER)]


def lacks_meter(stage: Stage) -> bool:
    """Tell whether the compiler of a stage that was built knows no way to call the meter."""
    try:
        return not meter_words(build_tree(stage))
    except CourseError:
        return False


def objects_to_compile(
    stage: Stage, tree: Path, sources: Sequence[Path], quick: bool
) -> dict[str, Path]:
    """Return the objects that contain one of the sources, each with that source."""
    found: dict[str, Path] = {}
    for source in sources:
        original = source_folder(tree) / source.relative_to(stage.folder)
        names = _objects_with(tree, original)
        names = _simplest(names) if quick else names
        if not names:
            raise CourseError(
                f"[course] not judged: no object of {tree} is compiled from {source.name}, so its "
                "build is older than the sources: make setup"
            )
        found |= dict.fromkeys(names, source)
    return found


def _link(stage: Stage, tree: Path, fresh: dict[str, Path], target: Path, guard: list[str]) -> None:
    """Link the module as the build does, with the fresh objects in place of the old ones."""
    module = next(tree.glob("_cpu*.so")).name
    link = shlex.split(ninja(tree, "-t", "commands", module).splitlines()[-1])
    start, end = link.index("&&") + 1, len(link) - 1 - link[::-1].index("&&")
    words = [str(fresh.get(word, word)) for word in link[start:end]]
    if not all((tree / word).exists() for word in words if word.endswith(".o")):
        raise CourseError(f"[course] the build of stage {stage.number} is unfinished: make setup")
    words[words.index("-o") + 1] = str(target / module)
    _run([*guard, *words], tree, module, target)


def _simplest(names: list[str]) -> list[str]:
    """Leave out kernels of other instruction sets than the simplest that was built."""
    built = [kernels for kernels in SETS if any(kernels in name for name in names)]
    return [name for name in names if not any(kernels in name for kernels in built[1:])]


def source_folder(tree: Path) -> Path:
    """Return the stage's folder that a build tree was made from."""
    text = (tree / "CMakeCache.txt").read_text(encoding="utf-8")
    return Path(re.findall(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", text, re.MULTILINE)[0])


def _objects_with(tree: Path, source: Path) -> list[str]:
    """List the objects that are compiled from a source or from something that includes it."""
    found = []
    for block in ninja(tree, "-t", "deps").split("\n\n"):
        name, _, files = block.partition(": #deps")
        lines = (line.strip() for line in files.splitlines()[1:] if line.endswith(source.name))
        # a compiler cache may have written relative paths
        if str(source) in (os.path.normpath(tree.resolve() / line) for line in lines):
            found.append(name.strip())
    return found


def ninja(tree: Path, *words: str) -> str:
    """Ask ninja about a build tree."""
    beside = Path(sys.executable).with_name("ninja")
    program = str(beside) if beside.exists() else "ninja"
    return subprocess.run(
        [program, *words], cwd=tree, capture_output=True, text=True, check=True
    ).stdout


def without_depfile(words: list[str]) -> list[str]:
    """Leave out of a command what makes it write down which files it read."""
    kept = iter(words)
    found = []
    for word in kept:
        if word in ("-MT", "-MF"):
            next(kept)
        elif word != "-MD":
            found.append(word)
    return found


def _run(words: list[str], folder: Path, file: str, target: Path) -> None:
    # In English, without quotation marks beyond ASCII; a compiler cache may not write where it is.
    plain = {**os.environ, "LC_ALL": "C", "TMPDIR": str(target), "CCACHE_DISABLE": "1"}
    with subprocess.Popen(
        words,
        cwd=folder,
        env=plain,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",
        start_new_session=True,
    ) as process:
        try:
            said = process.communicate(timeout=PATIENCE)[1]
        except subprocess.TimeoutExpired:
            if machine.is_starved(process.pid, PATIENCE):
                raise machine.not_judged(machine.BUSY) from None
            raise late() from None
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)  # the driver and what it has started
    if process.returncode == -signal.SIGKILL:
        raise machine.not_judged(machine.KILLED)
    if process.returncode:
        raise refused(said, file)


def late() -> CompileError:
    """Return the error of an answer whose compiler found no end."""
    return CompileError(f"does not compile within {PATIENCE} seconds", None)


def refused(said: str, file: str) -> CompileError:
    """Return the error that a compiler's words come to, with its line where it is in the file.

    Where they are about the machine, CourseError is raised.
    """
    first = re.search(r"^(.+?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", said, re.MULTILINE)
    if not first:
        machine.look_at(said)
        words = (said.strip().splitlines() or ["the compiler was stopped"])[0]
        return CompileError(f"does not link: {words}", None)
    inside = Path(first[1]).name == file
    return CompileError(f"does not compile: {first[3]}", int(first[2]) if inside else None)
