"""What `norch_cuda.profile` counts, beside numbers that can be worked out by hand.

A warp of 32 lanes that read neighbouring floats asks for 128 bytes: four sectors of 32.
"""

import math
import re
import struct
from dataclasses import replace

import numpy as np
import pytest
from cuda_lessons import SIM, array, floats, kernel

import norch_cpu_ops
import norch_cuda
import norch_strides
from norch_cuda.profiling import (
    machine_code as machine_code_module,
    register_table,
    result as result_module,
)
from norch_cuda.profiling.gpus import GPUS, occupancy, roofline
from norch_cuda.profiling.register_table import (
    CAPABILITIES,
    TABLE,
    fingerprint,
    read_table,
    shipped_registers,
)
from norch_cuda.runtime import nvrtc
from norch_cuda.runtime.sources import family_source
from norch_strides import flip

MATRIX = array(np.arange(64 * 64).reshape(64, 64))


def profiled(body, *, n=1024, grid=1, block=32, parameters="const T* x, T* out", **given):
    """The profile of a kernel with this body; the body begins on line 2."""
    lesson = kernel(body, parameters, **given)
    kind = np.float64 if given.get("element") == "float64" else np.float32
    arrays = [array(np.zeros(n), kind) for _ in range(2)]
    return norch_cuda.profile(lesson, grid, block, *arrays)


def line(found, number):
    return next(one for one in found.lines if one.number == number)


# ---- global memory -----------------------------------------------------------------------


READS = {  # index: sectors of a warp, and how much of them is useful
    "threadIdx.x": (4, 1.0),
    "threadIdx.x + 1": (5, 0.8),
    "threadIdx.x + 8": (4, 1.0),
    "31 - threadIdx.x": (4, 1.0),
    "2 * threadIdx.x": (8, 0.5),
    "32 * threadIdx.x": (32, 0.125),
    "5": (1, 4 / 32),
    "threadIdx.x / 2": (2, 1.0),
    "threadIdx.x % 8 * 8 + threadIdx.x / 8": (8, 0.5),
}


def test_a_read_moves_the_sectors_that_its_addresses_lie_in():
    reads = "\n".join(f"    sum += x[{index}];" for index in READS)
    found = profiled(f"    T sum = 0;\n{reads}\n    out[threadIdx.x] = sum;")
    for number, (index, expected) in enumerate(READS.items(), start=3):
        one = line(found, number)
        assert (one.requests, one.bytes_read, one.bytes_written) == (1, 128, 0), index
        assert (one.sectors, one.efficiency) == expected, index


def test_writes_count_as_reads_do():
    found = profiled("    out[4 * threadIdx.x] = 1;")
    assert (found.sectors_per_request, found.efficiency) == (16, 0.25)
    assert (found.bytes_read, found.bytes_written) == (0, 128)


def test_doubles_need_twice_the_sectors():
    found = profiled("    out[threadIdx.x] = x[threadIdx.x];", element="float64")
    assert (found.sectors_per_request, found.efficiency) == (8, 1.0)


def test_four_floats_at_once_are_one_request():
    body = """    float4 v = reinterpret_cast<const float4*>(x)[threadIdx.x];
    out[threadIdx.x] = v.x + v.y + v.z + v.w;"""
    found = profiled(body)
    assert (line(found, 2).requests, line(found, 2).sectors) == (1, 16)
    assert line(found, 2).efficiency == 1.0
    assert line(found, 3).operations == 3 * 32


def test_half_a_warp_is_a_request_too():
    found = profiled("    out[threadIdx.x] = 1;", block=48)
    assert (found.requests, found.sectors) == (2, 6)


def test_two_arrays_do_not_share_sectors():
    found = profiled("    const T* from = threadIdx.x < 16 ? x : out; if (from[0] > 9) __trap();")
    assert (found.requests, found.sectors) == (1, 2)


def test_atomics_read_and_write():
    found = profiled("    atomicAdd(out + threadIdx.x / 8, T(1));")
    assert (found.requests, found.sectors) == (1, 1)
    assert found.bytes_read == found.bytes_written == 128
    assert line(found, 2).requests == 1


