"""Writes norch's modules from the list norch/names.txt; with --check, says whether they agree.

The list says what each module of norch is, which modules of the stages and extras it gathers, and
its names; here each name's home is found. Everything is read as text and nothing of ours is
imported, so it runs before anything is built: `make` calls it, and hatch_build.py when norch is
installed. The files it writes are git-ignored; those that are by hand it never touches.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
LIST, FACES = HERE / "names.txt", HERE / "src"
SOURCES = [*sorted(HERE.parent.glob("stages/*/src")), *sorted(HERE.parent.glob("extras/*/src"))]
MARK = "# Written from norch/names.txt by norch/write_faces.py: change the list, not this file.\n"
BY_HAND = "(by hand)"
WIDTH = 100


class FaceError(Exception):
    """The list cannot be what was meant: its lines say why, one for each name."""


# ---- The list ------------------------------------------------------------------------------------


class Section(NamedTuple):
    """One module of norch, as the list declares it."""

    text: str  # its docstring, or BY_HAND
    modules: list[str]  # where its names come from, the one to prefer first
    names: dict[str, str]  # to each name what the list says of its home: `module.name`, or ""
    left_out: dict[str, list[str]]  # to each reason of docs/scope.md the names that it leaves out


def read_list(path: Path = LIST) -> dict[str, Section]:
    """Return the sections of the list by module."""
    sections: dict[str, Section] = {}
    for block in re.split(r"\n(?=\S)", path.read_text(encoding="utf-8")):
        if block.strip() and not block.startswith("#"):
            module, section = read_section(block)
            if module in sections:
                raise FaceError(f"[faces] {module} has two sections in {path.name}: join them")
            sections[module] = section
    if orphans := [one for one in sections if one.count(".") and parent(one) not in sections]:
        raise FaceError(f"[faces] {orphans[0]} needs a section {parent(orphans[0])} above it")
    return sections


def read_section(block: str) -> tuple[str, Section]:
    """Read `module: text`, then lines: `# more text`, `from modules`, `- reason: names`, names."""
    head, *lines = block.splitlines()
    module, colon, text = head.partition(":")
    if not (colon and text.strip()):
        raise FaceError(f"[faces] a section opens with `module: what it is`, not with `{head}`")
    more, modules, names = [], [], {}
    left_out: dict[str, list[str]] = {}
    for words in filter(None, map(str.split, lines)):
        if words[0] == "#":
            more.append(" ".join(words[1:]))
        elif words[0] == "from":
            modules += words[1:]
        elif words[0] == "-":
            reason, _, missing = " ".join(words[1:]).partition(": ")
            left_out[reason] = left_out.get(reason, []) + missing.split()
            if not missing:
                line = " ".join(words)
                raise FaceError(f"[faces] {module}: write `- reason: names`, not `{line}`")
        for word in words if words[0] not in ("#", "from", "-") else []:
            name, _, home = word.partition("=")
            if name in names:
                raise FaceError(f"[faces] {module}.{name} stands twice in the list")
            names[name] = home
    text = "\n".join([text.strip(), *(["", *more, ""] if more else [])])
    return module, Section(text, modules, names, left_out)


def parent(module: str) -> str:
    """Return the package that a module stands in."""
    return module.rpartition(".")[0]


# ---- The stages and extras, as text --------------------------------------------------------------


def file_of(module: str) -> Path | None:
    """Return the file of a module by its dotted name; of norch only what is by hand is asked."""
    inside = Path(*module.split("."))
    for source in [*SOURCES, FACES]:
        for path in (source / inside.with_suffix(".py"), source / inside / "__init__.py"):
            if path.is_file():
                return path
    return None


@cache
def bindings(module: str) -> dict[str, tuple[str, str]]:
    """Return what a module binds when it is imported: to each name the module and name it is."""
    path = file_of(module)
    found: dict[str, tuple[str, str]] = {}
    if path is not None:
        is_package = path.name == "__init__.py"
        for node in statements(ast.parse(path.read_text(encoding="utf-8"), str(path)).body):
            found |= bound_by(node, module, module if is_package else parent(module))
    return found


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, those of `if` and `try` too, but none for types alone."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from statements(node.orelse)
        elif isinstance(node, ast.If | ast.Try):
            yield from statements(node.body + node.orelse)


def bound_by(node: ast.stmt, module: str, package: str) -> dict[str, tuple[str, str]]:
    """Return the names that one statement binds, each with its origin."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name: (module, node.name)}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        parts = [part for target in targets for part in ast.walk(target)]
        return {part.id: (module, part.id) for part in parts if isinstance(part, ast.Name)}
    if isinstance(node, ast.ImportFrom):
        up = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        origin = ".".join([*up, *filter(None, [node.module])])
        return {one.asname or one.name: (origin, one.name) for one in node.names}
    if isinstance(node, ast.Import):
        return {one.asname: (one.name, "") for one in node.names if one.asname}
    return {}


