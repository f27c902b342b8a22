    own, cut = tensor(0.0, dtype=float64), tensor(0.0, dtype=float64)
    for parameter in parameters:
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum()
            (cut if isinstance(parameter, ShardedParameter) else own).add_(square)
    if shards is not None:
        all_reduce(cut, group=shards)
    if stages is not None:
        all_reduce(own, group=stages)
        all_reduce(cut, group=stages)
    total = own + cut
