    result = matmul(query, matrix_transpose(key))
    result = result * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in result.array.shape[-2:])
        result = masked_fill(result, keys > unsqueeze(queries, 1), -math.inf)
