"""What an installer learns of its caller: the ways to an index, and nothing that leads astray.

Kept are addresses, proxies, certificates, caches and patience. Left out is what changes what is
installed, or where: `PIP_USER`, `PIP_TARGET`, `UV_CONSTRAINT`, `UV_SYSTEM_PYTHON`, `PYTHONPATH` and
their like. uv, which does not read pip's settings, is told those that it knows by another name.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from progress import ROOT

# The settings of pip and uv that stay; the others say what to install, or where.
KEPT = re.compile(
    r"PIP_(INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|TRUSTED_HOST|PROXY|CERT|CLIENT_CERT"
    r"|USE_DEPRECATED|KEYRING_PROVIDER|CONFIG_FILE|CACHE_DIR|NO_CACHE_DIR|RETRIES"
    r"|TIMEOUT|DEFAULT_TIMEOUT)"
    r"|UV_(INDEX\w*|DEFAULT_INDEX|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|INSECURE_HOST|NATIVE_TLS"
    r"|SYSTEM_CERTS|KEYRING_PROVIDER|CONFIG_FILE|CACHE_DIR|NO_CACHE|LINK_MODE|OFFLINE"
    r"|HTTP_\w+|REQUEST_TIMEOUT|CONCURRENT_\w+)"
)
# What uv calls pip's settings, which may stand in pip's files too.
OF_PIP = {
    "index-url": "UV_DEFAULT_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}
CONFIGURED = re.compile(r"^(?:global|install|:env:)\.(\S+?)=(.+)$", re.MULTILINE)

for_uv: dict[str, str] = {}  # what uv is told beside what its caller says


def environment(python: Path) -> dict[str, str]:
    """Return the variables of an installer: the environment's tools on the path, nothing astray."""
    astray = ("PIP_", "UV_", "PYTHON")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(astray) or KEPT.fullmatch(k)}
    # pip's files may say otherwise; a question of its would not be seen.
    kept |= {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_NO_INPUT": "1"}
    path = f"{python.parent}{os.pathsep}{kept.get('PATH', '')}"
    return {**kept, **for_uv, "VIRTUAL_ENV": str(python.parent.parent), "PATH": path}


def cache_for_uv() -> dict[str, str]:
    """Return where uv's cache goes if its usual place cannot be written: HOME may be read-only."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    usual = Path(os.environ.get("UV_CACHE_DIR") or Path(caches) / "uv")
    try:
        usual.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=usual).close()
    except OSError as error:
        ours = ROOT / "build" / "uv-cache"
        print(f"[setup] {usual} cannot be written ({error.strerror}): downloads go to {ours}")
        return {"UV_CACHE_DIR": str(ours)}
    return {}


def settings_of_pip(python: Path) -> dict[str, str]:
    """Return pip's index, proxy and certificates by uv's names, where uv was not told its own."""
    found = {"cert": os.environ.get("REQUESTS_CA_BUNDLE")}
    for one in dict.fromkeys((str(python), sys.executable)):
        command = [one, "-m", "pip", "config", "list"]
        listing = subprocess.run(
            command, capture_output=True, text=True, env=environment(python), check=False
        )
        lines = CONFIGURED.findall(listing.stdout)
        found.update((name, ast.literal_eval(value)) for name, value in lines)
        if listing.returncode == 0:
            break
    named = {OF_PIP[name]: value for name, value in found.items() if name in OF_PIP and value}
    return {name: value for name, value in named.items() if not os.environ.get(name)}
