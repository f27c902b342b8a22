    return rstd * (h - mean(h, dims, True) - y * mean(h * h, dims, True))
