    if weight.shard.dim == 0:
        return Copy.apply(F.linear(x, weight, bias), group)
    total = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
