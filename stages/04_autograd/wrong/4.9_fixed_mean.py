    return rstd * (h - y * mean(h * y, dims, True))
