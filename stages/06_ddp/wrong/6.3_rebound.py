    for step in range(size - 1):
        k = (rank - step - 1) % size
        incoming = zeros_like(chunks[k])
        pass_on(chunks[(k + 1) % size], incoming)
        chunks[k] = chunks[k] + incoming
