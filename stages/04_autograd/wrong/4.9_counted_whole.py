    count = h.array.numel
    return rstd * (h - sum(h, dims, True) / count - y * sum(h * y, dims, True) / count)
