"""Installs into an environment: by uv, or by pip where uv is not wanted or does not get through.

setup_env.py, wheels.py and test_stage.py say what, this file how. Of the caller's settings an
installer sees those that lead to an index (addresses, proxies, certificates), and none that change
what is installed, or where. Where the network fails uv, the system's certificates, its cache and
then pip are tried, and said in one line.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from progress import ROOT, watch
from settings import (
    cache_for_uv,
    environment,
    for_pip,
    for_uv,
    read_pips_files,
    settings_for_uv,
)

UV = "uv==0.13.8"
OWN_UV = Path(sys.executable).parent / "uv"  # beside the Python that runs this program
INSTALL = ["install", "--disable-pip-version-check"]  # pip's words
UV_ALONE = ("--offline", "--reinstall-package=")  # words of ours that pip does not know

UV_UNREACHED = re.compile(r"Failed to (fetch|download)|error sending request|network was disabled")
PIP_UNREACHED = re.compile(r"Retrying \(Retry\((.|\n)*(No matching distribution|OSError: HTTP)")
CAUSES = re.compile(r"^ +(?:cause|Caused by): (.+)$", re.MULTILINE)  # uv's, the last is the root
RETRIED = re.compile(  # pip's, in a line that begins with Retrying
    r"(?:certificate verify|Tunnel connection) failed: [\w -]+\w|timed out|(?<=\] )[A-Z][\w -]+"
)
NO_INDEX = """[setup] the package index cannot be reached: {}.
  Only what is not installed yet needs the network. Connect, or name your index, proxy or
  certificates before make, as in `PIP_CERT=file make next` (PIP_INDEX_URL, HTTPS_PROXY)."""
# Where systems keep the certificates they trust: Debian, Fedora, openSUSE, macOS.
BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)

ways: dict[str, str] = {}  # what was tried where uv did not get through, and why it did not


def installer(python: Path, use_uv: bool) -> list[str]:
    """Return the command that installs: uv from an environment of ours, or plain pip."""
    if use_uv:
        uv = find_uv(python) or fetch_uv(python)
        if uv:
            read_pips_files(python)
            for_uv.update(settings_for_uv())
            for_uv.update(cache_for_uv())
            return [str(uv), "pip", "install", "--python", str(python)]
    add_pip(python)
    return [str(python), "-m", "pip", *INSTALL]


def find_uv(python: Path) -> Path | None:
    """Return the uv of the environment, else the one beside the Python that runs this program."""
    return next((uv for uv in (python.parent / "uv", OWN_UV) if uv.exists()), None)


def fetch_uv(python: Path) -> Path | None:
    """Install uv with the pip of the Python that runs this program: making one costs seconds."""
    outer = [sys.executable, "-m", "pip"]
    if not works([*outer, "--version"]):
        add_pip(python)
        outer = [str(python), "-m", "pip"]
    read_pips_files(python)
    command = [*outer, "--python", str(python), *INSTALL, "--quiet", UV]
    code, said = attempt(command, python, "[setup] fetching uv")
    if code and (reason := unreached_because(said)):
        sys.exit(NO_INDEX.format(reason))
    uv = find_uv(python)
    if not uv:
        why = (said.strip().splitlines() or ["pip did not say why"])[-1]
        how = "installing with pip (slower, same result)"
        print(f"[setup] uv cannot be had ({why}): {how}", flush=True)
    return uv


def add_pip(python: Path) -> None:
    """Put pip into the environment if it is not there, and read its files."""
    if not works([str(python), "-c", "import pip"]):
        run([str(python), "-m", "ensurepip"], python, "[setup] adding pip")
    read_pips_files(python)


def works(command: list[str]) -> bool:
    """Tell whether a quick question is answered with yes."""
    env = environment(Path(command[0]))
    return subprocess.run(command, capture_output=True, env=env, check=False).returncode == 0


def is_uv(command: list[str]) -> bool:
    """Tell whether a command is uv's."""
    return Path(command[0]).name == "uv"


def unreached_because(said: str) -> str:
    """Return why the index could not be reached, or nothing if that is not what went wrong."""
    if UV_UNREACHED.search(said):
        return str((CAUSES.findall(said) or ["no answer"])[-1])
    if PIP_UNREACHED.search(said):
        lines = (line for line in said.splitlines() if "Retrying (Retry(" in line)
        return str((RETRIED.findall("\n".join(lines)) or ["no answer"])[-1])
    return ""


def run(command: list[str], python: Path, what: str) -> None:
    """Run an installer, another way where uv does not get through; stop with what it said."""
    if is_uv(command) and "pip" in ways:
        command = by_pip(command, python)
    code, said = attempt(command, python, what)
    while code and is_uv(command) and (reason := unreached_because(said)):
        command = another_way(command, python, reason)
        code, said = attempt(command, python, what)
    if code and (reason := unreached_because(said)):
        sys.exit(NO_INDEX.format(reason))
    if code:
        print(said, end="", flush=True)
        sys.exit(f"[setup] the installer failed ({code}); `make doctor` tells what is missing")


def attempt(command: list[str], python: Path, what: str) -> tuple[int, str]:
    """Run an installer; pip, which before 24.2 knows its own certificates alone, maybe twice."""
    code, said = watch(command, what, cwd=ROOT, env=environment(python))
    reason = "" if is_uv(command) or not code else unreached_because(said)
    if "certificate" in reason and not environment(python).get("PIP_CERT"):
        named = (os.environ.get("SSL_CERT_FILE", ""), *BUNDLES)
        if bundle := next(filter(os.path.isfile, named), None):
            for_pip["PIP_CERT"] = bundle
            print(f"[setup] pip: {reason}; trying the system's, {bundle}", flush=True)
            code, said = watch(command, what, cwd=ROOT, env=environment(python))
    return code, said


def another_way(command: list[str], python: Path, reason: str) -> list[str]:
    """Return uv's command, told to go another way from now on, or pip's in its place."""
    if "certificate" in reason and "certificates" not in ways:
        ways["certificates"], for_uv["UV_SYSTEM_CERTS"] = reason, "1"
        print(f"[setup] uv: {reason}; trying the system's certificates", flush=True)
    elif "cache" not in ways:  # it may hold all that is wanted
        ways["cache"], for_uv["UV_OFFLINE"] = reason, "1"
    else:
        ways["pip"] = ways["cache"]
        print(f"[setup] uv cannot reach the index ({ways['pip']}): trying pip", flush=True)
        return by_pip(command, python)
    return command


def by_pip(command: list[str], python: Path) -> list[str]:
    """Return what pip is told where uv's command says the same."""
    add_pip(python)
    words = [word for word in command[5:] if not word.startswith(UV_ALONE)]
    return [str(python), "-m", "pip", *INSTALL, *words]
