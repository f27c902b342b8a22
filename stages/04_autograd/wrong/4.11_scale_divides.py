    scores = matmul(query, matrix_transpose(key)) / (math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
