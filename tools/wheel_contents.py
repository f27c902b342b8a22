"""Opens a wheel and says what it lacks: its licence, its types, the words about it, its modules.

tools/wheels.py asks for every wheel of dist/. What a wheel must say stands in the package's own
pyproject.toml, its licence at the root; nothing is listed here a second time. Changes nothing.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from pathlib import Path
from zipfile import ZipFile

from check_tree import MACHINE
from progress import ROOT

# What must not travel: what an editable install, a test run or an editor leaves beside sources.
STRAY = re.compile(r"(^|/)(tests?|__pycache__|build|\.[^/]*)/|\.(pyc|o|ipynb)$|~$")
SAYS = {"Name": "name", "Version": "version", "Summary": "description"}


class Wheel:
    """One wheel, opened: its files, its METADATA, and the project that it was built from."""

    def __init__(self, path: Path, folder: str) -> None:
        with ZipFile(path) as archive:
            self.files = {name: archive.read(name) for name in archive.namelist()}
        self.package, version = path.name.split("-")[:2]
        self.info = f"{self.package}-{version}.dist-info"
        self.tag = path.stem.split("-", 2)[2]
        self.source = ROOT / folder
        with (self.source / "pyproject.toml").open("rb") as file:
            self.project = tomllib.load(file)["project"]

    def metadata(self) -> Message:
        """Return what installers and indexes read."""
        return BytesParser().parsebytes(self.files[f"{self.info}/METADATA"])


def licence(wheel: Wheel) -> Iterator[str]:
    """Yield a complaint if the licence's text or its name is not in the wheel."""
    said = wheel.metadata()
    if said["License-Expression"] != wheel.project["license"]:
        yield f"License-Expression is {said['License-Expression']}, not {wheel.project['license']}"
    if said.get_all("License-File") != ["LICENSE"]:
        yield f"License-File is {said.get_all('License-File')}, not LICENSE"
    if wheel.files.get(f"{wheel.info}/licenses/LICENSE") != (ROOT / "LICENSE").read_bytes():
        yield "licenses/LICENSE is not there, or not the text of the root's LICENSE"


def types(wheel: Wheel) -> Iterator[str]:
    """Yield a complaint if type checkers would not look into the package."""
    if f"{wheel.package}/py.typed" not in wheel.files:
        yield "py.typed is not there: type checkers take the package for untyped"


def words(wheel: Wheel) -> Iterator[str]:
    """Yield a complaint for each word about the package that METADATA lacks."""
    said, meant = wheel.metadata(), wheel.project
    wanted = {header: meant[key] for header, key in SAYS.items()}
    wanted["Author"] = ", ".join(author["name"] for author in meant["authors"])
    found = {header: said[header] for header in wanted}
    several = {
        "Keywords": (said["Keywords"] or "", meant["keywords"]),
        "Requires-Python": (said["Requires-Python"] or "", meant["requires-python"].split(",")),
    }
    for header, (text, entries) in several.items():
        wanted[header], found[header] = set(entries), set(text.split(","))
    wanted["Classifier"] = set(meant["classifiers"])
    found["Classifier"] = set(said.get_all("Classifier") or ())
    readme = (wheel.source / meant["readme"]).read_text(encoding="utf-8")
    wanted["description"] = readme.strip()
    body = said.get_payload(decode=True)
    found["description"] = body.decode().strip() if isinstance(body, bytes) else ""
    for header, value in wanted.items():
        if found[header] != value:
            yield f"METADATA's {header} is not that of {wheel.source.name}/pyproject.toml"


def modules(wheel: Wheel) -> Iterator[str]:
    """Yield a complaint if compiled modules are missing, of another Python, or out of place."""
    compiled = [name for name in wheel.files if name.endswith((".so", ".dylib", ".pyd"))]
    if not (wheel.source / "CMakeLists.txt").exists():
        if wheel.tag != "py3-none-any" or compiled:
            yield f"has no C++, but is tagged {wheel.tag} and holds {compiled}"
        return
    python = wheel.tag.split("-")[0].removeprefix("cp")
    if not compiled or not all(f".cpython-{python}-" in name for name in compiled):
        yield f"is tagged {wheel.tag} and holds {compiled or 'no compiled module'}"


def strays(wheel: Wheel) -> Iterator[str]:
    """Yield a complaint for each file that no user needs, or that tells where it was built."""
    for name, content in wheel.files.items():
        if not name.startswith((f"{wheel.package}/", f"{wheel.info}/")) or STRAY.search(name):
            yield f"holds {name}"
        if str(ROOT).encode() in content:
            yield f"{name} names the folder where it was built"
        elif name.endswith((".py", ".h", ".cu")) and (found := MACHINE.search(content.decode())):
            yield f"{name} names '{found.group()}', true on one machine only"


def complaints(path: Path, folder: str) -> list[str]:
    """Return what is wrong with the wheel of a package's folder, in words."""
    wheel = Wheel(path, folder)
    rules = (licence, types, words, modules, strays)
    return [f"{path.name}: {complaint}" for rule in rules for complaint in rule(wheel)]


def refuse_incomplete(wheels: dict[Path, str]) -> None:
    """Stop unless every wheel, given with its package's folder, carries what it must."""
    found = [complaint for path, folder in wheels.items() for complaint in complaints(path, folder)]
    if found:
        sys.exit("[wheels] what would be given away is not whole:\n  " + "\n  ".join(found))
    print(f"[wheels] {len(wheels)} wheels hold licence, types and description", flush=True)
