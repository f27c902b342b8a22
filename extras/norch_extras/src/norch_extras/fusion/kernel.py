"""The loop around a chain: its text for g++ and for CUDA, the compiled kernel, and its launch.

Sizes, strides and numbers are arguments, so that a text serves all of them; it is compiled once,
and library_cache.py of stage 3 keeps it. `step_by_step` computes a chain without a loop.
"""

from __future__ import annotations

from ctypes import addressof, c_void_p, cast, create_string_buffer
from functools import cache
from struct import pack
from typing import Any

import norch_cpu_ops as cpu
from norch_cuda import load_kernel
from norch_cuda.launch.walks import walk
from norch_cuda.runtime.compiler import build_library, open_library
from norch_extras.fusion.chain import Chain, chain_of, lines_of
from norch_strides import broadcast_to, coalesce_all, contiguous, numel

_GRAIN = 8192  # elements that one thread takes at a time
_THREADS, _BLOCKS = 256, 1024  # of a block, and of a grid at most
_FEW = 4096  # elements of what is broadcast: not worth a kernel
_MOST, _LONGEST = 12, 200  # arrays that one loop reads, and operations in it
# Under the name __FAST_MATH__ the C library declares exp, tanh and others for whole vectors, exact
# to 4 units in the last place; nothing else here is less exact for it.
_FLAGS = ("-O3", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math", "-D__FAST_MATH__")
_ISA = {
    "avx512": ("-march=x86-64-v4", "-mprefer-vector-width=512"),
    "avx2": ("-march=x86-64-v3",),
}


def compute(roots: list[Any], trace: Any) -> None:
    """Give late arrays of one shape and device their values, all in one loop."""
    steps = _steps(roots, trace)
    roots = [root for root in roots if root.value is None]
    if not steps:
        return None
    chain, reads, numbers = chain_of(steps, roots)
    if len(steps) > _LONGEST or len(reads) > _MOST:
        half = roots[: len(roots) // 2] or [steps[len(steps) // 2]]
        compute(half, trace)
        return compute(roots, trace)
    given = [x.value for x in reads]
    outputs = [x.ops.real.empty(x.shape, x.dtype) for x in roots]
    try:
        launch = _launch_cpu if roots[0].device == "cpu" else _launch_cuda
        trace.keep(launch(chain, given, numbers, outputs))
    except RuntimeError as error:  # no compiler, or none that takes the text
        trace.note(str(error))
        return step_by_step(roots, trace)
    for root, value in zip(roots, outputs, strict=True):
        root.take(value)
    return None


def step_by_step(roots: list[Any], trace: Any) -> None:
    """Give late arrays their values operation by operation, without a loop."""
    for x in _steps(roots, trace):
        args = [arg.value if hasattr(arg, "reads") else arg for arg in x.args]
        x.take(getattr(x.ops.real, x.name)(*args))


def _steps(roots: list[Any], trace: Any) -> list[Any]:
    """The late arrays of a chain that are to be computed, operands first. An operand of another
    shape is computed before, or each of its elements would be again wherever it is broadcast to.
    """
    steps: dict[Any, None] = {}
    stack = list(roots)
    while stack:
        x = stack[-1]
        waiting = [y for y in x.reads if y.value is None and y not in steps]
        others = [y for y in waiting if y.shape != x.shape]
        if others:
            (step_by_step if numel(others[0].shape) < _FEW else compute)(others[:1], trace)
        elif waiting:
            stack += waiting
        elif stack.pop().value is None:
            steps[x] = None
    for x in steps:
        if x.versions != tuple([y.version for y in x.reads]):
            raise RuntimeError(
                f"[compile] a tensor that {x.name} reads has been edited in place since, and is "
                "needed again here: clone it before the edit, or edit what the function returned"
            )
    return list(steps)


# ---- The processor -------------------------------------------------------------------------------


def cpu_text(chain: Chain, ends: str) -> str:
    """C++ that computes elements `begin` to `end`, row by row. `ends` says how each input goes
    along a row: "1" from element to element, "0" not at all, "s" in larger steps. `a` holds the
    columns, the other dimensions, pointers, steps along a row, then `sizes`, steps and numbers.
    """
    row, body, arrays = [], [], len(chain.reads) + len(chain.keeps)
    for k, (kind, end) in enumerate(zip(chain.reads, ends, strict=True)):
        j = {"1": "{}", "0": "0", "s": f"{{}} * a[{2 + arrays + k}]"}[end]
        start = f"({_stored(kind)}*)a[{2 + k}] + row_of(a, {k}, sizes, row) + {j.format('first')}"
        row += [f"const {_stored(kind)}* in{k} = {start};"]
        body += [f"const {kind} x{k} = in{k}[{j.format('j')}];"]
    body += lines_of(chain)
    for k, (word, kind) in enumerate(chain.keeps):
        row += [f"{_stored(kind)}* out{k} = ({_stored(kind)}*)a[{2 + len(chain.reads) + k}] + i;"]
        body += [f"out{k}[j] = {word};"]
    numbers = [f"const double c{k} = numbers[{k}];" for k in range(chain.numbers)]
    return f"""#include <cmath>
#include <cstdint>
using namespace std;
typedef int64_t i64;

inline i64 row_of(const i64* a, i64 k, const i64* sizes, i64 row) {{
  i64 place = 0;
  for (i64 dims = a[1], d = dims - 1; d >= 0; row /= sizes[d--])
    place += row % sizes[d] * sizes[(k + 1) * dims + d];
  return place;
}}

extern "C" [[gnu::visibility("default")]] void chain(const i64* a, i64 begin, i64 end) {{
  const i64 columns = a[0], *sizes = a + {2 + arrays + len(chain.reads)};
  const double* numbers = (const double*)(sizes + a[1] * {1 + len(chain.reads)});
{_indent(numbers, 2)}  for (i64 i = begin; i < end;) {{
    const i64 row = i / columns, first = i % columns;
    const i64 count = end - i < columns - first ? end - i : columns - first;
{_indent(row, 4)}#pragma omp simd
    for (i64 j = 0; j < count; ++j) {{
{_indent(body, 6)}    }}
    i += count;
  }}
}}
"""


def _launch_cpu(chain: Chain, given: list[Any], numbers: list[float], outputs: list[Any]) -> str:
    """Arguments as the text wants them, then stage 2's pool of threads; the text."""
    shape = outputs[0].shape
    walks = [contiguous(shape).strides, *(broadcast_to(x.layout, shape).strides for x in given)]
    sizes, found = coalesce_all(shape, walks)
    sizes, steps = (sizes, found[1:]) if sizes else ((1,), ((0,),) * len(given))
    ends = "".join("01"[step[-1]] if step[-1] in (0, 1) else "s" for step in steps)
    text, _, function = _compile_chain(chain, ends)
    words = [sizes[-1], len(sizes) - 1, *(x.data_ptr for x in [*given, *outputs])]
    words += [step[-1] for step in steps] + [n for row in (sizes, *steps) for n in row[:-1]]
    a = create_string_buffer(pack(f"{len(words)}q{len(numbers)}d", *words, *numbers))
    cpu.run_compiled(function, addressof(a), numel(shape), _GRAIN)
    return text


@cache
def _compile_chain(chain: Chain, ends: str) -> tuple[str, Any, int]:
    """The text of a loop, its library (unloaded if nobody held it), and its place in memory."""
    text = cpu_text(chain, ends)
    flags = (*_FLAGS, *_ISA.get(cpu.instruction_set(), ()))
    library = open_library(build_library("chain", [], text, [], flags))
    return text, library, cast(library.chain, c_void_p).value or 0


# ---- CUDA ----------------------------------------------------------------------------------------


@cache
def cuda_text(chain: Chain, whole: tuple[bool, ...]) -> str:
    """A kernel whose threads stride over the elements. An input that is not `whole`, row-major and
    of the result's shape, comes with its layout.
    """
    given, body = ["i64 n"], []
    for k, kind in enumerate(chain.reads):
        given += [f"const {_stored(kind, 'Bool')}* in{k}", f"Layout walk{k}"][: 2 - whole[k]]
        body += [f"const {kind} x{k} = in{k}[{'i' if whole[k] else f'at(walk{k}, i)'}];"]
    given += [f"{_stored(kind, 'Bool')}* out{k}" for k, (_, kind) in enumerate(chain.keeps)]
    given += [f"double c{k}" for k in range(chain.numbers)]
    body += lines_of(chain) + [f"out{k}[i] = {word};" for k, (word, _) in enumerate(chain.keeps)]
    return f"""extern "C" __global__ void chain({", ".join(given)}) {{
  for (i64 i = first_element(); i < n; i += element_step()) {{
{_indent(body, 4)}  }}
}}
"""


def _launch_cuda(chain: Chain, given: list[Any], numbers: list[float], outputs: list[Any]) -> str:
    """Compile and launch the CUDA kernel of a chain; its text."""
    shape, n = outputs[0].shape, numel(outputs[0].shape)
    whole = tuple(x.is_contiguous and x.shape == shape for x in given)
    text, words = cuda_text(chain, whole), []
    for x, flat in zip(given, whole, strict=True):
        words += [x] if flat else [x, walk(x, shape)[0]]
    if n:
        kernel = load_kernel(text, "chain", outputs[0].device)
        kernel(min(-(-n // _THREADS), _BLOCKS), _THREADS, n, *words, *outputs, *numbers)
    return text


# ---- Both ----------------------------------------------------------------------------------------


def _stored(kind: str, truth: str = "unsigned char") -> str:
    """The type in memory of a value that a kernel computes in type `kind`."""
    return truth if kind == "bool" else kind


def _indent(lines: list[str], by: int) -> str:
    """Lines of a kernel's text, moved to the right."""
    return "".join(" " * by + line + "\n" for line in lines)
