    for step in range(size - 1):
        k = (rank - step - 1) % size
        pass_on(chunks[(k + 1) % size], chunks[k])
        chunks[k].add_(chunks[k])
