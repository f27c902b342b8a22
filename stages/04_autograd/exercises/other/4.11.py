#: scaled_before_the_product
#: the queries are scaled before the product, L times E numbers where the table has L times S, and
#: products in half precision overflow later. The mask is a table of 0 and minus infinity that is
#: added: one more table in memory, where `masked_fill` writes into the scores' copy.
    from norch_autograd.ops.arrays import constant

    factor = 1 / math.sqrt(size) if scale is None else scale
    scores = matmul(query * factor, matrix_transpose(key))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        nothing = constant(scores, 0, scores.array.shape[-2:])
        scores = scores + masked_fill(nothing, keys > unsqueeze(queries, 1), -math.inf)