# ---- shared memory -----------------------------------------------------------------------


WAYS = {
    "threadIdx.x": 1,
    "2 * threadIdx.x": 2,
    "3 * threadIdx.x": 1,
    "4 * threadIdx.x": 4,
    "32 * threadIdx.x": 32,
    "33 * threadIdx.x": 1,
    "7": 1,
    "threadIdx.x % 2 * 32": 2,
    "threadIdx.x / 16 * 32 + threadIdx.x % 16": 2,
}


def in_shared(kind, indices):
    """The profile of reads of a shared array, each on a line of its own from 6 on."""
    reads = "\n".join(f"    sum += tile[{index}];" for index in indices)
    return profiled(f"""    __shared__ {kind} tile[1056];
    for (int i = threadIdx.x; i < 1056; i += 32) tile[i] = i;
    __syncthreads();
    T sum = 0;
{reads}
    out[threadIdx.x] = sum;""")


def test_a_bank_serves_one_word_at_a_time():
    found = in_shared("float", WAYS)
    assert [line(found, number).ways for number in range(6, 6 + len(WAYS))] == list(WAYS.values())
    assert (found.ways, found.shared_bytes) == (32, 1056 * 4)


def test_doubles_are_served_half_a_warp_at_a_time():
    found = in_shared("double", ["threadIdx.x", "2 * threadIdx.x", "16 * threadIdx.x"])
    assert [line(found, number).ways for number in (6, 7, 8)] == [1, 2, 16]
    assert line(found, 6).least_passes == 2


def test_bytes_of_one_word_do_not_conflict():
    assert in_shared("unsigned char", ["threadIdx.x", "2 * threadIdx.x"]).ways == 1


def test_atomics_on_one_word_wait_for_each_other():
    body = """    __shared__ int counts[32];
    counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(counts + threadIdx.x / 8, 1);"""
    assert line(profiled(body), 5).ways == 8


def test_dynamic_shared_memory_is_counted():
    lesson = kernel("""    extern __shared__ T tile[];
    tile[threadIdx.x * 8] = x[threadIdx.x];
    out[threadIdx.x] = tile[threadIdx.x * 8];""")
    found = norch_cuda.profile(lesson, 1, 32, floats(), floats(), dynamic_shared=1024)
    assert (found.ways, found.shared_bytes) == (8, 1024)


# ---- lanes, barriers, operations ---------------------------------------------------------


def test_lanes_that_go_different_ways_are_active_by_halves():
    body = """    if (threadIdx.x % 2 == 0) {
      out[threadIdx.x] = 1;
    } else {
      out[threadIdx.x] = 2;
    }"""
    found = profiled(body)
    assert [line(found, number).active for number in (2, 3, 5)] == [32, 16, 16]
    assert found.active < 32


def test_warps_that_go_different_ways_do_not_diverge():
    body = """    if (threadIdx.x < 32) {
      out[threadIdx.x] = 1;
    } else {
      out[threadIdx.x] = 2;
    }"""
    assert profiled(body, block=64).active == 32


def test_a_loop_of_other_lengths_ends_lane_by_lane():
    body = """    for (int i = 0; i < threadIdx.x; i++) {
      out[threadIdx.x] = i;
    }"""
    found = line(profiled(body), 3)
    assert (found.times, found.active) == (31, 16)  # 31 lanes, then 30, ... 1


def test_inner_loops_wait_for_their_longest_lane_each_time():
    body = """    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < (threadIdx.x % 2 == i ? 1 : 3); k++) {
        out[threadIdx.x] = k;
      }
    }"""
    found = line(profiled(body), 4)
    assert found.times == 2 * 3  # a lane goes there four times in all
    assert found.active == pytest.approx((32 + 16 + 16) / 3)


