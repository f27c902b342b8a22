    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - 1) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - 1) % size].add_(incoming)
