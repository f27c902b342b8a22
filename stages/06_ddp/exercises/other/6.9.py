#: one_way_for_both
#: both cuts go the same way: read, multiply, join, add the bias, and the cut decides only whether
#: reading or joining sends. Where something travels stands in two lines; with rows the bias is an
#: operation of its own, where `F.linear` would have added it on the way.
    cuts_rows = weight.shard.dim == 0
    seen = Copy.apply(x, group) if cuts_rows else x
    product = F.linear(seen, weight)
    joined: Tensor = product if cuts_rows else Sum.apply(product, group)
    return joined if bias is None else joined + bias
