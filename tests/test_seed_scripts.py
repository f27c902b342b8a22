"""examples/seeds against the READMEs they come from: what was changed is what the list says.

The READMEs lie beside the repository, in ../shared/seeds; without them this is skipped. Compared is
Python's own rendering of each statement, so quotes, spaces, comments and line breaks do not count,
nor do imports and docstrings.
"""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
READMES = ROOT.parent / "shared" / "seeds"
SCRIPTS = ROOT / "examples" / "seeds"
# Each script: the README, and which of its code blocks the script was made of.
SOURCES = {
    "cupytorch_autograd.py": ("cupytorch", [0]),
    "cupytorch_hand_digits.py": ("cupytorch", [1]),
    "mytorch_relu.py": ("mytorch", [0]),
    "mytorch_basics.py": ("mytorch", [1, 2]),
    "mytorch_mnist.py": ("mytorch", [3]),
    "mytorch_convnet.py": ("mytorch", [4]),
    "mytorch_attention.py": ("mytorch", [5]),
    "mytorch_accelerate.py": ("mytorch", [6]),
    "pynorch_getting_started.py": ("pynorch", [2, 3]),
    "pynorch_train_singlegpu.py": ("pynorch", [4]),
    "pynorch_train_multigpu.py": ("pynorch", [5]),
    "pytortto_quick_start.py": ("pytortto", [1, 2, 3, 4, 5]),
}
LEFT_OUT = {"pytortto": [0, 6, 7], "pynorch": [0, 1, 6]}  # shell commands, a GPU's timing
ARTICLE = ["article_autograd.py", "article_strides.py", "article_train.py"]


def blocks(readme):
    """The code blocks of a README."""
    text = (READMES / f"{readme}_readme.md").read_text(encoding="utf-8")
    return re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def statements(text):
    """Each line of the program as Python renders it; what cannot be parsed, as it stands."""
    broken = []
    while True:
        try:
            tree = ast.parse(text)
            break
        except SyntaxError as error:
            lines = text.splitlines()
            broken.append(lines[error.lineno - 1].strip())
            lines[error.lineno - 1] = ""
            text = "\n".join(lines)
    for node in ast.walk(tree):
        if hasattr(node, "body") and isinstance(node.body, list):
            node.body = [part for part in node.body if counts(part)] or [ast.Pass()]
    lines = [line.strip() for line in ast.unparse(tree).splitlines()] + broken
    return Counter(line for line in lines if line and line != "pass")


def counts(statement):
    """Whether a statement is neither an import nor a docstring."""
    docstring = isinstance(statement, ast.Expr) and isinstance(
        getattr(statement.value, "value", None), str
    )
    return not docstring and not isinstance(statement, ast.Import | ast.ImportFrom)


def changes(script):
    """The list of changed lines: "- " what was there, "+ " what stands there now."""
    readme, numbers = SOURCES[script]
    parts = blocks(readme)
    old = sum((statements(parts[number]) for number in numbers), Counter())
    new = statements((SCRIPTS / script).read_text(encoding="utf-8"))
    return [f"- {line}" for line in (old - new).elements()] + [
        f"+ {line}" for line in (new - old).elements()
    ]


def listed(script):
    """The changed lines that examples/README.md lists for this script."""
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    section = text.partition(f"\n#### `{script}`\n")[2].partition("\n#")[0]
    found = re.findall(r"```diff\n(.*?)```", section, re.DOTALL)
    return "".join(found).splitlines()


@pytest.mark.skipif(not READMES.is_dir(), reason="../shared/seeds is not here")
@pytest.mark.parametrize("script", SOURCES)
def test_the_list_of_changed_lines_is_true(script):
    assert sorted(listed(script)) == sorted(changes(script)), "\n".join(changes(script))


@pytest.mark.skipif(not READMES.is_dir(), reason="../shared/seeds is not here")
def test_every_code_block_has_a_script_or_a_reason():
    for readme in {readme for readme, _ in SOURCES.values()}:
        used = [n for name, numbers in SOURCES.values() if name == readme for n in numbers]
        assert sorted(used + LEFT_OUT.get(readme, [])) == list(range(len(blocks(readme))))


def test_every_script_is_known_and_run_by_a_test():
    runs = (ROOT / "tests" / "test_larger_examples.py").read_text(encoding="utf-8")
    table = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    found = sorted(path.name for path in SCRIPTS.glob("*.py"))
    assert found == sorted([*SOURCES, *ARTICLE])
    for name in found:
        assert f'"seeds/{name}"' in runs and f"`{name}`" in table


def test_a_change_that_is_not_listed_is_noticed(monkeypatch):
    assert statements("a = 'x'  # why\nb = [1,\n 2]") == statements('import c\na = "x"\nb = [1, 2]')
    assert statements("a = 1") != statements("a = 2")
    assert statements('x = f("cuda)\ny = 1') == Counter(['x = f("cuda)', "y = 1"])
