"""Chains of elementwise operations: one after the other, and compiled to one loop by each library.

norch's compiler is asked for by `backend="fuse"`, PyTorch's is what its `compile` does by itself.
What the first call compiles is not timed.
"""

from __future__ import annotations

from typing import Any

from benchmarks.workload import Build, Inputs, Work, Workload, leaf, normal, with_gradients

GROUP = "fusion"
SHAPE = (2048, 2048)
BYTES = 4.0 * SHAPE[0] * SHAPE[1]  # of one array


def gelu(lib: Any, x: Any) -> Any:
    """The gelu of many language models, written out: nine operations."""
    return 0.5 * x * (1 + lib.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


def adamw(lib: Any, p: Any, grad: Any, m: Any, v: Any) -> tuple[Any, ...]:
    """A step of AdamW, the second one, of one parameter; the square makes `v` no less than 0."""
    m = m * 0.9 + grad * 0.1
    v = v * v * 0.999 + grad * grad * 0.001
    scale = (v / (1 - 0.999**2)).sqrt() + 1e-8
    return p * (1 - 1e-5) - 1e-3 * (m / (1 - 0.9**2)) / scale, m, v


def prepare(lib: Any, function: Any, compiled: bool) -> Any:
    """The function of tensors alone, compiled by the library's own means if it is to be."""

    def of_tensors(*tensors: Any) -> Any:
        return function(lib, *tensors)

    if not compiled:
        return of_tensors
    return lib.compile(of_tensors, backend="fuse" if lib.__name__ == "norch" else "inductor")


def forward(function: Any, compiled: bool) -> Build:
    """Return the build of a function of the inputs."""

    def build(lib: Any, given: Inputs) -> Work:
        run, arguments = prepare(lib, function, compiled), list(given.values())
        return lambda: run(*arguments)

    return build


def with_backward(compiled: bool) -> Build:
    """Return the build of gelu, forward and backward."""

    def build(lib: Any, given: Inputs) -> Work:
        run, x = prepare(lib, gelu, compiled), leaf(given["x"])
        return with_gradients(lambda: run(x), given["upstream"], [x])

    return build


def rows(
    name: str, inputs: str, build: Any, passes: int, gates: tuple[float, float]
) -> list[Workload]:
    """Return a chain as it is and compiled; `passes` counts the arrays read and written."""
    draw = normal(**dict.fromkeys(inputs.split(), SHAPE))
    total = passes * BYTES
    return [
        Workload(f"4M {name}", GROUP, draw, build(False), gate=gates[0], bytes=total),
        Workload(f"4M {name}, compiled", GROUP, draw, build(True), gate=gates[1], bytes=total),
    ]


ROWS = (
    *rows("gelu of nine operations", "x", lambda c: forward(gelu, c), 2, (1.0, 1.2)),
    *rows("gelu, forward and backward", "x upstream", with_backward, 5, (1.0, 1.2)),
    *rows("step of AdamW", "p grad m v", lambda c: forward(adamw, c), 7, (1.0, 1.2)),
)