def home(module: str, name: str) -> tuple[str, str] | None:
    """Follow a name through the imports to where it is made; None if the module has it not."""
    found = bindings(module).get(name)
    if found is None:
        inner = f"{module}.{name}"
        return (inner, "") if file_of(inner) else None
    origin, there = found
    if not there or found == (module, name) or file_of(origin) is None:
        return found  # a module, made here, or outside: Python's own, or compiled
    if origin == module:  # `from package import module`, written in the package
        return (f"{module}.{there}", "")
    return home(origin, there)


# ---- A name's home -------------------------------------------------------------------------------


class Line(NamedTuple):
    """One line of a face: `from module import there as name`."""

    module: str
    there: str
    name: str


def decide(module: str, section: Section, name: str, listed: dict[str, Section]) -> Line:
    """Return the line for a name: what the list says, a module of norch, or its one home."""
    if said := section.names[name]:
        origin, _, there = said.rpartition(".")
        is_ours = said in listed or (origin in listed and there in listed[origin].names)
        if not (is_ours or (origin not in listed and home(origin, there))):
            raise FaceError(f"{module}.{name}: there is no {said}{advice(there)}")
        return Line(origin, there, name)
    if f"{module}.{name}" in listed:
        return Line(module, name, name)
    homes = {one: found for one in section.modules if (found := home(one, name))}
    if not homes:
        where = f"not in {' '.join(section.modules)}" if section.modules else "no `from` above it"
        raise FaceError(f"{module}.{name}: {where}{advice(name)}")
    if len(set(homes.values())) > 1:
        words = ", or ".join(f"{name}={one}.{name}" for one in homes)
        raise FaceError(f"{module}.{name}: several have one of their own, say which: {words}")
    return Line(next(iter(homes)), name, name)


def advice(name: str) -> str:
    """Say which modules make a name, for whoever has moved it."""
    found = makers().get(name)
    return f"; made in {', '.join(found)}" if found else "; nothing makes it"


@cache
def makers() -> dict[str, list[str]]:
    """Return to each name the modules that make it."""
    found: dict[str, list[str]] = defaultdict(list)
    for source in SOURCES:
        for path in sorted(source.rglob("*.py")):
            inside = path.relative_to(source).with_suffix("")
            module = ".".join(inside.parts).removesuffix(".__init__")
            for name, made in bindings(module).items():
                if made == (module, name):
                    found[name].append(module)
    return found


def decide_all(listed: dict[str, Section]) -> dict[str, list[Line]]:
    """Return the lines of every module that is written, or raise with all that is wrong."""
    lines: dict[str, list[Line]] = {}
    wrong: list[str] = []
    for module, section in listed.items():
        made = [decided(module, section, name, listed) for name in section.names]
        wrong += [one for one in made if isinstance(one, str)]
        if section.text != BY_HAND:
            lines[module] = [one for one in made if isinstance(one, Line)]
            unused = set(section.modules) - {line.module for line in lines[module]}
            wrong += [f"{module}: nothing comes from {one}" for one in sorted(unused)]
    if wrong:
        raise FaceError("\n".join([f"[faces] {LIST.name} does not fit the stages:", *wrong]))
    return lines


def decided(module: str, section: Section, name: str, listed: dict[str, Section]) -> Line | str:
    """Return the line for a name, or what is wrong with it."""
    if section.text == BY_HAND:
        return Line(module, name, name) if home(module, name) else f"{module} has no {name}"
    try:
        return decide(module, section, name, listed)
    except FaceError as error:
        return str(error)


# ---- A face, as a person would write it ----------------------------------------------------------


def natural(text: str) -> list[tuple[int, int | str]]:
    """Return a key that sorts log2 before log10."""
    parts = re.findall(r"\d+|\D", text)
    return [(0, int(part)) if part.isdigit() else (1, part) for part in parts]


def in_order(line: Line) -> tuple[object, ...]:
    """Return the key by which ruff sorts: constants, classes, then the rest."""
    there = line.there
    is_constant = len(there) > 1 and there.isupper()
    kind = 0 if is_constant else 1 if there[0].isupper() else 2
    return kind, natural(there.lower()), natural(there), line.name


