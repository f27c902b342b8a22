"""Ranks that Ray starts: a model trained by four processes, wherever Ray has room for them.

    pip install ray
    python examples/ray_ranks.py                           four ranks on this machine
    python examples/ray_ranks.py --ranks 8 --address auto  eight, on the cluster it belongs to

Ray only places the processes. Each is told RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, and
`init_process_group` does the rest: tensors travel by MPI and NCCL, as under every other launcher.
"""

import argparse
import os
import socket

import mnist


class Rank:
    """One process of the group; an actor, so that rank 0 can say where it is before all start."""

    def address(self):
        """Return this process's host, and a port that is free there."""
        import ray

        with socket.create_server(("", 0)) as server:
            return ray.util.get_node_ip_address(), server.getsockname()[1]

    def train(self, rank, size, host, port):
        """Fit a line to y = 3 x, each rank on its own points; return what all have learned."""
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


def main():
    """Start the ranks, and print what each has learned."""
    parser = argparse.ArgumentParser(description="Fit a line in processes that Ray starts.")
    parser.add_argument(
        "--ranks", type=mnist.above_zero(int), default=4, help="how many processes (4)"
    )
    parser.add_argument("--address", help="Ray's cluster; without it, this machine alone")
    args = parser.parse_args()
    import ray  # here: to be asked for --help needs none

    own = {} if args.address else {"num_cpus": args.ranks, "include_dashboard": False}
    ray.init(address=args.address, **own)
    ranks = [ray.remote(Rank).remote() for _ in range(args.ranks)]
    host, port = ray.get(ranks[0].address.remote())
    lines = ray.get([each.train.remote(i, len(ranks), host, port) for i, each in enumerate(ranks)])
    print("\n".join(lines))
    ray.shutdown()


if __name__ == "__main__":
    main()
