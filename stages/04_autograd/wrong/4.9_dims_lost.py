    return rstd * (h - mean(h, dims) - y * mean(h * y, dims))
