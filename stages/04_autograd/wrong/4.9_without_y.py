    return rstd * (h - mean(h, dims, True) - mean(h * y, dims, True))