def face(module: str, section: Section, lines: list[Line]) -> str:
    """Return the text of one module."""
    grouped: dict[str, list[Line]] = defaultdict(list)
    for line in sorted(lines, key=in_order):
        grouped[line.module].append(line)
    imports = [statement(one, grouped[one]) for one in sorted(grouped, key=natural)]
    if section.left_out:
        imports = ["from typing import TYPE_CHECKING\n\n", *imports]
    parts = [f'"""{section.text}"""\n', "\n" if imports else "", *imports, exported(lines)]
    return "".join([MARK, *parts, answers(module, section)])


def answers(module: str, section: Section) -> str:
    """Return the lines by which a module says of names that they are left out on purpose."""
    if not section.left_out:
        return ""
    names = " ".join(name for missing in section.left_out.values() for name in missing)
    call = f'    __getattr__ = answers("{module}", "{names}")\n'
    if len(call) > WIDTH:
        inner = "\n".join(f'        " {line}"' for line in textwrap.wrap(names, WIDTH - 12))
        call = f'    __getattr__ = answers(\n        "{module}",\n{inner},\n    )\n'
    return (
        "\nif not TYPE_CHECKING:  # to a type checker such a name is as unknown as any other\n"
        f"    from norch.left_out import answers\n\n{call}    del answers\ndel TYPE_CHECKING\n"
    )


def statement(module: str, lines: list[Line]) -> str:
    """Return one import, on a line of its own if it fits."""
    parts = [f"{line.there} as {line.name}" for line in lines]
    short = f"from {module} import {', '.join(parts)}"
    if len(short) <= WIDTH:
        return f"{short}\n"
    return "".join([f"from {module} import (\n", *(f"    {one},\n" for one in parts), ")\n"])


def exported(lines: list[Line]) -> str:
    """Return `__all__` where a name differs from its home's: else checkers take it for private."""
    if all(line.there == line.name for line in lines):
        return ""
    words = ", ".join(f'"{line.name}"' for line in lines if not line.name.startswith("__"))
    if len(words) <= WIDTH - len("__all__ = []"):
        return f"\n__all__ = [{words}]\n"
    inner = textwrap.fill(f"{words},", WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"\n# fmt: off\n__all__ = [\n{inner}\n]\n"


def faces(listed: dict[str, Section]) -> dict[Path, str]:
    """Return the text of every file that is written, by its place under src/."""
    packages = {parent(module) for module in listed}
    return {
        place(module, module in packages): face(module, listed[module], lines)
        for module, lines in decide_all(listed).items()
    }


def place(module: str, is_package: bool) -> Path:
    """Return where under src/ a module's file is."""
    path = Path(*module.split("."))
    return path / "__init__.py" if is_package else path.with_suffix(".py")


# ---- The files -----------------------------------------------------------------------------------


def written(listed: dict[str, Section]) -> dict[Path, str]:
    """Return what an earlier call wrote, by its place; refuse other files but those by hand."""
    found: dict[Path, str] = {}
    for path in sorted((FACES / "norch").rglob("*.py")):
        inside, text = path.relative_to(FACES), path.read_text(encoding="utf-8")
        module = ".".join(inside.with_suffix("").parts).removesuffix(".__init__")
        if text.startswith(MARK):
            found[inside] = text
        elif module not in listed or listed[module].text != BY_HAND:
            raise FaceError(
                f"[faces] {path} is by hand: list {module} as `{BY_HAND}`, or remove it"
            )
    return found


def write(found: dict[Path, str], wanted: dict[Path, str]) -> None:
    """Write the files that differ, and remove those that an earlier list had."""
    for path in found.keys() - wanted.keys():
        (FACES / path).unlink(missing_ok=True)
    for path, text in wanted.items():
        if found.get(path) != text:
            (FACES / path).parent.mkdir(parents=True, exist_ok=True)
            fresh = FACES / f"{path}.{os.getpid()}"  # another program may import it meanwhile
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(FACES / path)


def main() -> None:
    """Write the faces, or compare them with the list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    is_check = parser.parse_args().check
    try:
        listed = read_list()
        found, wanted = written(listed), faces(listed)
    except FaceError as error:
        sys.exit(str(error))
    different = sorted(p for p in found | wanted if found.get(p) != wanted.get(p))
    if not is_check:
        write(found, wanted)
    elif different:
        names = "\n".join(f"  norch/src/{path}" for path in different)
        sys.exit(f"[faces] not as {LIST.name} says, run python norch/write_faces.py:\n{names}")


if __name__ == "__main__":
    main()
