"""What the nine packages say of themselves: one version, one licence, the same authors and systems,
types, and that none can be uploaded. tools/wheel_contents.py looks whether the wheels say it too.

The version's home is norch/pyproject.toml. A new one is written there and in every place that the
first test then names.
"""

import re
import tomllib
from pathlib import Path

import pytest

import norch

ROOT = Path(__file__).resolve().parent.parent
PROJECTS = [
    *sorted(ROOT.glob("stages/*/pyproject.toml")),
    *sorted(ROOT.glob("extras/*/pyproject.toml")),
    ROOT / "norch" / "pyproject.toml",
]
OURS = re.compile(r"norch[\w-]*(?:\[\w+\])?==(.+)")
# What only some packages may say: the languages that they are written in beside Python.
LANGUAGES = {"Programming Language :: C++"}

each_package = pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.parent.name)


def project(path: Path) -> dict:
    with path.open("rb") as file:
        return tomllib.load(file)["project"]


VERSION = project(ROOT / "norch" / "pyproject.toml")["version"]


def versions() -> dict[str, str]:
    """Every place that names the version, with what it says."""
    found = {"norch/src/norch/version.py": norch.__version__}
    for path in PROJECTS:
        of, name = project(path), path.relative_to(ROOT)
        found[f"{name}: version"] = of["version"]
        extras = of.get("optional-dependencies", {}).values()
        for line in (line for lines in (of["dependencies"], *extras) for line in lines):
            if pinned := OURS.fullmatch(line):
                found[f"{name}: {line}"] = pinned[1]
    for name, pattern in {
        "CITATION.cff": r"^version: (.+)$",
        "docs/CHANGELOG.md": r"^## (\S+) \(\d{4}-\d\d-\d\d\)$",
    }.items():
        first = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = first[1] if first else "none"
    return found


def test_every_place_names_the_same_version() -> None:
    assert {place: said for place, said in versions().items() if said != VERSION} == {}


def test_the_citation_has_the_date_of_the_newest_changes() -> None:
    changes = (ROOT / "docs" / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (newest, *_) = re.findall(r"^## \S+ \((.+)\)$", changes, re.MULTILINE)
    assert f"date-released: {newest}\n" in citation


def test_there_are_nine_packages() -> None:
    assert len(PROJECTS) == 9


@each_package
def test_no_package_can_be_uploaded(path: Path) -> None:
    assert "Private :: Do Not Upload" in project(path)["classifiers"]


@each_package
def test_a_package_depends_only_on_stages_below(path: Path) -> None:
    below = [project(other)["name"] for other in PROJECTS[: PROJECTS.index(path)]]
    ours = [line for line in project(path)["dependencies"] if line.startswith("norch")]
    assert {line.split("==")[0] for line in ours} <= set(below)


@each_package
def test_a_package_has_the_licence_of_the_root(path: Path) -> None:
    assert project(path)["license"] == "MIT"
    assert project(path)["license-files"] == ["LICENSE"]
    copy = path.parent / "LICENSE"
    assert not copy.is_symlink(), "a source archive would hold a link to nothing"
    assert copy.read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_authors_are_those_of_the_licence() -> None:
    (line,) = re.findall(r"^Copyright .*$", (ROOT / "LICENSE").read_text(), re.MULTILINE)
    assert [author["name"] for path in PROJECTS for author in project(path)["authors"]] == [
        re.sub(r"Copyright \(c\) \d+ ", "", line)
    ] * len(PROJECTS)


@each_package
def test_a_package_has_types(path: Path) -> None:
    (package,) = path.parent.glob("src/*/py.typed")
    assert package.parent.name == project(path)["name"].replace("-", "_")


@each_package
def test_a_package_names_its_pythons_and_systems(path: Path) -> None:
    of, norchs = project(path), project(ROOT / "norch" / "pyproject.toml")
    assert set(of["classifiers"]) - LANGUAGES == set(norchs["classifiers"])
    first, past = map(int, re.findall(r"3\.(\d+)", norchs["requires-python"]))
    wanted = [f"Programming Language :: Python :: 3.{minor}" for minor in range(first, past)]
    assert [word for word in of["classifiers"] if re.search(r":: 3\.\d+$", word)] == wanted
    has_cpp = any(path.parent.glob("csrc/**/*.cpp"))
    assert LANGUAGES.issubset(of["classifiers"]) == has_cpp


@each_package
def test_a_package_has_words_to_be_found_by(path: Path) -> None:
    assert {"PyTorch", "deep learning", "education"} < set(project(path)["keywords"])
    assert project(path)["description"]
    assert (path.parent / project(path)["readme"]).stat().st_size
