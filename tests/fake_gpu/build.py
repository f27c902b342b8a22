"""Builds the stand-in for a GPU's driver, for the Python that runs this: CuPy's source and g++.

`make gpu-fake` calls it once; it says what it cannot get and leaves with 3. CuPy stays as it was
installed but for one extension module: the wheel's `cupy_backends.cuda.api.runtime` contains
NVIDIA's runtime library, which wants a real driver, so the module is compiled here from CuPy's own
source and linked with the files that fake_gpu.h joins, which answer the documented functions it
calls.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / "build" / "fake_gpu"
LIBRARIES = FOLDER / "lib"
SITE = Path(sysconfig.get_paths()["purelib"])
CUPY = version("cupy-cuda12x")
SOURCE = FOLDER / f"cupy-{CUPY}"
FLAGS = ["-std=c++17", "-O1", "-fPIC", "-fvisibility=hidden", "-w"]
HEADERS = [SITE / "nvidia/cuda_runtime/include", SITE / "nvidia/cuda_nvcc/include", FOLDER]
INCLUDES = [f"-I{folder}" for folder in HEADERS]
NOT_WRITTEN = 'extern "C" __attribute__((visibility("default"))) int {}() {{ return {}; }}\n'
UNSUPPORTED = {"cuda": 801, "cublas": 15}  # what each library calls "not supported"
DRIVER = ("gpu", "streams", "graphs", "driver")  # the files that fake_gpu.h joins
# The two functions that CuPy wants of a header that no wheel has.
PROFILER = """#include <cuda_runtime_api.h>
extern "C" cudaError_t cudaProfilerStart(void);
extern "C" cudaError_t cudaProfilerStop(void);
"""
# How CuPy's own build calls Cython for CUDA 12.9.
CYTHON = [
    "-3",
    "--cplus",
    "-X",
    "embedsignature=True",
    "-X",
    "c_api_binop_methods=True",
    "-X",
    "binding=False",
    "-X",
    "warn.deprecated.IF=False",
    "-X",
    "freethreading_compatible=True",
    "-E",
    "CUPY_USE_CUDA_PYTHON=False,CUPY_CUFFT_STATIC=False,CUPY_CUDA_VERSION=12090,CUPY_HIP_VERSION=0",
    "cupy_backends/cuda/api/runtime.pyx",
    "-o",
]


def run(*command: object, cwd: Path | None = None) -> str:
    """Run a program and return what it prints; stop with its message if it fails."""
    words = [str(word) for word in command]
    answer = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if answer.returncode:
        sys.exit(f"[gpu-fake] {' '.join(words[:4])} ... failed:\n{answer.stderr[-4000:]}")
    return answer.stdout


def fetch_source() -> None:
    """Get CuPy's source, of the very version that is installed."""
    archive = FOLDER / f"cupy-{CUPY}.tar.gz"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary"]
    command += ["cupy", "--dest", str(FOLDER), f"cupy=={CUPY}"]
    unbuilt = {**os.environ, "CUPY_INSTALL_USE_STUB": "1"}  # pip asks the source who it is
    if not archive.exists() and subprocess.run(command, env=unbuilt, check=False).returncode:
        print(f"[gpu-fake] CuPy's source (version {CUPY}) cannot be had")
        sys.exit(3)
    with tarfile.open(archive) as file:
        file.extractall(FOLDER, filter="data")


def names(kind: str, path: Path, prefix: str) -> set[str]:
    """Return a library's names of one kind that begin with a prefix, as nm lists them."""
    option = ["-D", "--undefined-only"] if kind == "U" and path.suffix == ".so" else []
    listed = run("nm", *option, path)
    return set(re.findall(rf" {kind} ({prefix}\w+)", listed))


def link(name: str, objects: list[Path], wanted: set[str], prefix: str, *options: object) -> None:
    """Link a library under the name of NVIDIA's; what nobody wrote says that it is missing."""
    written = set().union(*(names("T", path, prefix) for path in objects))
    rest = FOLDER / f"{prefix}_rest.cpp"
    missing = sorted(wanted - written)
    rest.write_text("".join(NOT_WRITTEN.format(each, UNSUPPORTED[prefix]) for each in missing))
    own = [f"-Wl,-soname,{name}", "-Wl,-rpath,$ORIGIN", "-pthread"]
    run("g++", *FLAGS, "-shared", *own, "-o", LIBRARIES / name, *objects, rest, *options)


def compile_object(source: Path, *options: object) -> Path:
    """Compile one file."""
    target = FOLDER / f"{source.stem}.o"
    run("g++", *FLAGS, *options, *INCLUDES, "-c", source, "-o", target)
    return target


def main() -> None:
    """Build everything in build/fake_gpu."""
    LIBRARIES.mkdir(parents=True, exist_ok=True)
    fetch_source()
    (FOLDER / "cuda_profiler_api.h").write_text(PROFILER)
    run(sys.executable, "-m", "cython", *CYTHON, FOLDER / "runtime.cpp", cwd=SOURCE)
    python = f"-I{sysconfig.get_paths()['include']}"
    api = SOURCE / "cupy_backends/cuda/api"
    extern = '-DCYTHON_EXTERN_C=extern "C"'
    module = compile_object(
        FOLDER / "runtime.cpp", extern, python, f"-I{SOURCE / 'cupy_backends'}", f"-I{api}"
    )
    driver = [compile_object(HERE / f"fake_{part}.cpp") for part in DRIVER]
    link("libcuda.so.1", driver, names("U", module, "cuda"), "cuda")
    link_module = ["-shared", "-Wl,-rpath,$ORIGIN", "-o", LIBRARIES / "runtime.so"]
    run("g++", *link_module, module, LIBRARIES / "libcuda.so.1")
    build_cublas()
    (FOLDER / "sitecustomize.py").write_text("import fake_gpu\n\nfake_gpu.install()\n")


def build_cublas() -> None:
    """Build what cupy.matmul calls, under the version names that CuPy's module asks for."""
    module = next(SITE.glob("cupy_backends/cuda/libs/cublas*.so"))
    versions = FOLDER / "cublas.map"
    versions.write_text("libcublas.so.12 { global: cublas*; };\n")
    script = f"-Wl,--version-script={versions}"
    driver = LIBRARIES / "libcuda.so.1"
    found = compile_object(HERE / "fake_cublas.cpp")
    link("libcublas.so.12", [found], names("U", module, "cublas"), "cublas", script, driver)
    light = FOLDER / "nothing.cpp"
    light.write_text("")
    name = "libcublasLt.so.12"
    run("g++", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", LIBRARIES / name, light)


if __name__ == "__main__":
    main()
