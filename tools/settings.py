"""What an installer learns of its caller: the ways to an index, and nothing that leads astray.

Kept are addresses, proxies, certificates, caches and patience, from variables and from the files
of pip and uv, which are read here and then by neither. Left out is what changes what is installed,
or where: `PIP_USER`, `UV_CONSTRAINT`, `PYTHONPATH`, a pip.conf with `target`, and their like. uv,
which does not read pip's settings, is told those that it knows by another name.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from progress import ROOT

# The settings of pip and uv that stay; the others say what to install, or where.
KEPT = re.compile(
    r"PIP_(INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|TRUSTED_HOST|PROXY|CERT|CLIENT_CERT"
    r"|USE_DEPRECATED|USE_FEATURE|KEYRING_PROVIDER|CONFIG_FILE|CACHE_DIR|NO_CACHE_DIR|RETRIES"
    r"|TIMEOUT|DEFAULT_TIMEOUT)"
    r"|UV_(INDEX\w*|DEFAULT_INDEX|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|INSECURE_HOST|NATIVE_TLS"
    r"|SYSTEM_CERTS|KEYRING_PROVIDER|CACHE_DIR|NO_CACHE|LINK_MODE|OFFLINE"
    r"|HTTP_\w+|REQUEST_TIMEOUT|CONCURRENT_\w+)"
)
# What uv calls pip's settings.
OF_PIP = {
    "PIP_INDEX_URL": "UV_DEFAULT_INDEX",
    "PIP_TRUSTED_HOST": "UV_INSECURE_HOST",
    "PIP_CERT": "SSL_CERT_FILE",
    "PIP_PROXY": "ALL_PROXY",
}
# The settings of uv's files whose variable has another name.
OF_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "allow-insecure-host": "UV_INSECURE_HOST",
    "http-proxy": "HTTP_PROXY",
    "https-proxy": "HTTPS_PROXY",
    "no-proxy": "NO_PROXY",
}
CONFIGURED = re.compile(r"^(?:global|install)\.(\S+?)=(.+)$", re.MULTILINE)

# What pip and uv are told beside what their caller's variables say.
for_pip: dict[str, str] = {}
for_uv: dict[str, str] = {}


def environment(python: Path) -> dict[str, str]:
    """Return the variables of an installer: the environment's tools on the path, nothing astray."""
    astray = ("PIP_", "UV_", "PYTHON")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(astray) or KEPT.fullmatch(k)}
    # pip's files may say otherwise while they are read; a question of its would not be seen.
    kept |= {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_NO_INPUT": "1"}
    kept |= {"UV_NO_CONFIG": "1", "VIRTUAL_ENV": str(python.parent.parent)}
    path = f"{python.parent}{os.pathsep}{kept.get('PATH', '')}"
    return {**kept, **for_pip, **for_uv, "PATH": path}


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


def read_pips_files(python: Path) -> None:
    """Take from pip's files what leads to an index, once; from then on pip reads none of them."""
    for one in dict.fromkeys((str(python), sys.executable)):
        if for_pip:
            return
        command = [one, "-m", "pip", "config", "list"]
        listing = subprocess.run(
            command, capture_output=True, text=True, env=environment(python), check=False
        )
        if listing.returncode == 0:
            for setting, value in CONFIGURED.findall(listing.stdout):
                name = variable("PIP", setting)
                if KEPT.fullmatch(name) and not os.environ.get(name):
                    for_pip[name] = ast.literal_eval(value)
            for_pip["PIP_CONFIG_FILE"] = os.devnull


def settings_for_uv() -> dict[str, str]:
    """Return by uv's names what pip's settings and uv's files say, where no variable does."""
    of_pip = {"PIP_CERT": os.environ.get("REQUESTS_CA_BUNDLE", ""), **os.environ, **for_pip}
    found = {name: of_pip.get(setting, "") for setting, name in OF_PIP.items()}
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    named = os.environ.get("UV_CONFIG_FILE")
    for file in [named] if named else ["/etc/uv/uv.toml", f"{home}/uv/uv.toml"]:
        if Path(file).is_file():
            found |= settings_of_file(Path(file))
    return {name: value for name, value in found.items() if value and not os.environ.get(name)}


def settings_of_file(file: Path) -> dict[str, str]:
    """Return as variables what one of uv's files says of the way to an index."""
    try:
        said = tomllib.loads(file.read_text())
    except (OSError, ValueError) as error:
        print(f"[setup] {file} cannot be read ({error}): it is left out", flush=True)
        return {}
    found: dict[str, str] = {}
    for setting, value in {**said, **said.get("pip", {})}.items():
        name = OF_UV.get(setting) or variable("UV", setting)
        if setting == "index":
            found |= indexes(value)
        elif setting in OF_UV or KEPT.fullmatch(name):
            space = "," if setting == "find-links" else " "
            found[name] = space.join(value) if isinstance(value, list) else str(value)
    return found


def indexes(tables: list[dict[str, Any]]) -> dict[str, str]:
    """Return as variables the tables [[index]] of one of uv's files."""
    usual = [one for one in tables if not one.get("explicit")]
    words = [f"{one['name']}={one['url']}" if "name" in one else one["url"] for one in usual]
    others = [word for word, one in zip(words, usual, strict=True) if not one.get("default")]
    default = [word for word, one in zip(words, usual, strict=True) if one.get("default")]
    found = {"UV_INDEX": " ".join(others), "UV_DEFAULT_INDEX": "".join(default[:1])}
    return {name: value for name, value in found.items() if value}


def variable(prefix: str, setting: str) -> str:
    """Return the name of the variable that says the same as a setting of a file."""
    return f"{prefix}_{setting.upper().replace('-', '_')}"
