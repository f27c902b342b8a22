    return rstd * (h - sum(h, dims, True) - y * sum(h * y, dims, True))
