    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, AROUND)
        yield group.rank - step, chunk
        if hop is not None:
            chunk = arrived(hop)
