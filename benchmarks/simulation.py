"""The rows that hold `norch.distributed.simulate` to what two ranks took: predicted over measured.

In shared memory, and between two network namespaces with a cable of a given rate, which needs the
right to make them. `simulation_ranks.py` is what the ranks run.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from types import ModuleType
from unittest import mock

from benchmarks.distributed import start
from benchmarks.processes import ROOT, environment
from benchmarks.row import Row

GROUP = "simulate"
LEAST, MOST = 0.9, 1.1
PATIENCE = 600.0
LINKS = {"shared memory": 6, "1000 Mbit/s": 4, "300 Mbit/s": 3, "100 Mbit/s": 2}  # rounds at most
MODELS = ("MLP", "GPT")
BURST = "256kb"  # of the cable; with less the timer of each packet slows the computing down

NAMES = [f"{model} step over {link}, simulated" for link in LINKS for model in MODELS]


def measure(names: Sequence[str], frameworks: Sequence[str], rounds: int) -> Iterator[Row]:
    """Yield the rows of these names: one launch a link measures its models."""
    for link, most in LINKS.items():
        models = [model for model in MODELS if f"{model} step over {link}, simulated" in names]
        if not models or "norch" not in frameworks:
            continue
        times, reason = launch(link, models, min(rounds, most))
        for model in models:
            name = f"{model} step over {link}, simulated"
            row = Row(name, GROUP, 1, MOST, least=LEAST, beside="measured")
            row.times = times.get(model, {})
            if reason:
                row.absent["norch"] = f"failed: {reason}"
            yield row


def launch(
    link: str, models: Sequence[str], rounds: int
) -> tuple[dict[str, dict[str, list[float]]], str]:
    """Run the two ranks over this link; return seconds by model, and why there are none."""
    ranks = ["-m", "benchmarks.simulation_ranks", str(rounds), *models]
    if link == "shared memory":
        return answer([start(["-m", "norch.distributed.run", "--nproc_per_node", "2", *ranks])])
    if not shutil.which("ip") or not shutil.which("tc"):
        return {}, "network namespaces need the programs ip and tc"
    cable = cable_module().Cable()
    try:
        if problem := cable.lay():
            return {}, problem.strip()
        cable.slow_down(link.replace(" Mbit/s", "mbit"), BURST)
        with mock.patch.dict(os.environ, environment(1), clear=True):
            started = cable.launch(*ranks)
        return answer(started)
    finally:
        cable.take_away()


def answer(started: list[subprocess.Popen[str]]) -> tuple[dict[str, dict[str, list[float]]], str]:
    """Return what rank 0 printed, or the last words of who ended without it."""
    try:
        ended = [process.communicate(timeout=PATIENCE) for process in started]
    finally:
        for process in started:
            process.kill()
    lines = [line for ends in ended for text in ends if text for line in text.splitlines()]
    found = [line for line in lines if line.startswith("{")]
    return (json.loads(found[0]), "") if found else ({}, lines[-1] if lines else "no answer")


def cable_module() -> ModuleType:
    """Return the module of stage 6's tests that lays a cable."""
    path = ROOT / "stages" / "06_ddp" / "tests" / "cable.py"
    spec = importlib.util.spec_from_file_location("cable", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
