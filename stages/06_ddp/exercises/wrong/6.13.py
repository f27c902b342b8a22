#: one_bucket
#: | drops: It leaves when its last gradient is ready and the message before it has arrived
#: here all gradients share one bucket, which leaves when the last of them is ready, not the first:
#: nothing travels while backward still computes.
    return [len(gradients)] if gradients else []
#: own_buckets | drops: Neighbours may share a bucket
#: here every gradient has a bucket of its own. Each leaves as soon as it can, and a latency is paid
#: for each: there is one link, and the messages queue for it.
    return [1] * len(gradients)
#: whatever_waits | drops: as early as possible
#: whenever the link is free, you send what is ready. It can pay to wait: a gradient that is ready
#: a moment later would have shared the latency.
    counts, now, start = [], 0.0, 0
    while start < len(gradients):
        now, end = max(now, gradients[start].ready), start
        while end < len(gradients) and gradients[end].ready <= now:
            end += 1
        now += seconds(sum(gradient.nbytes for gradient in gradients[start:end]))
        counts.append(end - start)
        start = end
    return counts
#: equal_counts
#: all your buckets have the same number of gradients. At the end, where nothing is left to hide
#: behind, another number can be better than at the beginning.
    def arrival(counts):
        end, start = 0.0, 0
        for count in counts:
            bucket = gradients[start : start + count]
            end = max(end, bucket[-1].ready) + seconds(sum(one.nbytes for one in bucket))
            start += count
        return end

    many, choices = len(gradients), [[]] if not gradients else []
    for count in range(1, many + 1):
        choices.append([min(count, many - start) for start in range(0, many, count)])
    return min(choices, key=arrival)
#: one_size
#: your buckets are filled to one size, the best there is. That is what DDP's `bucket_cap_mb` does;
#: the best cut may have a small bucket here and a large one there.
    choices = []
    for cap in {0.0, *(sum(g.nbytes for g in gradients[: n + 1]) for n in range(len(gradients)))}:
        counts, end, held, ready = [], 0.0, 0.0, 0.0
        for one in gradients:
            if not counts or held + one.nbytes > cap:
                end = max(end, ready) + seconds(held) if counts else 0.0
                counts, held = [*counts, 0], 0.0
            counts[-1] += 1
            held, ready = held + one.nbytes, one.ready
        choices.append((max(end, ready) + seconds(held), counts))
    return min(choices)[1]
#: at_most_two
#: you make two buckets at most. More may be better where the latency is small.
    whole, many = sum(one.nbytes for one in gradients), len(gradients)
    choices = [(gradients[-1].ready + seconds(whole), [many])] if gradients else [(0.0, [])]
    for count in range(1, many):
        first = sum(one.nbytes for one in gradients[:count])
        end = gradients[count - 1].ready + seconds(first)
        end = max(end, gradients[-1].ready) + seconds(whole - first)
        choices.append((end, [count, many - count]))
    return min(choices)[1]
#: as_large_as_latency
#: you fill a bucket until its bytes take as long as the latency. That is a rule of thumb, which
#: does not know when gradients are ready.
    counts, held = [], 0.0
    for one in gradients:
        if not counts or seconds(held) >= 2 * seconds(0.0):
            counts, held = [*counts, 0], 0.0
        counts[-1] += 1
        held += one.nbytes
    return counts
#: ends | drops: how many gradients are in each bucket
#: you return where buckets end, and not how many gradients are in each.
    best = [(0.0, [])]
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(end):
            nbytes = sum(gradient.nbytes for gradient in gradients[start:end])
            begin = max(best[start][0], gradients[end - 1].ready)
            found.append((begin + seconds(nbytes), [*best[start][1], end]))
        best.append(min(found, key=lambda one: one[0]))
    return best[-1][1]
#: latency_each | drops: A message of b bytes takes `seconds(b)`
#: you add up the seconds of the gradients. They travel in one message, which pays one latency: ask
#: for the seconds of all its bytes.
    best: list[tuple[float, list[int]]] = [(0.0, [])]  # of the first ones: the end, the buckets
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(end):
            nbytes = [gradient.nbytes for gradient in gradients[start:end]]
            begin = max(best[start][0], gradients[end - 1].ready)
            found.append((begin + sum(map(seconds, nbytes)), [*best[start][1], end - start]))
        best.append(min(found, key=lambda one: one[0]))
    return best[-1][1]
#: no_latency | drops: a latency and b / bandwidth
#: you count the bytes and leave the latency out, so every gradient gets a message of its own.
    best: list[tuple[float, list[int]]] = [(0.0, [])]  # of the first ones: the end, the buckets
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(end):
            nbytes = sum(gradient.nbytes for gradient in gradients[start:end])
            begin = max(best[start][0], gradients[end - 1].ready)
            found.append((begin + seconds(nbytes) - seconds(0.0), [*best[start][1], end - start]))
        best.append(min(found, key=lambda one: one[0]))
    return best[-1][1]