@pytest.mark.parametrize("order", ["forward", "reversed"])
def test_lanes_are_put_together_whatever_the_order(order):
    with norch_cuda.simulator(order=order):
        found = norch_cuda.profile(
            norch_cuda.lessons.sum, floats(512), "halves", kernel="sum_halves_kernel"
        )
    assert found.barriers == 8


def test_barriers_are_counted_for_a_thread():
    body = """    for (int i = 0; i < 5; i++) {
      __syncthreads();
    }
    if (threadIdx.x < 32) __syncwarp();"""
    assert profiled(body, block=64, grid=3).barriers == 5


@pytest.mark.parametrize("element", ["float32", "float64"])
def test_operations_on_floats(element):
    counts = {"a": 0, "a + b": 1, "a * b - a / b": 3, "sqrt(a)": 1, "exp(a) * b": 2, "i * 7": 0}
    lines = "\n".join(f"    out[i + {n}] = {text};" for n, text in enumerate(counts))
    body = f"    int i = threadIdx.x; T a = x[i], b = x[i + 1];\n{lines}"
    found = profiled(body, element=element, grid=2)
    for number, (text, count) in enumerate(counts.items(), start=3):
        assert line(found, number).operations == 2 * 32 * count, text


def test_operations_of_a_loop_and_of_lanes_that_skip_it():
    body = """    T sum = 0;
    if (threadIdx.x < 8) for (int i = 0; i < 10; i++) sum += x[i];
    out[threadIdx.x] = sum;"""
    found = profiled(body)
    assert found.operations == 8 * 10
    assert found.intensity == 80 / (found.sectors * 32)


# ---- known kernels -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "efficiency", "ways"), [("naive", 4 / 18, 0), ("tiled", 1, 32), ("padded", 1, 1)]
)
def test_the_three_transposes(version, efficiency, ways):
    found = norch_cuda.profile(norch_cuda.lessons.transpose, MATRIX, version)
    assert (found.efficiency, found.ways) == (pytest.approx(efficiency), ways)
    assert found.bytes_read == found.bytes_written == 64 * 64 * 4


def test_sums_of_columns_read_whole_sectors():
    found = norch_cuda.profile(SIM.sum, MATRIX, 0)
    assert (found.kernel, found.efficiency, found.ways) == ("sum_columns_kernel", 1, 1)
    assert found.bytes_read == 64 * 64 * 4
    rows = norch_cuda.profile(SIM.sum, MATRIX, 1)  # and those of rows stay what they were
    assert (rows.kernel, rows.bytes_read) == ("sum_kernel", 64 * 64 * 4)


@pytest.mark.parametrize("shape, dims", [((40, 9), 0), ((3, 5, 40), 1), ((2, 3, 33), (0, 1))])
def test_sums_of_columns_follow_any_strides(shape, dims):
    values = np.random.default_rng(1).integers(-9, 9, shape).astype(np.float32)
    lines = np.ascontiguousarray(values[..., ::-1])
    x = array(lines)
    backwards = x.view(flip(x.layout, (len(shape) - 1,)))
    assert np.array(SIM.sum(backwards, dims).tolist()).tolist() == values.sum(dims).tolist()


def test_a_thread_takes_four_neighbours():
    """Blocks without gaps have four times as many elements as those of a turned matrix."""
    turned = MATRIX.view(norch_strides.transpose(MATRIX.layout, 0, 1))
    for x, blocks in ((floats(2000), 2), (turned, 4)):
        assert f"{blocks} blocks of 256 threads" in str(norch_cuda.profile(SIM.add, x, x))


def test_a_normaliser_is_found_in_one_walk():
    read = {name: norch_cuda.profile(getattr(SIM, name), MATRIX, 1).bytes_read
            for name in ("softmax", "logsumexp")}  # fmt: skip
    assert read == {"softmax": 3 * 64 * 64 * 4, "logsumexp": 64 * 64 * 4}


@pytest.mark.parametrize("version", ["naive", "tiled", "blocked"])
def test_the_three_products_compute_the_same(version):
    found = norch_cuda.profile(norch_cuda.lessons.matmul, MATRIX, MATRIX, version)
    assert found.operations == 2 * 64**3
    assert found.ways <= 1  # no bank conflicts


