"""Ranks that Ray starts: a model trained by four processes, wherever Ray has room for them.

    pip install ray
    python examples/ray_ranks.py             four ranks on this machine
    python examples/ray_ranks.py 8 ADDRESS   eight, on the cluster at ADDRESS ("auto": this one's)

Ray only places the processes. Each is told RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, and
`init_process_group` does the rest: tensors travel by MPI and NCCL, as under every other launcher.
"""

import os
import socket
import sys

import ray


@ray.remote
class Rank:
    """One process of the group; an actor, so that rank 0 can say where it is before all start."""

    def address(self):
        """Return this process's host, and a port that is free there."""
        with socket.create_server(("", 0)) as server:
            return ray.util.get_node_ip_address(), server.getsockname()[1]

    def train(self, rank, size, host, port):
        """Train a line through y = 3 x, each rank on its own points; return what all have learned."""
        os.environ.update(RANK=str(rank), WORLD_SIZE=str(size))
        os.environ.update(MASTER_ADDR=host, MASTER_PORT=str(port))
        import norch
        import norch.distributed as dist

        dist.init_process_group()
        norch.manual_seed(rank)
        model = norch.nn.parallel.DistributedDataParallel(norch.nn.Linear(1, 1))
        optimizer = norch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(100):
            x = norch.randn(64, 1)
            loss = norch.nn.functional.mse_loss(model(x), 3 * x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        world, weight = dist.get_world_size(), model.module.weight.item()
        dist.destroy_process_group()
        return f"rank {rank} of {world}: y = {weight:.3f} x"


def main(size=4, address=None):
    """Start the ranks, and print what each has learned."""
    ray.init(address=address, num_cpus=None if address else size, include_dashboard=False)
    ranks = [Rank.remote() for _ in range(size)]
    host, port = ray.get(ranks[0].address.remote())
    lines = ray.get([each.train.remote(i, size, host, port) for i, each in enumerate(ranks)])
    print("\n".join(lines))
    ray.shutdown()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])
