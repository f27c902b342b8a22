# told: at most 1.1: does it wait
# Whatever needs the least memory: it fits everywhere, and waits.

from norch_ddp.simulate import memory
from norch_ddp.simulate.plan import plans


def choose(compute, topology, ranks, batch, room):
    """Return the plan that needs the least."""
    every = plans(compute, ranks, batch, topology.levels[0].ranks)
    return min(every, key=lambda plan: memory(compute, plan, batch).total)
