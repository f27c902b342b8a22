    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, AROUND)
        following = None if hop is None else arrived(hop)
        yield (group.rank - step) % group.size, chunk
        chunk = following
