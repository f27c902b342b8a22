    own, cut = tensor(0.0, dtype=float64), []
    for parameter in parameters:
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum()
            if isinstance(parameter, ShardedParameter):
                cut.append(square)
            else:
                own += square
    parts = tensor(sum(square.item() for square in cut), dtype=float64)
    if shards is not None and cut:
        all_reduce(parts, group=shards)
    total = own + parts
    if stages is not None:
        all_reduce(total, group=stages)
