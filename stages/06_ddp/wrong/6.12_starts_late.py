    for step in range(group.size):
        is_last = step == group.size - 1
        yield (group.rank - step) % group.size, chunk
        if not is_last:
            chunk = arrived(start_hop(chunk, group, AROUND))
