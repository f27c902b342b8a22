#: walked_back
#: only the arrival and the beginning of the last bucket are kept for each number of gradients, and
#: the buckets are read off backwards at the end. Sums of bytes from the front make every piece one
#: subtraction, so n gradients cost n² steps instead of n³; it takes two passes.
    before = [0.0]
    for gradient in gradients:
        before.append(before[-1] + gradient.nbytes)
    arrivals, begins = [0.0], [0]
    for end in range(1, len(before)):
        ways = []
        for start in range(end):
            leaves = max(arrivals[start], gradients[end - 1].ready)
            ways.append((leaves + seconds(before[end] - before[start]), start))
        arrivals.append(min(ways)[0])
        begins.append(min(ways)[1])
    counts, end = [], len(gradients)
    while end:
        counts.append(end - begins[end])
        end = begins[end]
    return counts[::-1]
