    return rstd * h
