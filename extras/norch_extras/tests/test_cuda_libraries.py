"""The headers of libraries that a CUDA program includes: what they compute, and what is found."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from norch_cuda.programs.build import Program, build
from norch_extras.cuda_libraries import folder as headers

PROGRAM = Path(__file__).parent / "programs" / "libraries.cu"
WAYS = {"plain": (), "checked": ("--check",), "async": ("--async",)}


@cache
def run_program(folder, *words):
    """Run programs/libraries.cu: its exit status, its lines by their names, and what was said."""
    command = [sys.executable, "-m", "norch_cuda", "run", PROGRAM, *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    lines = (line.split(":", 1) for line in done.stdout.splitlines() if ": " in line)
    numbers = [(name, [*map(float, rest.split())]) for name, rest in lines if "GPU" not in name]
    return done.returncode, numbers, done.stderr


def test_all_headers_stand_in_one_program(tmp_path):
    names = sorted(str(path.relative_to(headers())) for path in headers().rglob("*.*"))
    assert {"cublas_v2.h", "thrust/sort.h"} <= set(names)
    program = tmp_path / "program.cu"
    program.write_text("".join(f"#include <{name}>\n" for name in names) + "int main() {}\n")
    assert build(Program((program,))).is_file()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("program")


def printed(folder, way):
    status, numbers, said = run_program(folder, *WAYS[way], "--", "--flag", "--n=12", "-x=2.5")
    assert status == 0, said
    return numbers


@pytest.mark.parametrize("way", WAYS)
def test_a_grid_waits_for_all_its_blocks(way, folder):
    found = [numbers for name, numbers in printed(folder, way) if name == "grid"]
    assert found == [[110.0] * 5, [63.0] * 3]


@pytest.mark.parametrize("way", WAYS)
def test_thrust(way, folder):
    found = dict(printed(folder, way))
    keys = (5 * np.arange(8) + 3) % 8 // 2
    order = np.argsort(keys, kind="stable")
    values = np.append(2 * order, -1)
    values[3] = 100
    changed = values * np.arange(1, 10) - 5
    expected = {
        "keys": keys[order],
        "values": order,
        "copied": values,
        "reduced": [values.sum(), 100, 2, 1 + (values[:3] ** 2).sum()],
        "inclusive": np.cumsum(values),
        "exclusive": 10 + np.cumsum(values) - values,
        "transformed": changed,
        "unique": [3, 2, 1, 0],
        "generated": [4, 4, 4, 4],
        "sorted": [1],
        "filled": [7, 7, *changed[2:]],
    }
    for name, numbers in expected.items():
        assert found[name] == list(numbers), name


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("transposed", [False, True])
def test_cublas(way, transposed, folder):
    """Against NumPy: matrices are columns of 5 numbers, whose last ones nobody touches."""
    lines = printed(folder, way)
    begin = [i for i, (name, _) in enumerate(lines) if name == "gemm"][transposed]
    found = dict(lines[begin : begin + 4])
    a = np.arange(60) * 7 % 11 - 5.0
    b, c = a[::-1], np.ones((2, 2, 5))
    for i in range(2):
        of_a, of_b = a[25 * i :], b[20 * i :]
        left = of_a[:20].reshape(4, 5).T[:3] if not transposed else of_a[:15].reshape(3, 5)[:, :4]
        right = of_b[:10].reshape(2, 5).T[:4] if not transposed else of_b[:20].reshape(4, 5)[:, :2]
        c[i, :, :3] = (2 * left @ right + 0.5).T
    assert found["gemm"] == c.ravel().tolist()
    # gemv takes the 3 x 4 matrix as it lies: transposed, 4 results of 3 products.
    lying = a[:20].reshape(4, 5).T[:3]
    y = np.full(4, 2.0)
    y[: 4 if transposed else 3] *= 0.5
    if transposed:
        y += 2 * lying.T @ b[:6:2]
    else:
        y[:3] += 2 * lying @ b[:8:2]
    assert found["gemv"] == y.tolist()
    flat, dot = c.ravel(), a[:5] @ b[:10:2]
    flat[:8:2] += a[0] * b[:4]
    flat[19] = dot
    flat[10:13] *= 2
    assert found["axpy"] == flat.tolist()
    # The last call's leading dimension is smaller than its rows: CUBLAS_STATUS_INVALID_VALUE.
    assert found["scalars"] == pytest.approx([dot, np.sqrt(a @ a), 7], rel=1e-5)


@pytest.mark.parametrize("way", WAYS)
def test_the_hosts_generator(way, folder):
    """Number n is number n / 4096 of sequence n % 4096: cuVS's data, then Opticks' (see above)."""
    found = dict(printed(folder, way))
    firsts = [0.74021935, 0.9209938, 0.03902049, 0.9689629, 0.92514056, 0.4463501, 0.6673192,
              0.10993068, 0.43845114, 0.46036443]  # fmt: skip
    np.testing.assert_allclose(found["xorwow"], firsts, rtol=0, atol=6e-8)
    assert found["odd"] == [105]  # CURAND_STATUS_LENGTH_NOT_MULTIPLE
    assert abs(found["normal"][0] - 5) < 0.15  # 4,100 of deviation 2: five times 0.031


def test_helpers_of_samples(folder):
    found = dict(printed(folder, "plain"))
    assert found["options"] == [10, 12, 2.5, 0, 1]
    assert found["compared"] == [11011]
    assert found["path"] == [1]


@pytest.mark.parametrize(
    ("option", "status", "expected"),
    [
        ("bad_copy", 1, r'CUDA error at .*{line} code=1\(cudaErrorInvalidValue\) "cudaMemcpy'),
        ("unwritten", 86, r"thrust::reduce: .* reads 4 bytes of `memory` .* nobody has written"),
        ("too_large", 86, r"(?s)cublasSscal: .* 0 bytes past the end of .* launched at {line}"),
    ],
)
def test_faults_in_calls_of_libraries(option, status, expected, folder):
    found, _, said = run_program(folder, "--check", "--", f"--{option}")
    lines = PROGRAM.read_text().splitlines()
    line = next((i for i, text in enumerate(lines, 1) if text.endswith(f"// {option}")), 0)
    assert found == status
    assert re.search(expected.format(line=f"libraries.cu:{line}"), said), said


# By hand: the array is 4 x 3 of squares 0, 1, 4, 9 ... (rows of 4); the cube 6 faces of 2 x 2.
MORE = {
    "point": [0, 25, 121, 16, 36],
    "border": [0, 25, 121, 0, 36],
    "wrap": [16, 25],
    "mirror": [9],
    "fractions": [0, 0.2, 0.4, 1],
    "layers": [10.5, 214.5, 214.5],
    "box": [112.5, 10.5],
    "drawn": [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23],
    "volume": [1, 1, 1, 1, 5, 6, 1, 1, 1, 1, 7, 8],
    "captured": [0, 2],
    "launched": [21] * 4,
    "by hand": [5] * 4,
    "changed": [7] * 4,
    "bytes": [-4, 293, -4, 284],
    "before": [1.5, -5, 3.5, -3],
    "differences": [4, -3, 6, -3, 5, -5, -2],
    "even": [4, 4, 4, 2],
    "removed": [1, 7, 9, 2],
    "pool": [0],
}


def filtered(x, y):
    """A place of the array between its elements, as the guide's formula has it."""
    square = np.arange(12.0).reshape(3, 4) ** 2
    i, a = divmod(x - 0.5, 1)
    j, b = divmod(y - 0.5, 1)
    rows, columns = np.clip([j, j + 1], 0, 2).astype(int), np.clip([i, i + 1], 0, 3).astype(int)
    return np.array([1 - b, b]) @ square[np.ix_(rows, columns)] @ np.array([1 - a, a])


