#: one_after_the_other
#: first what would shift the group is taken away, then, from what is left, what would stretch it:
#: two projections in a row. If the mean of y is not quite 0, by rounding, the second one does not
#: bring a bit of the shift back; but it has to wait for the first, and the two means cannot be
#: taken in one pass over the memory.
    left = h - mean(h, dims, True)
    left = left - y * mean(left * y, dims, True)
    return rstd * left
