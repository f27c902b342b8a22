#: follows_the_chunk
#: one variable remembers which chunk came last, and that is the one that goes out next. There is no
#: formula with the number of the step; the reader has to follow the variable from step to step.
    here = (rank + 1) % size
    for _ in range(size - 1):
        before = (here - 1) % size
        pass_on(chunks[here], chunks[before])
        here = before
