"""The properties of project 6: a plan for every cluster, nearly the best, found without trying all.

`make project 6` hands `planner.py` to each function in turn. Clusters are drawn at random; the best
plan of each is found here by simulating all that fit.
"""

import random
import runpy
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from norch_course.projects import NotYet, claim
from norch_ddp.simulate import (
    Compute,
    Level,
    Plan,
    Topology,
    best,
    memory,
    simulate,
    steps,
    transformer,
)
from norch_ddp.simulate.plan import fitting

CLUSTERS, UNSEEN = 10, 5
MOST_ASKED = 16  # simulated steps for a cluster
NEAR, NEAR_ENOUGH = 1.1, 1.25  # of the best plan's time: on each cluster
Choose = Callable[..., Plan]


class Cluster(NamedTuple):
    """A model, the machines for it, and the bytes that a rank has: what `choose` is given."""

    compute: Compute
    topology: Topology
    ranks: int
    batch: int
    room: float

    @property
    def called(self) -> str:
        """The cluster in one line."""
        node = self.topology.levels[0]
        return (
            f"{self.ranks} ranks, {node.ranks} a node, {self.room / 1e9:.1f} GB each, "
            f"{len(self.compute.layers)} layers, {self.compute.parameters / 1e9:.1f} billion "
            f"parameters, {self.batch} samples"
        )

    def simulated(self, plan: Plan) -> float:
        """Return the seconds of a step; ValueError for a plan that no ranks could carry out."""
        return simulate(self.compute, self.topology, plan, self.batch).seconds


def drawn(draw: random.Random) -> Cluster:
    """Draw a cluster; pure data parallelism fits into some of them."""
    while True:
        node, nodes = draw.choice((4, 8)), draw.choice((1, 2, 4))
        levels = [Level("node", node, 3e-6, draw.choice((5e10, 1.5e11, 3e11)))]
        if nodes > 1:
            levels.append(Level("network", node * nodes, 1e-5, draw.choice((3e9, 1e10, 5e10))))
        ranks = node * nodes
        width, context = draw.choice((1024, 2048, 3072, 4096)), draw.choice((512, 1024, 2048))
        compute = transformer(draw.choice((6, 10, 14, 22)), width, context, 32000, 1.5e14)
        batch = ranks * draw.choice((1, 2, 4))
        share = draw.choice((0.15, 0.25, 0.4, 0.7, 1.1))
        room = share * memory(compute, Plan(data=ranks), batch).total
        if fitting(compute, ranks, batch, room, node):
            return Cluster(compute, Topology(*levels), ranks, batch, room)


def clusters(seed: int = 6, count: int = CLUSTERS) -> Iterator[Cluster]:
    """Draw clusters, the same ones for a seed."""
    draw = random.Random(seed)
    return (drawn(draw) for _ in range(count))


def unseen(file: Path) -> Iterator[Cluster]:
    """Draw clusters that no table in the file can know: they follow from its text."""
    return clusters(zlib.crc32(file.read_bytes()), UNSEEN)


def loaded(file: Path) -> Choose:
    """Run the learner's file; return its function."""
    return runpy.run_path(str(file))["choose"]


@claim("right")
def right(file: Path) -> str:
    """A plan for exactly these ranks, which a simulated step accepts."""
    choose = loaded(file)
    for cluster in [*clusters(), *unseen(file)]:
        plan = choose(*cluster)
        if not isinstance(plan, Plan) or plan.ranks != cluster.ranks or plan.zero not in range(4):
            raise NotYet(
                f"{cluster.called}: {plan!r}",
                "data x tensor x pipeline must be the number of ranks, and `zero` one of 0 to 3.",
            )
        try:
            cluster.simulated(plan)
        except ValueError as error:
            raise NotYet(f"{cluster.called}: {error}", "what has to divide what?") from None
    return f"a plan for each of {CLUSTERS + UNSEEN} clusters"


@claim("fits")
def fits(file: Path) -> str:
    """The fullest rank has room for all that it keeps."""
    choose, found = loaded(file), [*clusters(), *unseen(file)]
    for cluster in found:
        plan = choose(*cluster)
        needed = memory(cluster.compute, plan, cluster.batch).total
        if needed > cluster.room:
            raise NotYet(
                f"{cluster.called}: {plan} needs {needed / 1e9:.1f} GB",
                "cut what every rank has whole: `memory(compute, plan, batch)` says what is large.",
            )
    return f"in all {len(found)}"


def slowest(file: Path, found: Iterator[Cluster], near: float) -> str:
    """Compare with the best plan of each cluster."""
    choose, worst = loaded(file), 0.0
    for cluster in found:
        plan = choose(*cluster)
        first = best(*cluster)[0]
        ratio = cluster.simulated(plan) / first.seconds
        worst = max(worst, ratio)
        if ratio > near:
            raise NotYet(
                f"{cluster.called}: {plan} takes {ratio:.2f} times the best",
                f"at most {near}: does it wait for sums, for gradients, or in the bubble?",
            )
    return f"at most {worst:.2f} times the best plan"


@claim("near the best")
def near(file: Path) -> str:
    """On the clusters that are always the same."""
    return slowest(file, clusters(), NEAR)


@claim("unseen clusters")
def elsewhere(file: Path) -> str:
    """On others with every edit, a little less near."""
    return slowest(file, unseen(file), NEAR_ENOUGH)


@claim("steps simulated")
def asked(file: Path) -> str:
    """Counted where a simulation begins, whoever calls it."""
    choose, most = loaded(file), 0
    for cluster in [*clusters(), *unseen(file)]:
        with patch.object(steps, "chunks_of", wraps=steps.chunks_of) as counted:
            choose(*cluster)
        most = max(most, counted.call_count)
        if counted.call_count > MOST_ASKED:
            raise NotYet(
                f"{cluster.called}: {counted.call_count}",
                f"at most {MOST_ASKED}: which plans need no trial? An estimate sorts the others.",
            )
    return f"at most {most} a cluster, of {MOST_ASKED}"
