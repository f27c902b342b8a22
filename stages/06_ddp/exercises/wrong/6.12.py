#: waits_first
#: you wait for the next chunk before this one is worked on, so the message and the work never
#: overlap.
    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, AROUND)
        following = None if hop is None else arrived(hop)
        yield (group.rank - step) % group.size, chunk
        chunk = following
#: starts_late | drops: A hop must be under way while the caller works
#: the hop starts when the work on the chunk is over. It could have been under way all the time:
#: the work only reads.
    for step in range(group.size):
        is_last = step == group.size - 1
        yield (group.rank - step) % group.size, chunk
        if not is_last:
            chunk = arrived(start_hop(chunk, group, AROUND))
#: all_at_once
#: you collect all chunks before the work on the first begins: nothing overlaps, and a rank holds
#: all keys and values, which is what the ring is there to avoid.
    chunks = [chunk]
    for _ in range(group.size - 1):
        chunks.append(arrived(start_hop(chunks[-1], group, AROUND)))
    for step, found in enumerate(chunks):
        yield (group.rank - step) % group.size, found
#: once_too_often | drops: That takes `group.size - 1` hops
#: you make one hop too many: the last one brings every rank its own chunk back.
    for step in range(group.size):
        hop = start_hop(chunk, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        chunk = arrived(hop)
#: never_waits | drops: `arrived(hop)` waits
#: you use what has not arrived. `arrived` waits for it.
    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        if hop is not None:
            chunk = hop.incoming
#: other_way_round | drops: each with its rank's number
#: you number the chunks in the other direction. They come from the rank before, so the first one
#: is that of rank - 1.
    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, AROUND)
        yield (group.rank + step) % group.size, chunk
        if hop is not None:
            chunk = arrived(hop)
#: not_round
#: your chunks have negative numbers: before rank 0 comes the last one.
    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, AROUND)
        yield group.rank - step, chunk
        if hop is not None:
            chunk = arrived(hop)
#: own_chunk_again | drops: then what comes
#: you send your own chunk in every hop. What came has to be passed on, or everybody sees only two
#: chunks.
    own = chunk
    for step in range(group.size):
        hop = None if step == group.size - 1 else start_hop(own, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        if hop is not None:
            chunk = arrived(hop)
#: own_chunk_skipped | drops: Yield the own chunk first
#: you leave out this rank's own chunk: its queries meet those keys too.
    hop = start_hop(chunk, group, AROUND) if group.size > 1 else None
    for step in range(1, group.size):
        chunk = arrived(hop)
        hop = start_hop(chunk, group, AROUND) if step < group.size - 1 else None
        yield (group.rank - step) % group.size, chunk
#: one_too_few | drops: until all `group.size` were there
#: you make one hop too few: the chunk of the rank behind this one never comes.
    for step in range(max(1, group.size - 1)):
        is_last = step >= group.size - 2
        hop = None if is_last else start_hop(chunk, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        if hop is not None:
            chunk = arrived(hop)
#: through_lists
#: you hand on a copy in the default dtype. What is yielded is the chunk itself, with all its
#: digits.
    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, AROUND)
        yield (group.rank - step) % group.size, chunk.float()
        if hop is not None:
            chunk = arrived(hop)
#: empty_not_sent
#: you send nothing where a chunk has no numbers. Every rank takes part in every hop.
    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last or not chunk.numel() else start_hop(chunk, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        if hop is not None:
            chunk = arrived(hop)
        elif not is_last:
            return
#: other_tag
#: you send with the tag of the gradients, which go round behind: their messages would be taken for
#: yours. The tag of chunks is AROUND.
    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, BEHIND)
        yield (group.rank - step) % group.size, chunk
        if hop is not None:
            chunk = arrived(hop)
#: never_taken
#: you never take what has come: every round yields this rank's own chunk.
    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        if hop is not None:
            arrived(hop)
#: own_number_each_time
#: you number every chunk with this rank's number. What comes is another rank's.
    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, AROUND)
        yield group.rank, chunk
        if hop is not None:
            chunk = arrived(hop)
