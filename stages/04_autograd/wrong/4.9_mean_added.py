    return rstd * (h + mean(h, dims, True) - y * mean(h * y, dims, True))
