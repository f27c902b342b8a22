    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    group = shards or stages
    if group is not None:
        all_reduce(total, group=group)
