    for step in range(max(1, group.size - 1)):
        is_last = step >= group.size - 2
        hop = None if is_last else start_hop(chunk, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        if hop is not None:
            chunk = arrived(hop)
