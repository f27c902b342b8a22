"""What one rank of the simulated rows does, given the number of rounds and the models.

Two ranks run it. In every round the link and a model's layers are measured, a step is simulated
from them, and DDP's own steps are timed: the machine may be faster in the next round. Rank 0 prints
one line of JSON: seconds by model, predicted ("norch") and measured, one number a round.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

import norch
from benchmarks.ranks import MODELS, training_step
from norch import distributed as dist, nn, optim
from norch.distributed import simulate

MOST_STEPS, MOST_SECONDS = 7, 1.5  # of training, in each round


def main() -> None:
    """Compare the models that are named, as rank 0 or 1 of 2."""
    norch.set_num_threads(1)
    dist.init_process_group()
    rounds = int(sys.argv[1])
    found = {name: compare(name, rounds) for name in sys.argv[2:]}
    if dist.get_rank() == 0:
        print(json.dumps(found))
    dist.destroy_process_group()


def compare(name: str, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of a model's step in each round but the first, simulated and measured."""
    model, x, y = MODELS[name](norch)
    trained, *_ = MODELS[name](norch)
    optimizer = optim.SGD(model.parameters(), lr=0.01)
    wrapped = nn.parallel.DistributedDataParallel(trained)
    step = training_step(norch, wrapped, optim.SGD(trained.parameters(), lr=0.01), x, y)

    def loss() -> norch.Tensor:
        return nn.functional.cross_entropy(model(x), y)

    found: dict[str, list[float]] = {"norch": [], "measured": []}
    for number in range(rounds + 1):
        link = simulate.Topology(simulate.measure_link())
        compute = simulate.slowest(simulate.measure(model, loss, optimizer, len(x), state=0))
        plan = simulate.Plan(data=dist.get_world_size())
        predicted = simulate.simulate(compute, link, plan, len(x) * plan.data).seconds
        steps = max(2, min(MOST_STEPS, round(MOST_SECONDS / predicted)))  # on all ranks the same
        measured = seconds(step, steps)
        if number:
            found["norch"].append(predicted)
            found["measured"].append(measured)
    return found


def seconds(step: Callable[[], None], steps: int) -> float:
    """Time some steps of training, which follow each other; return the one in the middle."""
    found = []
    dist.barrier()
    for _ in range(steps):
        start = time.perf_counter()
        step()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


if __name__ == "__main__":
    main()