def test_a_tensor_cores_instruction_is_4096_multiply_adds_of_a_warp():
    a = SIM.cast(MATRIX, norch_cpu_ops.float16)
    found = norch_cuda.profile(norch_cuda.lessons.matmul, a, a, "wmma")
    (product,) = (one for one in found.lines if "mma_sync" in one.text)
    assert product.tensor_operations == product.times * 2 * 4096
    assert found.tensor_operations == 2 * 64**3
    assert {one.file for one in found.lines} == {"matmul_halves.cu"}  # and not the simulator
    assert found.ways == 2  # of the float sums' fragment; none where tiles of halves are touched
    assert found.efficiency == 1.0


def test_the_results_are_those_of_a_plain_run():
    out = floats()
    norch_cuda.profile(kernel("    out[threadIdx.x] = 2 * x[threadIdx.x];"), 2, 32, floats(), out)
    assert out.tolist() == [2 * i for i in range(32)] + list(range(32, 64))


def test_launches_of_one_kernel_are_added_up():
    found = norch_cuda.profile(
        norch_cuda.lessons.sum, floats(512), "tree", blocks=2, kernel="sum_tree_kernel"
    )
    assert len(found.launches) == 2
    assert found.bytes_read == 512 * 4 + 2 * 4
    assert "2 launches" in str(found)


# ---- estimates ---------------------------------------------------------------------------


def test_lanes_are_the_mean_of_the_rows_that_are_shown():
    body = """    if (threadIdx.x < 8) out[threadIdx.x] = 1;
    if (threadIdx.x % 2) atomicAdd(out, T(1));
    out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);"""
    found = profiled(body, block=64)
    rows = [row.split()[:3] for row in str(found).splitlines() if re.match(r" *\d+  ", row)]
    assert [row[0] for row in rows] == ["2", "3", "4"]  # none of the simulator's own headers
    shown = sum(int(warps) * float(lanes) for _, warps, lanes in rows)
    assert found.active == pytest.approx(shown / sum(int(row[1]) for row in rows), abs=0.05)
    assert found.active < 32


ADVICE = {  # a body: what the sentence begins with
    "    out[32 * threadIdx.x] = x[threadIdx.x];": "line 2: let neighbouring threads touch",
    """    __shared__ T tile[1024];
    tile[32 * threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] = tile[32 * threadIdx.x];""": "line 3: give the rows of the shared array one",
    """    T v = x[threadIdx.x];
    if (threadIdx.x % 4 == 0) v = v * 2 + 1;
    out[threadIdx.x] = v;""": "line 3: let the lanes of a warp take one way",
    "    out[threadIdx.x] = x[threadIdx.x];": "global memory is the limit: fetch less",
}


@pytest.mark.parametrize("body", ADVICE)
def test_one_sentence_says_what_to_do(body):
    found = profiled(body)
    assert found.advice.startswith(ADVICE[body])
    assert str(found).endswith(f"\n\nWhat to do: {found.advice}")


def test_occupancy_is_limited_by_what_runs_out_first():
    a100, t4 = GPUS["A100"], GPUS["T4"]
    assert occupancy(a100, 256, 0, 32) == (1.0, 8, "threads")
    assert occupancy(a100, 32, 0, 32) == (0.5, 32, "blocks")
    assert occupancy(a100, 256, 40 << 10, 32) == (0.5, 4, "shared memory")
    assert occupancy(a100, 256, 0, 64) == (0.5, 4, "registers")
    assert occupancy(a100, 256, 0, 33) == (0.75, 6, "registers")  # 33 are given as 40
    assert occupancy(t4, 48, 0, 32) == (1.0, 16, "threads")  # two warps each


