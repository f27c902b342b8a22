#: last_one_apart
#: the loop makes one hop a round, and the last chunk, after which nothing is sent, is yielded
#: behind it. No question is left inside; `yield` stands in two places.
    for step in range(group.size - 1):
        hop = start_hop(chunk, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        chunk = arrived(hop)
    yield (group.rank + 1) % group.size, chunk
