"""The time of the notebooks is added up and shown, with a word where it is too much."""

import subprocess
import sys

import pytest
from prose import BOOK

NOTEBOOK = """{"cells": [{"cell_type": "code", "id": "a", "execution_count": 1, "metadata": {},
"outputs": [{"name": "stdout", "output_type": "stream", "text": ["2\\n"]}],
"source": ["print(2)"]}],
"metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
"nbformat": 4, "nbformat_minor": 5}"""


@pytest.mark.parametrize(("limit", "verdict"), [("300", "ok"), ("0", "too long")])
def test_notebooks_that_take_too_long_are_told(tmp_path, limit, verdict):
    text = (BOOK / "conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(text.replace("LIMIT = 300", f"LIMIT = {limit}"), "utf-8")
    (tmp_path / "page.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env", "page.ipynb"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,  # ends only a hang
        check=False,
    )
    assert f"s  of at most {limit} s: {verdict}" in run.stdout, run.stdout
    assert "1 passed" in run.stdout
    assert run.returncode == 0  # a busy machine takes longer, and nothing is wrong
