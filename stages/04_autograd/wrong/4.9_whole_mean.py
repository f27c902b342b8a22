    return rstd * (h - mean(h) - y * mean(h * y))