def test_the_roofline_takes_the_busiest_part():
    a100 = GPUS["A100"]
    assert roofline(a100, 1555 * 1000, 0, 0, 0, False) == (1.0, "global memory")
    assert roofline(a100, 0, 108 * 1410, 0, 0, False) == (pytest.approx(1.0), "shared memory")
    assert roofline(a100, 0, 0, 19_491_840, 0, False) == (pytest.approx(1.0), "arithmetic")
    assert roofline(a100, 0, 0, 19_491_840, 0, True).microseconds == pytest.approx(2.0)
    assert roofline(a100, 0, 0, 0, 311_869_440, False) == (pytest.approx(1.0), "tensor cores")
    peaks = {"T4": 8.1, "A100": 19.5, "RTX 4090": 82.6, "H100": 66.9}  # of the data sheets
    assert {name: round(gpu.peak / 1000, 1) for name, gpu in GPUS.items()} == peaks
    # 989 is H100's of the data sheet: with tensor cores at work its clock is lower.
    peaks = {"T4": 65, "A100": 312, "RTX 4090": 165, "H100": 989 * 1.98 / 1.83}
    for name, gpu in GPUS.items():
        assert gpu.peak / 1000 * gpu.tensor / gpu.lanes == pytest.approx(peaks[name], rel=2e-3)


# ---- what is shown, and what is refused --------------------------------------------------


def test_the_table_has_a_row_for_each_line_and_says_what_is_an_estimate(monkeypatch):
    monkeypatch.setattr(result_module, "registers_of", lambda *_: None)
    shown = str(norch_cuda.profile(norch_cuda.lessons.transpose, MATRIX, "tiled"))
    assert shown.startswith("transpose_tiled_kernel: 2 x 2 blocks of 32 x 8 threads\n")
    assert re.search(r"^ +31 +128 +32.0 +4.0 +100% +1.0 +if \(i < rows", shown, re.MULTILINE)
    assert re.search(r"^ +36 +128 +32.0 +4.0 +100% +32.0 +if \(i < rows", shown, re.MULTILINE)
    assert shown.count("  not known without the registers; ") == len(GPUS)
    assert shown.count("an estimate from peaks, nothing was measured") == 1


def test_registers_count_where_they_are_known(monkeypatch):
    found = norch_cuda.profile(norch_cuda.lessons.transpose, MATRIX, "tiled")
    monkeypatch.setattr(result_module, "registers_of", lambda *asked: 128 + (asked[2] == 75))
    assert found.occupancy("A100") == (0.25, 2, "registers")
    assert "A100          25%: 2 blocks, limit: registers, 128 registers; " in str(found)
    assert "limit: registers, 129 registers; " in str(found)


def cubin(kernel, registers):
    """An ELF file as small as NVRTC's are large: one kernel, symbol 7, and its attributes."""
    names = b"\0.text." + kernel + b"\0.nv.info\0"
    info = struct.pack("<BBH", 3, 0x50, 1) + struct.pack("<BBHII", 4, 0x11, 8, 7, 99)
    info += struct.pack("<BBHII", 4, 0x2F, 8, 7, registers)
    at = 64 + len(names) + len(info)
    head = b"\x7fELF\x02".ljust(0x28, b"\0") + struct.pack("<Q", at)
    head = head.ljust(0x3A, b"\0") + struct.pack("<HHH", 64, 3, 2)
    sections = [  # name, offset, size, info
        (1, 0, 0, 7),
        (names.index(b".nv.info"), 64 + len(names), len(info), 0),
        (0, 64, len(names), 0),
    ]
    rows = [struct.pack("<IIQQQQIIQQ", n, 0, 0, 0, o, s, 0, i, 0, 0) for n, o, s, i in sections]
    return head + names + info + b"".join(rows)


def test_registers_are_read_from_what_nvrtc_writes(monkeypatch):
    source = norch_cuda.load_kernel('extern "C" __global__ void mine() {}', "mine").source
    made = [cubin(b"_mine", 42), b".version 8.4 // PTX", cubin(b"_other", 1)]
    images = iter([nvrtc.Image(code, {"mine": "_mine"}, {}, {}) for code in made])
    monkeypatch.setattr(machine_code_module, "image_of", lambda *_: next(images))
    assert [machine_code_module.registers_of(source, "mine", 80) for _ in made] == [42, None, None]


