    return h - mean(h, dims, True) - y * mean(h * y, dims, True) * rstd
