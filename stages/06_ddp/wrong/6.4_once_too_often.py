    for step in range(size):
        pass_on(chunks[(rank - step + 1) % size], chunks[(rank - step) % size])
