    hop = start_hop(chunk, group, AROUND) if group.size > 1 else None
    for step in range(1, group.size):
        chunk = arrived(hop)
        hop = start_hop(chunk, group, AROUND) if step < group.size - 1 else None
        yield (group.rank - step) % group.size, chunk
