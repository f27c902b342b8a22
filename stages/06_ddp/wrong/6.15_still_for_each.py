    total = tensor(0.0, dtype=float64)
    for parameter in parameters:
        if id(parameter) in skipped:
            continue
        square = parameter.grad.detach().double().square().sum()
        if shards is not None and not isinstance(parameter, ShardedParameter):
            square = square / shards.size
        for group in (shards, stages):
            if group is not None:
                all_reduce(square, group=group)
        total.add_(square)