def test_registers_of_a_text_of_ones_own_are_not_known_without_nvrtc(monkeypatch):
    def missing(*_):
        raise ImportError("No module named 'cupy'")

    monkeypatch.setattr(machine_code_module, "image_of", missing)
    found = profiled("    out[threadIdx.x] = x[threadIdx.x];")
    assert (found.registers(), found.occupancy()) == (None, None)


def test_registers_of_a_shipped_kernel_are_known_by_its_text(monkeypatch):
    source = family_source("reduce", "float")
    rows = {fingerprint(source): {"sum_kernel": (16, 18, 20, 22, 24)}}
    monkeypatch.setattr(register_table, "_shipped", lambda: rows)
    assert [shipped_registers(source, "sum_kernel", each) for each in (75, 89, 90)] == [16, 20, 22]
    edited = replace(source, text=source.text.replace("a + b", "a + b + 0"))
    assert shipped_registers(edited, "sum_kernel", 75) is None
    assert shipped_registers(source, "sum_kernel", 61) is None


def test_the_shipped_table_has_a_number_for_each_capability():
    found = read_table(TABLE.read_text(encoding="utf-8"))
    assert {len(row) for rows in found.values() for row in rows.values()} == {len(CAPABILITIES)}


def test_the_heat_map_is_a_described_drawing_of_the_source(tmp_path):
    found = norch_cuda.profile(norch_cuda.lessons.transpose, MATRIX, "tiled")
    text = found.svg(tmp_path / "map.svg")
    assert (tmp_path / "map.svg").read_text("utf-8") == text == found._repr_svg_()
    assert 'aria-label="heat map of transpose_tiled_kernel: most global sectors at line 31' in text
    assert "4,096 (32 way)" in text
    assert "__syncthreads();" in text


def test_a_line_where_nothing_happened_has_no_numbers():
    found = profiled("    T v = x[0];\n    __syncthreads();\n    out[threadIdx.x] = v;")
    barrier = line(found, 3)
    assert math.isnan(barrier.efficiency) and math.isnan(barrier.sectors_per_request)
    assert (barrier.ways, barrier.active) == (0, 32)


def test_several_kernels_want_a_choice():
    def both():
        SIM.add(floats(), floats())
        SIM.exp(floats())

    with pytest.raises(ValueError, match=r"\[profile\] 2 kernels were launched: choose one by"):
        norch_cuda.profile(both)
    assert norch_cuda.profile(both, kernel="exp_kernel").kernel == "exp_kernel"
    with pytest.raises(ValueError, match="kernel 'log_kernel' was not launched, but add_kernel"):
        norch_cuda.profile(both, kernel="log_kernel")


def test_nothing_launched_and_unknown_gpus_are_refused():
    with pytest.raises(RuntimeError, match='nothing was launched on "cuda-sim"'):
        norch_cuda.profile(lambda: None)
    found = profiled("    out[0] = 1;", block=1)
    with pytest.raises(ValueError, match="GPU 'GTX': expected one of T4, A100, RTX 4090, H100"):
        found.roofline("GTX")


def test_errors_of_the_kernel_are_those_of_any_run():
    with pytest.raises(RuntimeError, match=r"\[lesson\] divergent __syncthreads"):
        profiled("    if (threadIdx.x < 5) __syncthreads();\n    else\n    __syncthreads();")


def test_sums_of_channels_read_whole_sectors():
    """The gradients of layer_norm's weight and bias: once over grad and x, every byte used."""
    x, rows = MATRIX, array(np.ones(64))
    name = "layer_norm_dweight_kernel"
    found = norch_cuda.profile(SIM.layer_norm_backward, x, x, rows, rows, kernel=name)
    (line,) = [line for line in found.lines if "grad[i * channels + j]" in line.text]
    assert line.useful == line.sectors * 32 == 64 * 64 * 4
    assert found.ways == 1
