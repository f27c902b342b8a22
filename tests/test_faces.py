"""norch's modules are what norch/names.txt says, and a list that cannot be meant is refused.

What is planted is planted in a copy: of the list, or of norch's folder beside the stages.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import write_faces
from write_faces import FaceError, faces, read_list

ROOT = Path(__file__).resolve().parent.parent
AMP = "    from norch_nn.amp\n"


def planted(folder: Path, old: str, new: str) -> Path:
    """Return a copy of the list in which one place is written otherwise."""
    text = write_faces.LIST.read_text()
    assert text.count(old) == 1, old
    (folder / "names.txt").write_text(text.replace(old, new))
    return folder / "names.txt"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (AMP, f"{AMP}    planted\n", "norch.amp.planted: not in norch_nn.amp; nothing makes it"),
        (AMP, "", "norch.amp.autocast: no `from` above it; made in "),
        (
            "    from norch_autograd.types.generator\n",
            "    from norch_autograd.types\n",
            "norch.random.fork_rng: not in norch_autograd.types; "
            "made in norch_autograd.types.generator",
        ),
        (
            "    softmax=norch_autograd.softmax\n",
            "    softmax\n",
            "norch.softmax: several have one of their own, say which: "
            "softmax=norch_autograd.softmax, or softmax=norch_nn.functional.softmax",
        ),
        (
            "    softmax=norch_autograd.softmax\n",
            "    softmax=norch_autograd.ops.nn.planted.softmax\n",
            "norch.softmax: there is no norch_autograd.ops.nn.planted.softmax; made in ",
        ),
        (
            AMP,
            "    from norch_nn.amp norch_nn.init\n",
            "norch.amp: nothing comes from norch_nn.init",
        ),
        ("    cuda\n    hip\n", "    cuda\n    hip\n    planted\n", "has no planted"),
        ("    abs\n", "    abs\n    abs\n", "norch.abs stands twice"),
        ("\nnorch.amp: ", "\nnorch.linalg: ", "norch.linalg has two sections"),
        ("\nnorch.ao.nn: ", "\nnorch.ao.planted: ", "needs a section norch.ao.nn above it"),
        ("\nnorch.amp: Mixed precision.", "\nnorch.amp", "not with `norch.amp`"),
        (AMP, f"{AMP}    - planted\n", "norch.amp: write `- reason: names`, not `- planted`"),
    ],
)
def test_a_list_that_cannot_be_meant_is_refused(tmp_path, old, new, message) -> None:
    with pytest.raises(FaceError) as raised:
        faces(read_list(planted(tmp_path, old, new)))
    assert message in str(raised.value)


def test_all_that_is_wrong_is_said_at_once(tmp_path) -> None:
    path = planted(tmp_path, AMP, f"{AMP}    planted also_planted\n")
    with pytest.raises(FaceError) as raised:
        faces(read_list(path))
    first, *others = str(raised.value).splitlines()
    assert first.startswith("[faces]") and len(others) == 2


def test_a_written_file_is_what_a_person_would_write() -> None:
    written = faces(read_list())
    assert written[Path("norch/nn/modules/loss.py")] == (
        f'{write_faces.MARK}"""Losses, under PyTorch\'s longer name."""\n\n'
        "from norch_extras.nn import KLDivLoss as KLDivLoss\n"
        "from norch_nn import (\n"
        "    BCELoss as BCELoss,\n"
        "    BCEWithLogitsLoss as BCEWithLogitsLoss,\n"
        "    CrossEntropyLoss as CrossEntropyLoss,\n"
        "    L1Loss as L1Loss,\n"
        "    MSELoss as MSELoss,\n"
        "    NLLLoss as NLLLoss,\n"
        "    SmoothL1Loss as SmoothL1Loss,\n"
        ")\n"
        "from norch_nn.modules.loss import Loss as _Loss, WeightedLoss as _WeightedLoss\n\n"
        "# fmt: off\n"
        "__all__ = [\n"
        '    "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "KLDivLoss", "L1Loss", '
        '"MSELoss", "NLLLoss",\n'
        '    "SmoothL1Loss", "_Loss", "_WeightedLoss",\n'
        "]\n"
    )
    assert "from norch import (\n    amp as amp,\n" in written[Path("norch/__init__.py")]


def test_reading_imports_nothing_of_ours() -> None:
    code = "import sys, write_faces as w; w.faces(w.read_list()); print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append('norch'); {code}"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert not [name for name in result.stdout.split() if name.startswith("norch")]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of norch's folder, beside the stages."""
    for name in ("stages", "extras"):
        if (ROOT / name).exists():
            (tmp_path / name).symlink_to(ROOT / name)
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(ROOT / "norch", tmp_path / "norch", ignore=ignored))


def run(folder: Path, *words: str) -> str:
    """Run write_faces.py in a copy; return what it says, nothing if all is well."""
    command = [sys.executable, "-I", folder / "write_faces.py", *words]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == (1 if result.stderr else 0)
    return result.stderr


def test_the_files_of_this_tree_are_as_the_list_says() -> None:
    assert run(ROOT / "norch", "--check") == ""


def test_what_differs_is_said_and_written_anew(copy: Path) -> None:
    changed, lost, old = (copy / "src/norch" / name for name in ("amp.py", "hub.py", "old.py"))
    text = changed.read_text()
    old.write_text(text)
    changed.write_text(text + "\nplanted = 1\n")
    lost.unlink()
    said = run(copy, "--check")
    assert said.split()[-3:] == [f"norch/src/norch/{one.name}" for one in (changed, lost, old)]
    assert run(copy) == run(copy, "--check") == ""
    assert changed.read_text() == text and lost.exists() and not old.exists()


def test_a_file_by_hand_is_never_written_over(copy: Path) -> None:
    mine = copy / "src" / "norch" / "amp.py"
    mine.write_text("mine = 1\n")
    assert "is by hand: list norch.amp as `(by hand)`, or remove it" in run(copy)
    assert mine.read_text() == "mine = 1\n"


def test_git_keeps_the_files_by_hand_and_no_other() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: which files are tracked is unknown")
    listing = ["git", "ls-files", "norch/src/norch/*.py"]
    result = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True)
    hand = [name for name, one in read_list().items() if one.text == write_faces.BY_HAND]
    names = [Path(line).relative_to("norch/src").with_suffix("") for line in result.stdout.split()]
    assert sorted(".".join(one.parts).removesuffix(".__init__") for one in names) == sorted(hand)


def test_type_checkers_see_what_is_gathered(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy comes with the lint tools: `make lint` installs them")
    file = tmp_path / "user.py"
    file.write_text(
        "import norch\n"
        "x: norch.dtype = norch.float32\n"
        "reveal_type(norch.ones(2).erfinv())\n"
        "reveal_type(norch.ones(2) == 1)\n"
        "reveal_type(norch.nn.Linear(2, 1)(norch.ones(2)))\n"
        "norch.nn.Linear(2, 1)(3)  # a number: forward says that it takes a tensor\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", file]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    seen = [line.partition(": ")[2] for line in result.stdout.splitlines() if "user.py:" in line]
    assert seen[:3] == ['note: Revealed type is "norch_autograd.tensor.tensor.Tensor"'] * 3
    assert len(seen) == 4 and seen[3].startswith("error: Argument 1"), result.stdout
