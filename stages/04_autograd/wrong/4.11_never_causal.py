    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
