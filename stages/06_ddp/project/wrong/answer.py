"""One answer: of the plans that fit, simulate those whose estimate is the smallest."""

from norch_ddp.simulate import memory, simulate
from norch_ddp.simulate.plan import plans

TRIES = 12


def choose(compute, topology, ranks, batch, room):
    """Return the fastest of some plans."""
    every = plans(compute, ranks, batch, topology.levels[0].ranks)
    found = [plan for plan in every if memory(compute, plan, batch).total <= room]
    found.sort(key=lambda plan: estimate(compute, topology, plan, batch))
    return min(found[:TRIES], key=lambda plan: simulate(compute, topology, plan, batch).seconds)


def estimate(compute, topology, plan, batch):
    """Work and sums of a micro-batch, for all of them and the bubble; and the gradients."""
    scale = batch / plan.data / plan.micro_batches / compute.samples
    work = sums = 0.0
    for layer in compute.layers:
        work += (layer.forward + layer.backward) * scale / plan.tensor / plan.pipeline
        added = topology.all_reduce(layer.output * scale, plan.tensor).seconds
        sums += 2 * layer.sums * added / plan.pipeline
    nbytes = compute.parameters * compute.itemsize / plan.tensor / plan.pipeline
    stride = plan.tensor * plan.pipeline
    gather = topology.all_gather(nbytes, plan.data, stride).seconds
    sent = gather * (2, 2, 1 + plan.micro_batches, 3 * plan.micro_batches)[plan.zero]
    rounds = plan.micro_batches + plan.pipeline - 1
    hidden = work if plan.zero < 3 else 0.0
    return (work + sums) * rounds + max(sent - hidden, gather)
