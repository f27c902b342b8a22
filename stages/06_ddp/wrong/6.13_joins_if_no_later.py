    counts, before, end, held = [], 0.0, 0.0, 0.0
    for one in gradients:
        alone = max(end, one.ready) + seconds(one.nbytes)
        joined = max(before, one.ready) + seconds(held + one.nbytes)
        if counts and joined <= alone:
            counts[-1] += 1
            end, held = joined, held + one.nbytes
        else:
            before, end, held = end, alone, one.nbytes
            counts.append(1)
    return counts
