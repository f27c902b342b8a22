    return rstd * (h - mean(h, dims, True))
