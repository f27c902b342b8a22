"""The loop around a chain: its text for g++ and for CUDA, the compiled kernel, and its launch.

Sizes, steps and numbers are arguments, so that a text serves all of them; it is compiled once, and
library_cache.py of stage 3 keeps it. `reference` computes a chain operation by operation.
"""

from __future__ import annotations

from array import array
from ctypes import c_void_p, cast
from functools import cache
from typing import Any, NamedTuple

import norch_cpu_ops as cpu
from norch_autograd.fusion.chain import Chain, chain_of, lines_of
from norch_cuda import load_kernel
from norch_cuda.launch.walks import walk
from norch_cuda.runtime.compiler import build_library, open_library
from norch_strides import broadcast_to, coalesce_all, contiguous, numel

_GRAIN = 8192  # elements that one thread takes at a time
_THREADS, _BLOCKS = 256, 1024  # of a block, and of a grid at most
_FEW = 4096  # elements of what is broadcast: not worth a kernel
_MOST = 12  # arrays that one loop reads
_LONGEST = 200  # operations in it
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
    chain, late, numbers = chain_of(steps, roots)
    if len(steps) > _LONGEST or len(late) > _MOST:
        half = len(roots) // 2
        compute(roots[:half] or [steps[len(steps) // 2]], trace)
        return compute(roots[half:], trace)
    shape, real = roots[0].shape, roots[0].ops.real
    outputs = [real.empty(shape, root.dtype) for root in roots]
    launch = Launch(shape, [x.value for x in late], numbers, outputs, trace)
    try:
        (_launch_cpu if roots[0].device == "cpu" else _launch_cuda)(chain, launch)
    except RuntimeError as error:  # no compiler, or none that takes the text
        trace.note(str(error))
        outputs = [reference(root) for root in roots]
    for root, value in zip(roots, outputs, strict=True):
        root.take(value)
    return None


class Launch(NamedTuple):
    """What a kernel is called with."""

    shape: tuple[int, ...]
    arrays: list[Any]
    numbers: list[float]
    outputs: list[Any]
    trace: Any


def reference(root: Any) -> Any:
    """What a late array stands for, operation by operation, each computed once."""
    for x in _steps([root], root.ops.trace):
        args = [arg.value if any(arg is y for y in x.reads) else arg for arg in x.args]
        x.take(getattr(x.ops.real, x.name)(*args))
    return root.value


def _steps(roots: list[Any], trace: Any) -> list[Any]:
    """What is to be computed, operands first. An operand of another shape is computed before, or
    each of its elements would be computed again wherever it is broadcast to.
    """
    steps: list[Any] = []
    done: set[Any] = set()
    stack = list(roots)
    while stack:
        x = stack[-1]
        waiting = [y for y in x.reads if y.value is None and y not in done]
        other = next((y for y in waiting if y.shape != x.shape), None)
        if other is not None and numel(other.shape) < _FEW:
            reference(other)
        elif other is not None:
            compute([other], trace)
        elif waiting:
            stack += waiting
        else:
            stack.pop()
            if x.value is None and x not in done:
                _check_versions(x)
                done.add(x)
                steps.append(x)
    return steps


def _check_versions(x: Any) -> None:
    for read, version in zip(x.reads, x.versions, strict=True):
        if read.version != version:
            raise RuntimeError(
                f"[compile] a tensor that {x.name} reads has been edited in place since, and is "
                "needed again here: clone it before the edit, or edit what the function returned"
            )


# ---- The processor -------------------------------------------------------------------------------


def cpu_text(chain: Chain, ends: str) -> str:
    """C++ that computes elements `begin` to `end`, row by row. `ends` says how each input goes
    along a row: "1" from element to element, "0" not at all, "s" in larger steps.
    """
    reads = [_stored(kind) for kind in chain.reads]
    keeps = [_stored(kind) for _, kind in chain.keeps]
    fields = [f"const {kind}* x{k}; const i64* steps{k};" for k, kind in enumerate(reads)]
    fields += [f"{kind}* y{k};" for k, kind in enumerate(keeps)]
    first = {"1": " + first", "0": "", "s": " + first * a->steps{0}[a->dims]"}
    index = {"1": "[j]", "0": "[0]", "s": "[j * a->steps{0}[a->dims]]"}
    row = [
        f"const {kind}* in{k} = row_of(a->x{k}, a->steps{k}, a, row){first[ends[k]].format(k)};"
        for k, kind in enumerate(reads)
    ]
    row += [f"{kind}* out{k} = a->y{k} + i;" for k, kind in enumerate(keeps)]
    body = [
        f"const {kind} x{k} = in{k}{index[ends[k]].format(k)};"
        for k, kind in enumerate(chain.reads)
    ]
    body += lines_of(chain) + [f"out{k}[j] = {word};" for k, (word, _) in enumerate(chain.keeps)]
    numbers = [f"const double c{k} = a->numbers[{k}];" for k in range(_numbers_in(chain))]
    return f"""#include <cmath>
#include <cstdint>
using namespace std;
typedef int64_t i64;

struct Arguments {{
  i64 columns, dims;
  const i64* sizes;
  const double* numbers;
{_indented(fields, 2)}}};

template <class E>
inline E* row_of(E* x, const i64* steps, const Arguments* a, i64 row) {{
  for (i64 d = a->dims - 1; d >= 0; row /= a->sizes[d--]) x += row % a->sizes[d] * steps[d];
  return x;
}}

extern "C" [[gnu::visibility("default")]] void chain(const Arguments* a, i64 begin, i64 end) {{
{_indented(numbers, 2)}  for (i64 i = begin; i < end;) {{
    const i64 row = i / a->columns, first = i % a->columns;
    const i64 count = end - i < a->columns - first ? end - i : a->columns - first;
{_indented(row, 4)}#pragma omp simd
    for (i64 j = 0; j < count; ++j) {{
{_indented(body, 6)}    }}
    i += count;
  }}
}}
"""


def _launch_cpu(chain: Chain, x: Launch) -> None:
    """Arguments in memory as the struct has them, then stage 2's pool of threads."""
    layouts = [broadcast_to(a.layout, x.shape) for a in x.arrays]
    walks = [contiguous(x.shape).strides, *(layout.strides for layout in layouts)]
    sizes, steps = coalesce_all(x.shape, walks)
    if not sizes:
        sizes, steps = (1,), ((0,),) * len(walks)
    ends = "".join("01"[step[-1]] if step[-1] in (0, 1) else "s" for step in steps[1:])
    text, function = _compiled(chain, ends)
    x.trace.log.keep(text)
    dims = len(sizes) - 1
    words = array("q", [*sizes[:-1], *(step for row in steps[1:] for step in row)])
    numbers = array("d", x.numbers)
    start = words.buffer_info()[0]
    given = [sizes[-1], dims, start, numbers.buffer_info()[0]]
    for k, a in enumerate(x.arrays):
        given += a.data_ptr, start + 8 * (dims + k * len(sizes))
    given += [a.data_ptr for a in x.outputs]
    context = array("q", given)
    cpu.run_compiled(function, context.buffer_info()[0], numel(x.shape), _GRAIN)


@cache
def _compiled(chain: Chain, ends: str) -> tuple[str, int]:
    """The text of a loop, and where its function lies in memory."""
    text = cpu_text(chain, ends)
    flags = (*_FLAGS, *_ISA.get(cpu.instruction_set(), ()))
    library = open_library(build_library("chain", [], text, [], flags))
    _loaded.append(library)
    return text, cast(library.chain, c_void_p).value or 0


_loaded: list[Any] = []  # a library that nobody holds would be unloaded


# ---- CUDA ----------------------------------------------------------------------------------------


@cache
def cuda_text(chain: Chain, whole: tuple[bool, ...]) -> str:
    """A kernel whose threads stride over the elements. An input that is not `whole`, row-major and
    of the result's shape, comes with its layout.
    """
    given, body = ["i64 n"], []
    for k, kind in enumerate(chain.reads):
        given.append(f"const {_stored(kind, 'Bool')}* in{k}")
        given += [] if whole[k] else [f"Layout walk{k}"]
        body.append(f"const {kind} x{k} = in{k}[{'i' if whole[k] else f'at(walk{k}, i)'}];")
    given += [f"{_stored(kind, 'Bool')}* out{k}" for k, (_, kind) in enumerate(chain.keeps)]
    given += [f"double c{k}" for k in range(_numbers_in(chain))]
    body += lines_of(chain) + [f"out{k}[i] = {word};" for k, (word, _) in enumerate(chain.keeps)]
    return f"""extern "C" __global__ void chain({", ".join(given)}) {{
  for (i64 i = first_element(); i < n; i += element_step()) {{
{_indented(body, 4)}  }}
}}
"""


def _launch_cuda(chain: Chain, x: Launch) -> None:
    whole = tuple(a.is_contiguous and a.shape == x.shape for a in x.arrays)
    text, n = cuda_text(chain, whole), numel(x.shape)
    x.trace.log.keep(text)
    given: list[Any] = [n]
    for a, flat in zip(x.arrays, whole, strict=True):
        given += [a] if flat else [a, walk(a, x.shape)[0]]
    if n:
        kernel = load_kernel(text, "chain", x.outputs[0].device)
        kernel(min(-(-n // _THREADS), _BLOCKS), _THREADS, *given, *x.outputs, *x.numbers)


# ---- Both ----------------------------------------------------------------------------------------


def _stored(kind: str, truth: str = "unsigned char") -> str:
    return truth if kind == "bool" else kind


def _indented(lines: list[str], by: int) -> str:
    return "".join(" " * by + line + "\n" for line in lines)


def _numbers_in(chain: Chain) -> int:
    return sum(word[0] == "c" for step in chain.steps for word in step[3])
