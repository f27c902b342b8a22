    for step in range(group.size):
        hop = start_hop(chunk, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        chunk = arrived(hop)
