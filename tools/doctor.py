"""Says what norch needs on this machine, what is there, and how to get what is not: `make doctor`.

One line a thing: `ok`, `missing` (needed) or `optional` (norch works without it). Runs on the
system's own Python, even 3.6, before anything is set up, imports the standard library alone, and
leaves with 1 only if something needed is missing.
"""

import argparse
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request
from pathlib import Path

import supported

ROOT = Path(__file__).resolve().parent.parent
OK, MISSING, OPTIONAL = "ok", "missing", "optional"
WANTED = {"ssse3", "sse4_1", "sse4_2", "popcnt"}  # of x86-64-v2, as Linux calls it
PROGRAM = (
    "#include <Python.h>\n#include <optional>\nint main() { return *std::optional<int>(0); }\n"
)


def get(debian, fedora, macos):
    """Return how to install a thing on the three families of systems."""
    return f"apt install {debian} | dnf install {fedora} | brew install {macos}"


def check_python(version=None):
    """A Python that norch is compiled for; the course runs on newer ones too."""
    reason = supported.why_not(version)
    if not reason:
        return OK, f"Python {sys.version.split()[0]} with venv and headers ({sys.executable})"
    course = "" if supported.why_not_any(version) else "; make next and stage 1 run on it"
    if not (version or reason.startswith("is ")):  # a part of a good one is missing
        return MISSING, f"{sys.executable} {reason}{course}"
    limits = [str(minor) for minor in (supported.minors()[0], supported.minors()[-1])]
    how = ask(["sh", str(ROOT / "tools" / "get_python.sh"), *limits])[1].strip()
    return MISSING, f"Python {supported.in_words()}: {sys.executable} {reason}{course}: {how}"


def ask(command):
    """Run a command; return its exit code and what it said. Python 3.6 can do this much."""
    pipe, both = subprocess.PIPE, subprocess.STDOUT
    try:
        process = subprocess.Popen(command, stdout=pipe, stderr=both, universal_newlines=True)
    except OSError as error:  # what does not start says nothing
        return 126, str(error)
    said, _ = process.communicate()
    return process.returncode, said


def compiler():
    """Return the command of the C++ compiler that a build would use, or nothing."""
    try:
        named = shlex.split(os.environ.get("CXX", ""))
    except ValueError:  # a quotation mark without its other
        return []
    for name, *words in [named] if named else [["c++"], ["g++"], ["clang++"]]:
        if shutil.which(name):
            return [shutil.which(name), *words]
    return []


def check_compiler():
    """A C++17 compiler that compiles a small program with Python.h."""
    found = compiler()
    how = get("g++", "gcc-c++", "gcc") + " (or xcode-select --install)"
    if not found:
        named = os.environ.get("CXX", "")
        what = f"CXX={named}, a C++17 compiler: " if named else "a C++17 compiler: "
        return MISSING, what + how
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "try.cpp"
        source.write_text(PROGRAM)
        command = [*found, "-std=c++17", "-fsyntax-only", "-I" + sysconfig.get_path("include")]
        code, said = ask([*command, str(source)])
    if code:
        first = (said.strip().splitlines() or ["no message"])[0]
        return MISSING, f"{' '.join(found)} does not compile C++17 with Python.h: {first}"
    return OK, f"C++17 compiler ({' '.join(found)})"


def check_make():
    """GNU make, which runs every goal."""
    found = shutil.which("make")
    if found is None:
        return MISSING, "make: " + get("make", "make", "make")
    return OK, f"make ({found})"


def check_processor(info="/proc/cpuinfo"):
    """What NumPy's wheels are compiled for: x86-64-v2, every such processor since 2009."""
    flags = re.search(r"^flags\s*:(.*)$", text_of(info), re.MULTILINE)
    has = flags[1].split() if flags else WANTED
    lacks = WANTED - set(has)
    if lacks:
        how = "NumPy's wheels run without it up to 2.3: pip install 'numpy<2.4' into .venv"
        return OPTIONAL, f"this processor lacks {', '.join(sorted(lacks))} (x86-64-v2): {how}"
    return OK, f"processor ({platform.machine()})"


def text_of(path):
    """Return the text of a file, nothing where there is none."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def check_folder():
    """The folder of the sources, in which norch builds."""
    if os.access(str(ROOT), os.W_OK):
        return OK, f"{ROOT} can be written"
    how = "copy it (cp -R . ~/norch && chmod -R u+w ~/norch), and run make in the copy"
    return MISSING, f"a folder that can be written, {ROOT} cannot: {how}"


def place(venv, module):
    """Return the file that a module of the environment comes from, without importing it."""
    question = f"import importlib.util as u; found = u.find_spec({module!r}); print(found.origin)"
    code, said = ask([str(venv / "bin" / "python"), "-I", "-c", question])
    return "" if code else said.strip()


def in_venv(venv, module):
    """Tell whether the environment has a module."""
    return bool(place(venv, module))


def check_environment(venv):
    """The environment that make sets up, with the norch of this folder."""
    how = "make setup (make mnist and make test do it too)"
    if not in_venv(venv, "norch"):
        return OPTIONAL, f"norch is not set up yet: {how}"
    found = place(venv, "norch_strides")
    if ROOT not in Path(found).resolve().parents:
        return OPTIONAL, f"{venv.name} has the norch of another folder, {Path(found).parent}: {how}"
    return OK, f"norch is set up in {venv.name}"


def check_core(venv):
    """The compiled form of stage 4's record and backward pass."""
    python = venv / "bin" / "python"
    if not in_venv(venv, "norch_autograd"):
        return OPTIONAL, "the compiled core of stage 4: make setup builds it"
    question = "import sys; from norch_autograd.types import core; sys.exit(core.core_status())"
    said = ask([str(python), "-c", question])[1].strip()
    return (OK if said == "the core is in use" else OPTIONAL), "stage 4: " + said


