    for step in range(size - 1):
        pass_on(chunks[max(0, min(rank - step + 1, size - 1))], chunks[max(0, rank - step)])
