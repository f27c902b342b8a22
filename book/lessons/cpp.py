"""Compiles `primer.cpp` and runs one of its functions: the page about C++ shows what ran."""

import os
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

SOURCE = Path(__file__).with_name("primer.cpp")


@cache
def build() -> TemporaryDirectory[str]:
    """Compile the program, once; its folder goes when Python ends."""
    folder = TemporaryDirectory()
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, "-std=c++17", SOURCE, "-o", Path(folder.name, "primer")], check=True)
    return folder


def run(name: str) -> None:
    """Run a function of `primer.cpp` and print what it prints."""
    program = Path(build().name, "primer")
    print(
        subprocess.run([program, name], check=True, text=True, capture_output=True).stdout, end=""
    )
