"""The Pythons that norch supports, and whether the one that runs this is among them.

Their one home is `requires-python` in norch/pyproject.toml. What is compiled wants one of them,
with its headers; the course, its first stage and the tools are Python alone and run on any since
the oldest. find_python.sh runs this on each interpreter it finds, doctor.py and setup_env.py import
it; it runs on Python 3.6, to refuse that in words, and imports the standard library alone.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent / "norch" / "pyproject.toml"
RANGE = re.compile(r'^requires-python = ">=3\.(\d+),<3\.(\d+)"$', re.MULTILINE)


def minors() -> range:
    """Return the supported versions 3.N by their N, the oldest first."""
    ((oldest, beyond),) = RANGE.findall(HOME.read_text(encoding="utf-8"))
    return range(int(oldest), int(beyond))


def in_words() -> str:
    """Return the supported versions as a sentence names them."""
    return f"3.{minors()[0]} to 3.{minors()[-1]}"


def package(part: str) -> str:
    """Return where this system has a part of this very Python: venv, or dev for the headers."""
    name = "python{}.{}".format(*sys.version_info)
    is_systems = sys.base_prefix == "/usr"  # not one of pyenv, uv or conda, or compiled by hand
    if is_systems and shutil.which("apt-cache"):
        install = f"sudo apt install {name}-{part}"
        if apt_has(f"{name}-{part}"):
            return install
        if not apt_has("python3-dev"):  # which every list has: apt knows what is installed alone
            return f"sudo apt update, then {install}"
    elif is_systems and shutil.which("dnf"):
        return f"sudo dnf install {name}" + ("-devel" if part == "dev" else "")
    return f"it comes with {name} wherever that is whole: install it again"


def apt_has(name: str) -> bool:
    """Tell whether apt could install a package, by the lists that it has here."""
    english = dict(os.environ, LC_ALL="C")
    policy = subprocess.Popen(
        ["apt-cache", "policy", name],
        env=english,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        universal_newlines=True,
    )
    return re.search(r"Candidate: \d", policy.communicate()[0]) is not None


def why_not_any(version: "tuple[int, int] | None" = None) -> str:
    """Return why this Python does not run the course, or nothing."""
    version = version or sys.version_info[:2]
    if version < (3, minors()[0]):
        return "is {}.{}, not 3.{} or newer".format(*version, minors()[0])
    try:
        import venv  # noqa: F401

        if not in_venv():
            import ensurepip  # noqa: F401
    except ImportError:
        return "has no venv module: " + package("venv")
    return ""


def why_not(version: "tuple[int, int] | None" = None, include: "Path | None" = None) -> str:
    """Return why norch cannot be compiled for this Python, or nothing."""
    version = version or sys.version_info[:2]
    if version[0] != 3 or version[1] not in minors():
        return "is {}.{}, not {}".format(*version, in_words())
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "is free-threaded, and norch needs the GIL"
    reason = why_not_any(version)
    if not reason and not has_headers(include):
        reason = "has no Python.h: " + package("dev")
    return reason


def in_venv() -> bool:
    """Tell whether this Python is that of an environment which was made already."""
    return sys.prefix != sys.base_prefix


def has_headers(include: "Path | None" = None) -> bool:
    """Tell whether Python.h is there, which stages 2 and 4 are compiled against."""
    return os.path.exists(os.path.join(str(include or sysconfig.get_path("include")), "Python.h"))


def demand() -> None:
    """Stop, in words, where norch cannot be compiled for this Python."""
    reason = why_not()
    if reason:
        mend = (
            f": mend that, or remove {sys.prefix}, and make looks for another" if in_venv() else ""
        )
        sys.exit(f"[setup] norch cannot be compiled for {sys.executable}, which {reason}{mend}")


def main() -> None:
    """Print this interpreter's path if it serves, else the reason; --any: for the course."""
    reason = why_not_any() if "--any" in sys.argv else why_not()
    if reason:
        sys.exit(reason)
    print(sys.executable)


if __name__ == "__main__":
    main()
