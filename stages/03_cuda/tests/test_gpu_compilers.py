"""The compilers of a GPU accept the same text: NVRTC if it is installed, else nvcc, else skipped.

Neither needs a GPU. `pip install nvidia-cuda-nvrtc-cu12` is enough to run this anywhere.
"""

import ctypes
import importlib.util
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from norch_cuda.runtime.sources import family_source, source_directory

REAL, WHOLE, BOOL = ["float", "double"], ["long long", "int", "unsigned char"], ["Bool"]
HALF, STORED = ["Float16", "BFloat16"], ["signed char"]
PLAIN = REAL + WHOLE + BOOL
ALL = PLAIN + HALF + STORED
FAMILIES = {
    "copy": ALL, "index": ALL, "elementwise": ALL, "reduce": PLAIN, "randint": PLAIN,
    "matmul": REAL + WHOLE, "matmul_vectorized": REAL + WHOLE, "bits": WHOLE + BOOL + STORED,
    "functions": REAL + HALF,
    "softmax": REAL, "random": REAL, "optimizer": REAL + HALF,
    "scatter": [*REAL, "long long", "int"],
    "sum_columns": REAL,
    "conv": REAL, "conv_product": REAL, "pool": [*REAL, "long long"], "normalization": REAL,
    "resample": REAL, "im2col": REAL,
    "lessons/matmul": REAL, "lessons/sum": REAL, "lessons/transpose": REAL,
    "recurrent": REAL, "attention": REAL,
    "sort": REAL + WHOLE, "radix": REAL + WHOLE,
    "cumulative": PLAIN, "histogram": PLAIN, "embedding": REAL,
}  # fmt: skip
ELEMENTS = [*REAL, *WHOLE, *BOOL, *HALF, *STORED]
OPTIONS = ["-std=c++17", f"-I{source_directory()}"]


@cache
def nvrtc():
    """The NVRTC library, or None."""
    spec = importlib.util.find_spec("nvidia")
    folders = list(spec.submodule_search_locations) if spec else []
    found = [p for f in folders for p in sorted(Path(f).glob("*nvrtc*/lib/libnvrtc.so.*"))]
    found = [p for p in found if "alt" not in p.name]
    return ctypes.CDLL(str(found[0])) if found else None


def compile_with_nvrtc(library, text, options=(*OPTIONS, "--gpu-architecture=compute_80")):
    """The PTX of a text; AssertionError with the compiler's log if it is refused."""
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None)
    words = [option.encode() for option in options]
    failed = library.nvrtcCompileProgram(
        program, len(words), (ctypes.c_char_p * len(words))(*words)
    )
    kind = "ProgramLog" if failed else "PTX"
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{kind}Size")(program, ctypes.byref(size))
    answer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{kind}")(program, answer)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    assert not failed, answer.value.decode()
    return answer.value.decode()


def compile_with_nvcc(text, folder, capability=80):
    """The PTX of a text; AssertionError with the compiler's message if it is refused."""
    source, ptx = folder / "kernels.cu", folder / "kernels.ptx"
    source.write_text(text)
    command = ["nvcc", "-ptx", f"-arch=compute_{capability}", *OPTIONS, str(source), "-o", str(ptx)]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return ptx.read_text()


# float and Bool have all families between them; `make gpu-static` compiles the others after each
# change of a kernel.
OTHERS = {"double", *WHOLE}


@pytest.mark.parametrize(
    "element",
    [pytest.param(one, marks=pytest.mark.slow if one in OTHERS else ()) for one in ELEMENTS],
)
def test_gpu_compiler_accepts_every_kernel(element, tmp_path):
    library = nvrtc()
    if library is None and shutil.which("nvcc") is None:
        pytest.skip("neither NVRTC (pip install nvidia-cuda-nvrtc-cu12) nor nvcc is installed")
    for family in (f for f in FAMILIES if element in FAMILIES[f]):
        source = family_source(family, element)
        text = source.typed_text
        ptx = compile_with_nvrtc(library, text) if library else compile_with_nvcc(text, tmp_path)
        assert [one for one in source.kernels if f".entry {one}(" not in ptx] == [], family


@pytest.mark.parametrize(("half", "capability"), [("half", 75), ("__nv_bfloat16", 80)])
def test_nvcc_accepts_the_kernel_for_tensor_cores(half, capability, tmp_path):
    """Its headers come with nvcc; NVRTC compiles it in test_lessons.py, where there is a GPU."""
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    operands = f"{2 * f'Layout, i64, const {half}*, '}i64, const {half}*, {half}*"
    halves = family_source("matmul_halves", "float").typed_text
    for by_rows in ("true, true", "true, false", "false, true", "false, false"):
        kernel = f"matmul_halves_kernel<{half}, {by_rows}>(i64, i64, i64, {operands});"
        text = f"{halves}\ntemplate __global__ void {kernel}"
        ptx = compile_with_nvcc(text, tmp_path, capability)
        assert ptx.count("wmma.mma.sync") == 8  # 2 x 2 fragments, twice in a step


def test_every_family_is_listed():
    found = [path.relative_to(source_directory()) for path in source_directory().rglob("*.cu")]
    listed = sorted([*FAMILIES, "matmul_halves"])
    assert sorted(str(path.with_suffix("")) for path in found) == listed