#: backwards | drops: from the first to the last
#: you list the buckets from the last to the first.
    best: list[tuple[float, list[int]]] = [(0.0, [])]  # of the first ones: the end, the buckets
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(end):
            nbytes = sum(gradient.nbytes for gradient in gradients[start:end])
            begin = max(best[start][0], gradients[end - 1].ready)
            found.append((begin + seconds(nbytes), [*best[start][1], end - start]))
        best.append(min(found, key=lambda one: one[0]))
    return best[-1][1][::-1]
#: one_empty | drops: Without gradients there are no buckets: []
#: without gradients you return a bucket all the same.
    best: list[tuple[float, list[int]]] = [(0.0, [])]  # of the first ones: the end, the buckets
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(end):
            nbytes = sum(gradient.nbytes for gradient in gradients[start:end])
            begin = max(best[start][0], gradients[end - 1].ready)
            found.append((begin + seconds(nbytes), [*best[start][1], end - start]))
        best.append(min(found, key=lambda one: one[0]))
    return best[-1][1] or [0]
#: all_ways | drops: more ways to cut them than can be tried
#: you try all ways. n gradients can be cut in 2^(n-1): for 30 that is half a billion. All that
#: comes behind the first k needs the best of those k alone.
    def arrival(counts):
        end, start = 0.0, 0
        for count in counts:
            bucket = gradients[start : start + count]
            end = max(end, bucket[-1].ready) + seconds(sum(one.nbytes for one in bucket))
            start += count
        return end

    def ways(many):
        if not many:
            yield []
        for count in range(1, many + 1):
            for rest in ways(many - count):
                yield [count, *rest]

    return min(ways(len(gradients)), key=arrival)
#: joins_if_no_later
#: each gradient joins the bucket before it where its own message then arrives no later. What comes
#: behind it may fare better with another cut: look at the arrival of the last.
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
#: link_never_busy
#: you let a message leave while the one before it is still on its way. There is one link: it leaves
#: when the message before it has arrived.
    best = [(0.0, [])]
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(end):
            nbytes = sum(gradient.nbytes for gradient in gradients[start:end])
            arrival = max(best[start][0], gradients[end - 1].ready + seconds(nbytes))
            found.append((arrival, [*best[start][1], end - start]))
        best.append(min(found, key=lambda one: one[0]))
    return best[-1][1]
#: four_at_most
#: your buckets never hold more than a few gradients. A bucket may hold any number of them: try all
#: beginnings.
    best = [(0.0, [])]
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(max(0, end - 4), end):
            nbytes = sum(gradient.nbytes for gradient in gradients[start:end])
            begin = max(best[start][0], gradients[end - 1].ready)
            found.append((begin + seconds(nbytes), [*best[start][1], end - start]))
        best.append(min(found, key=lambda one: one[0]))
    return best[-1][1]
#: neighbours_joined
#: you join two neighbouring buckets as long as that helps. Where each single step makes it worse, a
#: better cut lies behind it: keep the best of the first k, for each k.
    counts = [1] * len(gradients)

    def arrival(cut: list[int]) -> float:
        end, start = 0.0, 0
        for count in cut:
            last = gradients[start + count - 1].ready
            nbytes = sum(gradient.nbytes for gradient in gradients[start : start + count])
            end, start = max(end, last) + seconds(nbytes), start + count
        return end

    while True:
        places = range(len(counts) - 1)
        ways = [[*counts[:i], counts[i] + counts[i + 1], *counts[i + 2 :]] for i in places]
        if not ways or arrival(best := min(ways, key=arrival)) >= arrival(counts):
            return counts
        counts = best
#: joins_while_the_link_is_busy
#: you put into one bucket whatever is ready before the message of that very bucket would have
#: arrived. It cannot leave before the last of them is ready: compare with the message before it.
    counts, end, nbytes = [], -1.0, 0.0
    for gradient in gradients:
        if counts and gradient.ready <= end:
            counts[-1] += 1
            nbytes += gradient.nbytes
        else:
            counts.append(1)
            nbytes = gradient.nbytes
        end = max(end, gradient.ready) + seconds(nbytes)
    return counts
#: earlier_of_the_two
#: you let a bucket leave at the earlier of two moments. It needs its last gradient and the link:
#: the later one.
    best: list[tuple[float, list[int]]] = [(0.0, [])]  # of the first ones: the end, the buckets
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(end):
            nbytes = sum(gradient.nbytes for gradient in gradients[start:end])
            begin = min(best[start][0], gradients[end - 1].ready)
            found.append((begin + seconds(nbytes), [*best[start][1], end - start]))
        best.append(min(found, key=lambda one: one[0]))
    return best[-1][1]
#: worst_kept
#: you keep the cut that arrives last. The first to arrive is wanted.
    best: list[tuple[float, list[int]]] = [(0.0, [])]  # of the first ones: the end, the buckets
    for end in range(1, len(gradients) + 1):
        found = []
        for start in range(end):
            nbytes = sum(gradient.nbytes for gradient in gradients[start:end])
            begin = max(best[start][0], gradients[end - 1].ready)
            found.append((begin + seconds(nbytes), [*best[start][1], end - start]))
        best.append(max(found, key=lambda one: one[0]))
    return best[-1][1]
