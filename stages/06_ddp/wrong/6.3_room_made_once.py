    incoming = zeros_like(chunks[rank])
    for step in range(size - 1):
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
