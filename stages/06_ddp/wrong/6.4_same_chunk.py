    for step in range(size - 1):
        pass_on(chunks[(rank + 1) % size], chunks[(rank - step) % size])
