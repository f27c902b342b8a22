    own = chunk
    for step in range(group.size):
        hop = None if step == group.size - 1 else start_hop(own, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        if hop is not None:
            chunk = arrived(hop)
