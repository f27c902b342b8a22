#: first_shard_counts
#: what is not cut is counted by the first rank of `shards` alone, instead of by each with its part.
#: Nothing is divided, so no digit is lost; should the copies differ, the other ranks' are not seen.
    first = shards is None or shards.rank == 0
    counted = [p for p in parameters if id(p) not in skipped]
    mine = [p for p in counted if first or isinstance(p, ShardedParameter)]
    squares = (parameter.grad.detach().double().square().sum().item() for parameter in mine)
    total = tensor(sum(squares), dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
