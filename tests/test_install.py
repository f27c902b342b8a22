"""The installers: which of them installs, what they learn of their caller, and what is tried and
said where the package index does not answer.

uv and pip are small programs of the tests, which write down how they were called and say what the
real ones said: uv 0.13.8, pip 23.2 and 26.3.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

UV_SAID = """\
Using Python 3.11.7 environment at: .venv
error: Failed to fetch: https://index/simple/tqdm/
  cause: error sending request for url (https://index/simple/tqdm/)
  cause: client error (Connect)
  cause: {}
"""
UV_OFFLINE = """\
error: No solution found when resolving dependencies
  cause: Because tqdm was not found in the cache and you require tqdm, we can conclude that ...

hint: Packages were unavailable because the network was disabled. When the network is disabled, ...
"""
PIP_SAID = """\
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after \
connection broken by {}: /simple/tqdm/
ERROR: Could not find a version that satisfies the requirement tqdm (from versions: none)
ERROR: No matching distribution found for tqdm
"""
UNKNOWN = "invalid peer certificate: UnknownIssuer"
RESOLVING = "failed to lookup address information: Name or service not known"
REFUSED = (
    "'NewConnectionError(\"HTTPSConnection(host='pypi.org', port=443): Failed to establish a new "
    "connection: [Errno 111] Connection refused\")'"
)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import install
    import settings

    monkeypatch.setattr(install, "ways", {})
    known = (settings.for_uv, settings.for_pip)
    for told in known:
        told.clear()
    yield install
    for told in known:
        told.clear()


@pytest.fixture
def no_settings(monkeypatch, tmp_path: Path) -> None:
    """A caller without settings; uv's files are read from the test's folder alone."""
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    (tmp_path / "uv.toml").touch()
    monkeypatch.setenv("UV_CONFIG_FILE", str(tmp_path / "uv.toml"))


class Tools:
    """A uv and a Python with pip; each says and does what a test gives it as lines of sh."""

    def __init__(self, folder: Path) -> None:
        self.said, self.bin = folder / "said", folder / "bin"
        self.bin.mkdir()

    def write(self, name: str, text: str) -> Path:
        path = self.bin / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>{self.said}\n{text}\n')
        path.chmod(0o755)
        return path

    def calls(self, word: str = " install ") -> list[str]:
        return [line for line in self.said.read_text().splitlines() if word in line]


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


def say(text: str) -> str:
    return f"cat <<'END'\n{text}END\nexit 2"


def uv_command(tools: Tools, text: str) -> list[str]:
    return [str(tools.write("uv", text)), "pip", "install", "--python", str(tools.bin / "python")]


def pip_program(folder: Path, said: Path, works: bool) -> Path:
    """Write a Python that has pip or not, and whose installing brings the environment a uv."""
    python = folder / "python"
    has_pip = "exit 0" if works else "exit 1"
    python.write_text(f"""#!/bin/sh
echo "$(basename $(dirname $0)) $*" >>{said}
case "$*" in *--version*|*"import pip"*) {has_pip};; *uv==*) touch {folder.parent}/bin/uv;; esac
""")
    python.chmod(0o755)
    return python


@pytest.mark.parametrize("has_pip", [True, False])
def test_uv_comes_by_a_pip_that_is_there_already(
    install, monkeypatch, tmp_path: Path, has_pip: bool
) -> None:
    outer, inner, said = tmp_path / "outer", tmp_path / "bin", tmp_path / "said"
    outer.mkdir()
    inner.mkdir()
    monkeypatch.setattr(sys, "executable", str(pip_program(outer, said, has_pip)))
    monkeypatch.setattr(install, "OWN_UV", tmp_path / "no-uv")
    python = pip_program(inner, said, works=False)
    assert install.installer(python, use_uv=True)[0] == str(inner / "uv")
    words = said.read_text()
    assert f"{'outer' if has_pip else 'bin'} -m pip --python {python} install" in words
    assert ("bin -m ensurepip" in words) is not has_pip


def test_plain_pip_is_added_where_it_is_missing(install, tmp_path: Path) -> None:
    said = tmp_path / "said"
    (tmp_path / "bin").mkdir()
    python = pip_program(tmp_path / "bin", said, works=False)
    command = install.installer(python, use_uv=False)
    assert command[:4] == [str(python), "-m", "pip", "install"]
    assert "bin -m ensurepip" in said.read_text()


def test_a_failing_installer_says_what_it_said_and_the_way_out(install, capsys) -> None:
    command = [sys.executable, "-c", "print('why'); exit(3)"]
    with pytest.raises(SystemExit, match=r"failed \(3\); `make doctor` tells what is missing"):
        install.run(command, Path(sys.executable), "it")
    assert capsys.readouterr().out == "why\n"


def test_the_systems_certificates_are_tried_where_a_proxy_inspects(install, tools, capsys) -> None:
    command = uv_command(tools, f'[ "$UV_SYSTEM_CERTS" ] && exit 0\n{say(UV_SAID.format(UNKNOWN))}')
    for _ in range(2):
        install.run([*command, "tqdm"], tools.bin / "python", "it")
    assert len(tools.calls()) == 3  # the second time it is known
    assert capsys.readouterr().out == f"[setup] uv: {UNKNOWN}; trying the system's certificates\n"


def test_what_uv_has_is_taken_without_a_network(install, tools, capsys) -> None:
    command = uv_command(tools, f'[ "$UV_OFFLINE" ] && exit 0\n{say(UV_SAID.format(RESOLVING))}')
    install.run([*command, "tqdm"], tools.bin / "python", "it")
    assert len(tools.calls()) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("reason", "lines"), [(UNKNOWN, 2), (RESOLVING, 1)])
def test_pip_goes_on_where_uv_does_not_get_through(
    install, tools, capsys, reason: str, lines: int
) -> None:
    offline = f'[ "$UV_OFFLINE" ] && {{\n{say(UV_OFFLINE)}\n}}'
    command = uv_command(tools, f"{offline}\n{say(UV_SAID.format(reason))}")
    python = tools.write("python", "exit 0")
    options = ["--no-build-isolation", "--offline", "--reinstall-package=norch-autograd", "-e"]
    for _ in range(2):
        install.run([*command, *options, "./norch"], python, "it")
    assert len(tools.calls("uv pip")) == lines + 1
    wanted = "install --disable-pip-version-check --no-build-isolation -e ./norch"
    assert tools.calls("pip install --dis") == [f"python -m pip {wanted}"] * 2
    said = capsys.readouterr().out.splitlines()
    assert len(said) == lines
    assert said[-1] == f"[setup] uv cannot reach the index ({reason}): trying pip"


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (REFUSED, "Connection refused"),
        (
            "'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: "
            "Failed to establish a new connection: [Errno -2] Name or service not known')'",
            "Name or service not known",
        ),
        (
            "'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate "
            "verify failed: self-signed certificate (_ssl.c:1006)'))'",
            "certificate verify failed: self-signed certificate",
        ),
        (
            "'ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407 Proxy "
            "Authentication Required'))'",
            "Tunnel connection failed: 407 Proxy Authentication Required",
        ),
        (
            "'ConnectTimeoutError(<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>, "
            "'Connection to pypi.org timed out. (connect timeout=15)')'",
            "timed out",
        ),
    ],
)
def test_offline_is_one_sentence(
    install, no_settings, monkeypatch, tools, capsys, broken: str, reason: str
) -> None:
    monkeypatch.setattr(install, "BUNDLES", ())
    python = tools.write("python", say(PIP_SAID.format(broken)))
    with pytest.raises(SystemExit) as stop:
        install.run([str(python), "-m", "pip", "install", "tqdm"], python, "it")
    assert str(stop.value).startswith(f"[setup] the package index cannot be reached: {reason}.\n")
    assert capsys.readouterr().out == ""


UNVERIFIED = (
    "'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify "
    "failed: unable to get local issuer certificate (_ssl.c:1006)'))'"
)


@pytest.mark.parametrize("goal", ["fetching uv", "installing"])
def test_pip_tries_the_systems_certificates_once(
    install, no_settings, monkeypatch, tools, tmp_path: Path, capsys, goal: str
) -> None:
    bundle, python = tmp_path / "bundle.crt", tools.bin / "python"
    bundle.touch()
    monkeypatch.setattr(install, "BUNDLES", (str(tmp_path / "none"), str(bundle)))
    monkeypatch.setattr(install, "OWN_UV", tools.bin / "no-uv")
    monkeypatch.setattr(sys, "executable", str(python))
    trusting = f'[ "$PIP_CERT" = {bundle} ] && {{ touch {tools.bin}/uv; exit 0; }}'
    refusing = f"{trusting}\n{say(PIP_SAID.format(UNVERIFIED))}"
    tools.write("python", f'case "$*" in *" install "*) ;; *) exit 0;; esac\n{refusing}')
    for _ in range(2):
        if goal == "fetching uv":
            assert install.installer(python, use_uv=True)[0] == str(tools.bin / "uv")
        else:
            install.run([str(python), "-m", "pip", "install", "tqdm"], python, "it")
    assert len(tools.calls()) == (2 if goal == "fetching uv" else 3)  # then it is known
    why = "certificate verify failed: unable to get local issuer certificate"
    assert capsys.readouterr().out == f"[setup] pip: {why}; trying the system's, {bundle}\n"


@pytest.mark.parametrize("named", ["/own.crt", ""])
def test_a_certificate_that_nothing_here_knows_is_told_how_to_be_named(
    install, no_settings, monkeypatch, tools, named: str
) -> None:
    monkeypatch.setattr(install, "BUNDLES", ("/dev/null/none",) if not named else (__file__,))
    monkeypatch.setenv("PIP_CERT", named)
    python = tools.write("python", say(PIP_SAID.format(UNVERIFIED)))
    with pytest.raises(SystemExit, match=r"issuer certificate\.\n(.|\n)*`PIP_CERT=file make next`"):
        install.run([str(python), "-m", "pip", "install", "tqdm"], python, "it")
    assert len(tools.calls()) == 1


def test_offline_is_said_before_uv_is_there(install, monkeypatch, tools, capsys) -> None:
    broken = say(PIP_SAID.format(REFUSED))
    python = tools.write("python", f'case "$*" in *--version*) exit 0;; esac\n{broken}')
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(install, "OWN_UV", tools.bin / "no-uv")
    with pytest.raises(SystemExit, match="index cannot be reached: Connection refused"):
        install.installer(python, use_uv=True)
    assert capsys.readouterr().out == ""


def test_an_error_of_the_compiler_is_no_network_that_fails(install, tools, capsys) -> None:
    error = "ERROR: Failed building editable for norch-cpu-ops\n"
    command = uv_command(tools, say(error))
    with pytest.raises(SystemExit, match=r"the installer failed \(2\)"):
        install.run(command, tools.bin / "python", "it")
    assert len(tools.calls()) == 1
    assert capsys.readouterr().out == error


@pytest.mark.parametrize(
    ("name", "stays"),
    [
        ("PIP_TARGET", False),
        ("PIP_PREFIX", False),
        ("PIP_CONSTRAINT", False),
        ("PIP_NO_BINARY", False),
        ("UV_CONSTRAINT", False),
        ("UV_OVERRIDE", False),
        ("UV_PROJECT", False),
        ("UV_PROJECT_ENVIRONMENT", False),
        ("UV_SYSTEM_PYTHON", False),
        ("UV_RESOLUTION", False),
        ("PYTHONPATH", False),
        ("PYTHONHOME", False),
        ("PYTHONWARNINGS", False),
        ("PIP_INDEX_URL", True),
        ("PIP_EXTRA_INDEX_URL", True),
        ("PIP_CERT", True),
        ("PIP_PROXY", True),
        ("PIP_TRUSTED_HOST", True),
        ("PIP_USE_FEATURE", True),
        ("PIP_CONFIG_FILE", True),  # until it is read
        ("UV_CONFIG_FILE", False),
        ("UV_INDEX_URL", True),
        ("UV_INDEX_COMPANY_PASSWORD", True),
        ("UV_SYSTEM_CERTS", True),
        ("UV_CACHE_DIR", True),
        ("UV_HTTP_TIMEOUT", True),
        ("SSL_CERT_FILE", True),
        ("HTTPS_PROXY", True),
        ("CXX", True),
        ("CMAKE_CXX_COMPILER_LAUNCHER", True),
    ],
)
def test_what_leads_to_the_index_stays_and_what_leads_astray_goes(
    install, monkeypatch, name: str, stays: bool
) -> None:
    monkeypatch.setenv(name, "given")
    assert install.environment(Path(sys.executable)).get(name) == ("given" if stays else None)


@pytest.mark.parametrize("name", ["PIP_USER", "PIP_REQUIRE_VIRTUALENV"])
def test_pip_installs_into_the_environment_whatever_its_files_say(
    install, monkeypatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    assert install.environment(Path(sys.executable))[name] == "0"


LISTING = """\
:env:.index-url='https://env'
freeze.proxy='http://other'
global.index-url='https://one'
global.extra-index-url='\\nhttps://two\\nhttps://three'
global.cert='/ca.pem'
global.target='/elsewhere'
global.constraint='/missing.txt'
install.index-url='https://two'
install.timeout='9'
install.require-hashes='true'
"""


def test_pips_files_lead_to_the_index_and_change_nothing_else(
    install, no_settings, monkeypatch, tools
) -> None:
    python = tools.write("python", f"cat <<'END'\n{LISTING}END")
    for _ in range(2):
        install.read_pips_files(python)
    assert len(tools.calls("config list")) == 1
    wanted = {"PIP_INDEX_URL": "https://two", "PIP_TIMEOUT": "9", "PIP_CERT": "/ca.pem"}
    wanted |= {"PIP_EXTRA_INDEX_URL": "\nhttps://two\nhttps://three"}
    wanted |= {"PIP_CONFIG_FILE": os.devnull}
    wanted |= {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_NO_INPUT": "1"}
    found = install.environment(python)
    assert {name: found[name] for name in found if name.startswith("PIP_")} == wanted


def test_a_variable_comes_before_pips_files(install, no_settings, monkeypatch, tools) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://env")
    python = tools.write("python", f"cat <<'END'\n{LISTING}END")
    install.read_pips_files(python)
    assert install.environment(python)["PIP_INDEX_URL"] == "https://env"
    assert install.settings_for_uv()["UV_DEFAULT_INDEX"] == "https://env"


@pytest.mark.parametrize("use_uv", [True, False])
def test_no_pip_that_installs_reads_a_file(
    install, no_settings, monkeypatch, tmp_path: Path, use_uv: bool
) -> None:
    (tmp_path / "pip.conf").write_text("[global]\ntarget=/elsewhere\nindex-url=https://one\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setattr(install, "find_uv", lambda python: Path("uv"))
    python = Path(sys.executable)
    command = [sys.executable, "-m", "pip", "config", "list"]
    assert "target" in subprocess.check_output(command, text=True)
    install.installer(python, use_uv)
    env = install.environment(python)
    listed = subprocess.check_output(command, env=env, text=True).splitlines()
    assert listed
    assert all(line.startswith(":env:.") for line in listed)


def test_no_uv_reads_a_file(install) -> None:
    assert install.environment(Path(sys.executable))["UV_NO_CONFIG"] == "1"


UV_TOML = """\
find-links = ["/One", "/Two"]
index-url = "https://Old"
native-tls = true
allow-insecure-host = ["one", "two"]
[[index]]
name = "company"
url = "https://company"
[[index]]
url = "https://Default"
default = true
[[index]]
url = "https://only-if-asked"
explicit = true
[pip]
require-hashes = true
target = "/elsewhere"
keyring-provider = "subprocess"
"""


def test_uvs_files_lead_to_the_index_and_change_nothing_else(
    install, no_settings, monkeypatch, tmp_path: Path, capsys
) -> None:
    (tmp_path / "uv.toml").write_text(UV_TOML)
    monkeypatch.setenv("UV_KEYRING_PROVIDER", "own")
    assert install.settings_for_uv() == {
        "UV_FIND_LINKS": "/One,/Two",
        "UV_DEFAULT_INDEX": "https://Default",
        "UV_NATIVE_TLS": "True",
        "UV_INSECURE_HOST": "one two",
        "UV_INDEX": "company=https://company",
    }
    (tmp_path / "uv.toml").write_text("no toml")
    assert install.settings_for_uv() == {}
    assert "uv.toml cannot be read (" in capsys.readouterr().out


def test_a_uv_that_cannot_be_had_says_why(install, monkeypatch, tools, capsys) -> None:
    refused = "ERROR: No matching distribution found for uv==0.13.8\n"
    text = f'case "$*" in *uv==*) ;; *) exit 0;; esac\n{say(refused)}'
    python = tools.write("python", text)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(install, "OWN_UV", tools.bin / "no-uv")
    assert install.installer(python, use_uv=True)[:3] == [str(python), "-m", "pip"]
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith(f"[setup] uv cannot be had ({refused.strip()}): installing with pip")


def test_uv_is_told_pips_settings_by_its_own_names(
    install, no_settings, monkeypatch, tools
) -> None:
    listing = "global.index-url='https://one'\nglobal.proxy='http://proxy:3128'\n"
    listing += "global.timeout='9'\ninstall.index-url='https://two'\nfreeze.cert='x'\n"
    install.read_pips_files(tools.write("python", f"cat <<'END'\n{listing}END"))
    wanted = {"UV_DEFAULT_INDEX": "https://two", "ALL_PROXY": "http://proxy:3128"}
    assert install.settings_for_uv() == wanted
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://own")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/ca.pem")
    wanted = {"SSL_CERT_FILE": "/ca.pem", "ALL_PROXY": "http://proxy:3128"}
    assert install.settings_for_uv() == wanted


@pytest.mark.parametrize("name", ["UV_CACHE_DIR", "XDG_CACHE_HOME", "HOME"])
def test_a_home_that_cannot_be_written_stops_no_setup(
    install, monkeypatch, tmp_path: Path, capsys, name: str
) -> None:
    monkeypatch.delenv("UV_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert install.cache_for_uv() == {}
    (tmp_path / "file").touch()  # root may write everywhere, but in no file as in a folder
    monkeypatch.setenv(name, str(tmp_path / "file"))
    assert install.cache_for_uv() == {"UV_CACHE_DIR": str(ROOT / "build" / "uv-cache")}
    assert "cannot be written (" in capsys.readouterr().out
