    if weight.shard.dim == 0:
        return F.linear(Sum.apply(x, group), weight, bias)
    total = Copy.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
