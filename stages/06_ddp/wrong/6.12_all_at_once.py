    chunks = [chunk]
    for _ in range(group.size - 1):
        chunks.append(arrived(start_hop(chunks[-1], group, AROUND)))
    for step, found in enumerate(chunks):
        yield (group.rank - step) % group.size, found
