"""What `make gpu-static` reads and refuses: the assembler's words, machine code, inner loops.

The goal itself needs NVIDIA's wheels; here its judgement is tried on texts like theirs.
"""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def tools(monkeypatch):
    for folder in ("tools", "stages/03_cuda/tests"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    yield
    for name in ("gpu_static", "gpu_assembler", "machine_loops"):
        sys.modules.pop(name, None)


SAID = """ptxas info    : 12 bytes gmem
ptxas info    : Compiling entry function 'lean_kernel' for 'sm_90'
ptxas info    : Function properties for lean_kernel
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 256 bytes smem
ptxas info    : Compiling entry function 'spilling_kernel' for 'sm_90'
ptxas info    : Function properties for spilling_kernel
    40 bytes stack frame, 52 bytes spill stores, 48 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers
"""
CODE = """//--------------------- .text.add_kernel          --------------------------
\t.section\t.text.add_kernel,"ax",@progbits
.text.add_kernel:
        /*0000*/                   S2R R2, SR_TID.X ;
.L_x_0:
        /*0010*/               @P0 EXIT ;
.L_x_1:
        /*0020*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0030*/                   LDG.E.128.CONSTANT R8, desc[UR4][R2.64] ;
        /*0040*/                   FADD R4, R4, R8 ;
        /*0050*/                   IMAD.WIDE.U32 R2, R0, 0x10, R2 ;
        /*0060*/                   IADD3 R0, R0, UR5, RZ ;
        /*0070*/                   ISETP.GE.U32.AND P1, PT, R0, UR6, PT ;
        /*0080*/                   STG.E.128 desc[UR4][R2.64], R4 ;
        /*0090*/              @!P1 BRA `(.L_x_1) ;
        /*00a0*/                   LDG.E R4, desc[UR4][R2.64] ;
        /*00b0*/               @P2 BRA `(.L_x_0) ;
.L_x_2:
        /*00c0*/                   BRA `(.L_x_2);
"""


def test_frames_and_registers_are_read():
    from gpu_assembler import read_kernels

    found = read_kernels(SAID, {"lean_kernel": ["a loop"]})
    assert found["lean_kernel"] == (32, 256, 0, ["a loop"])
    assert found["spilling_kernel"] == (255, 0, 52, [])


def test_a_kernel_that_spills_is_refused_and_one_of_large_angles_is_not():
    from gpu_assembler import Assembled
    from gpu_static import frames

    kernels = {
        "spilling_kernel": Assembled(255, 0, 52, []),
        "lean_kernel": Assembled(32, 0, 0, []),
        "sin_kernel": Assembled(32, 0, 40, []),
    }
    assert frames({("mine", "float"): {90: kernels}}) == [
        "mine of float: spilling_kernel keeps 52 bytes in local memory on sm_90"
    ]


def test_only_the_innermost_loop_is_counted():
    from machine_loops import inner_loops

    (loop,) = inner_loops(CODE)["add_kernel"]
    assert (loop.wide_loads, loop.integers, loop.number("FADD"), loop.number("STG")) == (2, 3, 1, 1)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"integers_an_element": 1}, ""),
        ({"integers_an_element": 0.5}, "0.75 integer instructions an element, at most 0.5"),
        ({"products_for_a_shared_load": 8}, "0.0 FFMA for an LDS, expected 8"),
    ],
)
def test_loops_are_judged(rule, said):
    from gpu_static import judge
    from machine_loops import inner_loops

    assert judge(rule, inner_loops(CODE)["add_kernel"]) == said


def test_a_loop_of_narrow_loads_is_refused():
    from gpu_static import judge
    from machine_loops import inner_loops

    loops = inner_loops(CODE.replace(".128", ""))["add_kernel"]
    rule = {"integers_an_element": 2}
    assert judge(rule, loops) == "no loop loads 16 bytes at once"


def test_a_text_that_has_changed_is_not_in_the_table():
    from gpu_static import beginning, stale

    line = f"{beginning('copy', 'float')} clone_kernel:0:32/32:4/4"
    assert stale([line], [("copy", "float")]) == []
    assert stale([line], [("copy", "float"), ("copy", "int")]) == ["copy of int: not in the table"]
    assert stale([line.replace("@", "@0")], [("copy", "float")])