@pytest.mark.parametrize("way", WAYS)
def test_what_the_shelf_adds_to_the_runtime(way, folder):
    program = PROGRAM.with_name("runtime_more.cu")
    command = [sys.executable, "-m", "norch_cuda", "run", program, *WAYS[way]]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    lines = [line.split(":") for line in done.stdout.splitlines()]
    found = {name: [float(number) for number in rest.split()] for name, rest in lines}
    assert {name: found[name] for name in MORE} == {n: pytest.approx(v) for n, v in MORE.items()}
    places = [(0.5, 0.5), (1, 1), (3.9, 2.9), (-7, 1.5), (2.25, 1.75)]
    assert found["linear"] == pytest.approx([filtered(*place) for place in places], rel=1e-3)
    # Faces +x -x +y -y +z -z; each direction meets one in a quarter of its own.
    assert [int(root) // 4 for root in np.sqrt(found["cube"])] == [0, 1, 2, 3, 4, 5]
    x = np.array(MORE["before"])
    gelu = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    assert found["gelu"] == pytest.approx(list(gelu), rel=1e-5, abs=1e-6)
    cross = np.cross([1, 2, 3], [2, 2, 2]) + np.array([1, 2, 3])
    assert found["vectors"] == pytest.approx([*cross, cross @ cross, 5])
