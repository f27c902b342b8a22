    for step in range(size - 1):
        incoming = zeros_like(chunks[max(0, rank - step - 1)])
        pass_on(chunks[max(0, rank - step)], incoming)
        chunks[max(0, rank - step - 1)].add_(incoming)
