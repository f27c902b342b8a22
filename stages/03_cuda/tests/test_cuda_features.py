"""Ordinary CUDA runs unchanged on "cuda-sim": the table of cuda_features.py, row by row.

NVIDIA's compiler sees the same text where it is installed: what passes here is CUDA, no dialect.
"""

import re
import shutil
import subprocess

import numpy as np
import pytest
from cuda_features import FEATURES, FILES, INCLUDES, STAYS_OUT, file_text, left_out_text
from cuda_lessons import array

from norch_cuda import load_kernel, simulator

MODES = {"forward": {}, "reversed": {"order": "reversed"}, "checked": {"check": True}}
FILE_OF = {group: number for number, groups in enumerate(FILES) for group in groups}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("feature", FEATURES, ids=[f"{f.group}-{f.name}" for f in FEATURES])
def test_feature(feature, mode):
    kernel = load_kernel(file_text(FILE_OF[feature.group]), f"{feature.name}_kernel")
    out = array(np.zeros(64))
    with simulator(**MODES[mode]):
        kernel(1, 64, out, dynamic_shared=4096)
    expected = np.broadcast_to(np.asarray(feature.expected, np.float32), 64)
    np.testing.assert_allclose(out.tolist(), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("includes", "body", "expected"),
    [
        ("", "atomicAdd(\n      out + 64 + t, 1);", "writes 4 bytes outside .* at kernel.cu:2"),
        ("", "((float4*)out)[t].w += 1;", "reads 4 bytes outside .* at kernel.cu:2"),
        ("half", "half* h = (half*)out;\n  h[t + 126] += h[0];", "2 bytes outside .*cu:5"),
        ("half", "half2* h = (half2*)out;\n  h[0] = __hadd2(h[0], h[t]);", "race .*cu:5"),
        ("atomic_ref", "cuda::atomic_ref<float, cuda::thread_scope_device> r(out[64]);\n  r += 1;",
         "writes 4 bytes outside .* at kernel.cu:4"),
        ("wmma", "wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;\n"
         "  wmma::fill_fragment(f, 1);\n"
         "  wmma::store_matrix_sync(out, f, 16, wmma::mem_row_major);",
         "writes 4 bytes outside .* at kernel.cu:6"),
    ],
)  # fmt: skip
def test_the_checker_names_the_users_line(includes, body, expected):
    includes = INCLUDES[includes] if includes else ""
    text = f"{includes}__global__ void wrong(float* out) {{ int t = threadIdx.x;\n  {body}\n}}\n"
    with simulator(check=True), pytest.raises(RuntimeError) as caught:
        load_kernel(text, "wrong")(1, 64, array(np.zeros(64)))
    assert re.search(expected, str(caught.value)), str(caught.value)


def test_the_count():
    """The numbers that the README of this stage tells."""
    names = [f.name for f in FEATURES]
    assert len(set(names)) == len(names)
    assert (len(FEATURES), len(STAYS_OUT)) == (108, 6)


@pytest.mark.parametrize("name", STAYS_OUT)
def test_what_stays_out_is_an_error(name):
    with pytest.raises(RuntimeError, match=STAYS_OUT[name][2]):
        load_kernel(left_out_text(name), "left_out")(1, 64, array(np.zeros(64)))


@pytest.mark.parametrize("number", range(len(FILES)))
def test_nvidias_compiler_takes_the_same_text(number, tmp_path):
    compile_with_nvcc(file_text(number), tmp_path)


@pytest.mark.parametrize("name", STAYS_OUT)
def test_nvidias_compiler_takes_what_stays_out(name, tmp_path):
    compile_with_nvcc(left_out_text(name), tmp_path)


def compile_with_nvcc(text, folder):
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    source = folder / "features.cu"
    source.write_text(text)
    command = ["nvcc", "-ptx", "-rdc=true", "-std=c++17", "-arch=compute_80", source]
    answer = subprocess.run([*command, "-o", "/dev/null"], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
