    best: list[tuple[float, list[int]]] = [(0.0, [])]  # of the first ones: the end, the buckets
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(end):
            nbytes = sum(gradient.nbytes for gradient in gradients[start:end])
            begin = max(best[start][0], gradients[end - 1].ready)
            found.append((begin + seconds(nbytes), [*best[start][1], end - start]))
        best.append(min(found, key=lambda one: one[0]))
    return best[-1][1] or [0]
