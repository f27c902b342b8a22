"""Every place that names the supported Pythons agrees with their one home, norch/pyproject.toml.

All files of the repository are read. A line that speaks of Python and names versions must name the
whole range, or one version in it: "3.11 to 3.15", "3.11, 3.12, ...", `<3.16`, `cp311-*`,
`(3, 11)`. What only tells of something tried or measured stands in TOLD, with its reason.
"""

import re
import subprocess
from pathlib import Path

import pytest
from pythons import MINORS, NEWEST, OLDEST

ROOT = Path(__file__).resolve().parent.parent
RANGE = f">=3.{OLDEST},<3.{NEWEST + 1}"
ABOUT_PYTHON = re.compile(r"python|\bcp3|\bpy3|PY_VERSION|version_info", re.IGNORECASE)
NAMED = re.compile(
    r"(?<![\d.,])3\.(\d\d)(?![\d%])(?:\.\d+)?"  # 3.11, 3.11.7
    r"|\b(?:cp|py)3(\d\d)\b"  # cp311, py311
    r"|\(3, (\d\d)\)"  # version_info's
    r"|0x03([01][0-9A-F])[0-9A-F]{4}"  # PY_VERSION_HEX's
)
BEYOND = re.compile(r"<|VERSION_GREATER_EQUAL|>= 0x")  # what is said of the first that is too new

# Files whose versions are of something else, and why.
TOLD = {
    "docs/decisions.md": "history",
    "docs/reliability.md": "history",
    "docs/CHANGELOG.md": "history",
    "benchmarks/": "what was measured, with which Python",
    "examples/README.md": "what was measured, with which Python",
    "book/live/": "the versions that Pyodide has",
    "tests/test_find_python.py": "Pythons that a made-up machine has",
    "tests/test_install.py": "what a real uv said",
    "tests/test_versions.py": "the forms that are looked for",
}


def files(*patterns: str) -> list[str]:
    """Return the files of the repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()


def text_of(name: str) -> str:
    try:
        return (ROOT / name).read_text(encoding="utf-8")
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return ""


def promises(name: str) -> str:
    """Return the text of a file but for what tells of tries: the last section of the README."""
    return text_of(name).partition("\n## Where it stands\n")[0]


def named(line: str) -> list[int]:
    """Return the N of each 3.N of Python that a line names."""
    if not ABOUT_PYTHON.search(line):
        return []
    found = []
    for dotted, tag, pair, hexadecimal in NAMED.findall(line):
        found.append(int(hexadecimal, 16) if hexadecimal else int(dotted or tag or pair))
    return found


def complaint(line: str) -> str:
    """Return what is wrong with a line, or nothing."""
    minors = named(line)
    if re.search(r"3\.\d+ (or newer|and later|and newer)|\b3\.\d+\+", line):
        return "" if min(minors, default=OLDEST) == OLDEST else "not the oldest"
    last = NEWEST + 1 if BEYOND.search(line) else NEWEST
    if not set(minors) <= {*MINORS, last}:
        return "outside the range"
    is_range = len(set(minors)) > 1 or (line.startswith("requires-python") and "<" in line)
    if is_range and (min(minors), max(minors)) != (OLDEST, last):
        return "not the whole range"
    is_list = len(set(minors)) > 2
    return "not every version" if is_list and sorted(set(minors)) != MINORS else ""


def exempt(name: str) -> bool:
    """Tell whether a file's versions are of something else."""
    return name.startswith(tuple(TOLD)) or name.endswith((".ipynb", ".svg", ".json", ".cu"))


def test_every_line_that_names_the_supported_pythons_agrees() -> None:
    wrong = []
    for name in files():
        if not exempt(name):
            lines = enumerate(promises(name).splitlines(), 1)
            wrong += [f"{name}:{n}: {why}: {line}" for n, line in lines if (why := complaint(line))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"Python 3.{OLDEST} to 3.{NEWEST}", ""),
        (f"Python 3.{OLDEST} to 3.{NEWEST - 1}", "not the whole range"),
        (f"Python 3.{OLDEST - 1} to 3.{NEWEST}", "outside the range"),
        (f"Python 3.{NEWEST}", ""),
        (f"Python 3.{NEWEST + 1}", "outside the range"),
        ("Python " + ", ".join(f"3.{minor}" for minor in MINORS), ""),
        (f"Python 3.{OLDEST}, 3.{OLDEST + 1} and 3.{NEWEST}", "not every version"),
        (f"Python 3.{OLDEST} or newer", ""),
        (f"Python 3.{OLDEST + 1} or newer", "not the oldest"),
        (f'requires-python = "{RANGE}"', ""),
        (f'requires-python = ">=3.{OLDEST},<3.{NEWEST}"', "not the whole range"),
        (f'build = "cp3{OLDEST}-* cp3{NEWEST - 1}-*"', "not the whole range"),
        (f"PY_VERSION_HEX < 0x03{OLDEST:02X}0000 || >= 0x03{NEWEST + 1:02X}0000", ""),
        (f"PY_VERSION < 0x03{OLDEST:02X}0000 || >= 0x03{NEWEST:02X}0000", "not the whole range"),
        ("exercises 3.10 and 3.11", ""),
    ],
)  # fmt: skip
def test_a_line_is_read_as_a_person_reads_it(line: str, why: str) -> None:
    assert complaint(line) == why


def values(name: str, pattern: str) -> set[int]:
    """Return the N of all versions that a pattern finds in a file."""
    return {int(minor) for minor in re.findall(pattern, text_of(name))}


def test_all_packages_want_the_same_pythons() -> None:
    found = {name: text_of(name) for name in files("*/pyproject.toml") if "norch" in text_of(name)}
    assert len(found) == 9
    wanted = {name: f">=3.{OLDEST}" if "stages/01" in name else RANGE for name in found}
    others = [
        f"{name}: not {wanted[name]}"
        for name, text in found.items()
        if f'\nrequires-python = "{wanted[name]}"' not in text
    ]
    assert not others, "\n".join(others)


def unlike_all(found: dict[str, set[int]]) -> str:
    """Return a line for each file that names not all supported Pythons, or others."""
    lines = (f"{name}: {sorted(set(MINORS) ^ minors)}" for name, minors in found.items())
    return "\n".join(line for line in lines if not line.endswith(": []"))


def test_each_file_that_does_not_name_them_all_is_told() -> None:
    wrong = {"a.toml": {*MINORS[1:]}, "b.toml": {*MINORS}, "c.toml": {*MINORS, NEWEST + 1}}
    assert unlike_all(wrong) == f"a.toml: [{OLDEST}]\nc.toml: [{NEWEST + 1}]"


def test_classifiers_name_them_all_or_none() -> None:
    named = {name: values(name, r"Python :: 3\.(\d+)") for name in files("*pyproject.toml")}
    assert not unlike_all({name: minors for name, minors in named.items() if minors})


def test_wheels_are_built_for_all() -> None:
    assert values("pyproject.toml", r"\bcp3(\d+)-\*") == set(MINORS)
    assert values("pyproject.toml", r'(?:target-version = "py3|python_version = "3\.)(\d+)"') == {
        OLDEST
    }


def test_workflows_try_all() -> None:
    tried = {}
    for name in (".github/workflows/test.yml", ".github/workflows/wheels.yml"):
        tried[name] = values(name, r'\bpython: "3\.(\d+)"')
        for listed in re.findall(r"\bpython: \[(.*)\]", text_of(name)):
            tried[name] |= {int(minor) for minor in re.findall(r"3\.(\d+)", listed)}
    assert not unlike_all(tried)