def check_blas(venv):
    """OpenBLAS: the matrix product where there is no AVX-512, and LAPACK everywhere."""
    if in_venv(venv, "scipy_openblas32"):
        return OK, "OpenBLAS (scipy-openblas32)"
    return OPTIONAL, "OpenBLAS, for svd, eigh, lu (and matmul without AVX-512): make setup has it"


def check_mpi(venv):
    """MPI for training in several processes."""
    if in_venv(venv, "mpi4py") and (venv / "bin" / "mpiexec").exists():
        return OK, f"MPI (mpi4py and mpiexec of {venv.name})"
    return OPTIONAL, "MPI, for several processes: make setup installs mpi4py and mpich"


def check_gpu(venv):
    """An NVIDIA driver and CuPy; the simulator needs neither."""
    if shutil.which("nvidia-smi") is None:
        return OPTIONAL, "no NVIDIA driver: device 'cuda' is off, 'cuda-sim' runs the same kernels"
    if not in_venv(venv, "cupy"):
        how = f"{venv.name}/bin/python -m pip install -e './norch[cuda12]' (CUDA 13: cuda13)"
        return OPTIONAL, "NVIDIA driver found, CuPy is not: " + how
    return OK, "NVIDIA driver and CuPy"


def cache_folder():
    """Return the folder of norch's downloads and compiled kernels."""
    if os.environ.get("NORCH_CACHE"):
        return Path(os.environ["NORCH_CACHE"])
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Path(base) / "norch"
    return Path("/", os.path.expanduser("~"), caches, "norch")


def has_mnist(folder):
    """Tell whether the folder holds MNIST's training images where norch looks for them."""
    subs = ("", "mnist", "MNIST", "MNIST/raw")
    return any(list((folder / sub).glob("train-images-idx3-ubyte*")) for sub in subs)


def check_data():
    """MNIST's files; without them they are downloaded, or the embedded digits are used."""
    folder = Path(os.environ.get("NORCH_DATA") or cache_folder())
    if has_mnist(folder):
        return OK, f"MNIST found in {folder}"
    if os.environ.get("NORCH_DATA"):
        return MISSING, f"MNIST is not in NORCH_DATA={folder}: correct it, or unset it"
    if has_mnist(ROOT.parent / "shared" / "data"):
        return OPTIONAL, "MNIST is in ../shared/data: make mnist DATA=../shared/data"
    return OPTIONAL, "MNIST is not here yet: make mnist downloads it or uses the embedded digits"


def index_answers(venv):
    """Ask the package index by pip, with its settings; by its variables without a pip of 2021."""
    for python in (str(venv / "bin" / "python"), sys.executable):
        if Path(python).exists() and ask([python, "-m", "pip", "--version"])[0] == 0:
            quick = ["--timeout", "5", "--retries", "0", "--disable-pip-version-check"]
            code, said = ask([python, "-m", "pip", *quick, "index", "versions", "pip"])
            if 'unknown command "index"' not in said:  # it came with pip 21.2
                return code == 0
    index = os.environ.get("PIP_INDEX_URL")
    address = index.rstrip("/") + "/pip/" if index else "https://pypi.org"
    try:
        urllib.request.urlopen(address, timeout=5).close()
    except (OSError, ValueError):
        return False
    return True


def check_network(venv):
    """The package index; nothing asks it once everything is installed."""
    if index_answers(venv):
        return OK, "the package index answers"
    if in_venv(venv, "norch"):
        return OK, "the package index does not answer: what is installed works without it"
    how = "connect, or name your index, proxy or certificates before make"
    return MISSING, f"the package index: {how}: PIP_INDEX_URL, HTTPS_PROXY, PIP_CERT=file make next"


def check_disk(venv):
    """Room for the environment, and a cache that can be written."""
    nearest = next(parent for parent in (venv, *venv.parents) if parent.exists())
    free = shutil.disk_usage(str(nearest)).free / 1e9
    needed = 0.5 if in_venv(venv, "norch") else 2
    if free < needed:
        return MISSING, f"{needed} GB of disk for the environment, {free:.1f} GB are free"
    cache = cache_folder()
    nearest = next(parent for parent in (cache, *cache.parents) if parent.exists())
    if not (nearest.is_dir() and os.access(str(nearest), os.W_OK)):
        return MISSING, f"a cache that can be written: {nearest} cannot; set NORCH_CACHE"
    return OK, f"{free:.0f} GB of disk free, {needed} GB needed; cache {cache} can be written"


def main():
    """Print one line a check; leave with 1 if something needed is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv")
    venv = (ROOT / parser.parse_args().venv).absolute()
    own = [check_python, check_processor, check_compiler, check_make, check_folder]
    results = [check() for check in own]
    installed = [check_environment, check_core, check_blas, check_mpi, check_gpu]
    results += [check(venv) for check in installed]
    results += [check_network(venv), check_data(), check_disk(venv)]
    for status, sentence in results:
        print(f"{status:9} {sentence}")
    sys.exit(1 if any(status == MISSING for status, _ in results) else 0)


if __name__ == "__main__":
    main()
