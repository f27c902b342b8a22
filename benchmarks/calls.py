"""`python -m benchmarks.calls`: how many Python functions the operations used most enter.

Writes benchmarks/calls.md, with which tests/test_calls.py compares what it counts itself. Nothing
is timed: on tensors this small a count is the same on every processor. It is taken with the C++
core of stage 4 in use.
"""

from __future__ import annotations

import gc
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import norch
from norch import nn
from norch.nn import functional as F
from norch.utils.data import DataLoader, TensorDataset

RECORD = Path(__file__).parent / "calls.md"
STANDARD = (sysconfig.get_paths()["stdlib"], "<frozen ")  # where Python's own functions lie
PYTHON = f"CPython {sys.version_info.major}.{sys.version_info.minor}"
INLINED = ("<listcomp>", "<dictcomp>", "<setcomp>")  # no frames of their own from Python 3.12 on
HEAD = """# Python calls of what is used most

Written by `python -m benchmarks.calls`; `tests/test_calls.py` counts again and compares. A call is
a Python function of norch that is entered, with the C++ core of stage 4 in use; comprehensions and
the standard library are not counted. A change of file: a function calls one of another file, or
returns to it. `a` and `b`, of shape (8, 8), and all parameters want gradients. Counted in {python}.

| what | calls | under `no_grad` | changes of file |
|---|---:|---:|---:|
"""


class Count(NamedTuple):
    """What one statement costs."""

    calls: int
    calls_no_grad: int
    changes: int


class Trace:
    """The Python functions that are entered, and the files that execution goes through."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.files: list[str] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Note an event of `sys.setprofile`."""
        if event == "call" and is_counted(frame.f_code):
            self.calls.append(frame.f_code.co_qualname)
            self.files.append(frame.f_code.co_filename)
        elif event == "return" and frame.f_back is not None and is_counted(frame.f_back.f_code):
            self.files.append(frame.f_back.f_code.co_filename)

    def changes(self) -> int:
        """How often the file is another one than before."""
        return sum(a != b for a, b in zip(self.files, self.files[1:], strict=False))


def is_counted(code: CodeType) -> bool:
    """Whether it is a function of norch: the methods that `namedtuple` makes are, too."""
    file = code.co_filename
    return file != __file__ and not file.startswith(STANDARD) and code.co_name not in INLINED


def trace_call(function: Callable[[], Any]) -> Trace:
    """Return what a call of `function` goes through, when all is imported and remembered."""
    for _ in range(3):
        function()
    trace, found, collects = Trace(), sys.getprofile(), gc.isenabled()
    gc.disable()  # what is collected here was left by others
    sys.setprofile(trace)
    try:
        function()
    finally:
        sys.setprofile(found)
        if collects:
            gc.enable()
    return trace


def count_calls(function: Callable[[], Any]) -> Count:
    """Return the counts of `function`."""
    trace = trace_call(function)
    with norch.no_grad():
        without = trace_call(function)
    return Count(len(trace.calls), len(without.calls), trace.changes())


def operations() -> dict[str, Callable[[], Any]]:
    """Return operations on tensors, as they are written."""
    a, b = norch.ones(8, 8, requires_grad=True), norch.ones(8, 8, requires_grad=True)
    mask, index = norch.ones(8, 8) > 0, norch.tensor([0, 2])
    return {
        "a + b": lambda: a + b,
        "a - 1": lambda: a - 1,
        "a * b": lambda: a * b,
        "a / b": lambda: a / b,
        "-a": lambda: -a,
        "a ** 2": lambda: a**2,
        "a @ b": lambda: a @ b,
        "a > 0": lambda: a > 0,
        "a[0]": lambda: a[0],
        "a[:, 1:]": lambda: a[:, 1:],
        "a[index]": lambda: a[index],
        "a.sum()": a.sum,
        "a.sum(1)": lambda: a.sum(1),
        "a.mean()": a.mean,
        "a.max(1)": lambda: a.max(1),
        "a.argmax(1)": lambda: a.argmax(1),
        "a.exp()": a.exp,
        "a.log()": a.log,
        "a.sqrt()": a.sqrt,
        "a.view(64)": lambda: a.view(64),
        "a.reshape(4, 16)": lambda: a.reshape(4, 16),
        "a.transpose(0, 1)": lambda: a.transpose(0, 1),
        "norch.cat([a, b])": lambda: norch.cat([a, b]),
        "norch.stack([a, b])": lambda: norch.stack([a, b]),
        "norch.where(mask, a, b)": lambda: norch.where(mask, a, b),
        "a.detach()": a.detach,
        "norch.tensor([1.0, 2.0])": lambda: norch.tensor([1.0, 2.0]),
        "norch.zeros(8, 8)": lambda: norch.zeros(8, 8),
    }


