    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step) % size])
        pass_on(chunks[(rank - step + 1) % size], incoming)
        chunks[(rank - step) % size].add_(incoming)
