    counts, held = [], 0.0
    for one in gradients:
        if not counts or seconds(held) >= 2 * seconds(0.0):
            counts, held = [*counts, 0], 0.0
        counts[-1] += 1
        held += one.nbytes
    return counts