def layers() -> dict[str, Callable[[], Any]]:
    """Return functions and modules of networks."""
    a, classes = norch.ones(8, 8, requires_grad=True), norch.tensor([0, 1, 2, 3, 4, 5, 6, 7])
    image, words = norch.ones(1, 1, 8, 8), norch.tensor([[1, 2]])
    linear, conv, pool = nn.Linear(8, 8), nn.Conv2d(1, 1, 3), nn.MaxPool2d(2)
    batch_norm, layer_norm = nn.BatchNorm2d(1), nn.LayerNorm(8)
    embedding, dropout = nn.Embedding(8, 8), nn.Dropout(0.5)
    return {
        "F.relu(a)": lambda: F.relu(a),
        "F.softmax(a, 1)": lambda: F.softmax(a, 1),
        "F.cross_entropy(a, classes)": lambda: F.cross_entropy(a, classes),
        "F.mse_loss(a, a)": lambda: F.mse_loss(a, a),
        "nn.Linear": lambda: linear(a),
        "nn.Conv2d": lambda: conv(image),
        "nn.MaxPool2d": lambda: pool(image),
        "nn.BatchNorm2d": lambda: batch_norm(image),
        "nn.LayerNorm": lambda: layer_norm(a),
        "nn.Embedding": lambda: embedding(words),
        "nn.Dropout": lambda: dropout(a),
    }


def training() -> dict[str, Callable[[], Any]]:
    """Return the steps of a training loop, on a network of two layers."""
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
    sgd = norch.optim.SGD(model.parameters(), lr=0.1)
    adam = norch.optim.Adam(model.parameters())
    data = TensorDataset(norch.ones(100, 8), norch.arange(100))
    batches = iter(DataLoader(data, batch_size=4))
    loss = model(norch.ones(4, 8)).sum()
    return {
        "nn.Sequential of 3": lambda: model(norch.ones(4, 8)),
        "loss.backward()": lambda: loss.backward(retain_graph=True),
        "optim.SGD.step()": sgd.step,
        "optim.Adam.step()": adam.step,
        "optimizer.zero_grad()": sgd.zero_grad,
        "next(DataLoader)": lambda: next(batches),
    }


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside, nothing is shared out."""
    found = norch.get_num_threads()
    norch.set_num_threads(1)
    try:
        yield
    finally:
        norch.set_num_threads(found)


def table() -> dict[str, Count]:
    """Count all rows."""
    with one_thread():
        rows = operations() | layers() | training()
        return {name: count_calls(function) for name, function in rows.items()}


def page(rows: dict[str, Count]) -> str:
    """Return calls.md."""
    lines = [f"| {f'`{name}`':32} | {' | '.join(map(str, row))} |\n" for name, row in rows.items()]
    return HEAD.format(python=PYTHON) + "".join(lines)


def main() -> None:
    """Write the record."""
    from norch_autograd.types.core import core_status, is_core_used

    if not is_core_used():
        sys.exit(f"[calls] counted with the C++ core alone, and {core_status()}")
    RECORD.write_text(page(table()))
    print(RECORD.read_text())


if __name__ == "__main__":
    main()
