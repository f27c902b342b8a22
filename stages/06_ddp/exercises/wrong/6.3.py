#: replaced | drops: holds the sum
#: what arrives takes the place of this rank's own numbers. In this half it is added to them:
#: receive it somewhere else first.
    for step in range(size - 1):
        pass_on(chunks[(rank - step) % size], chunks[(rank - step - 1) % size])
#: same_chunk | drops: In each later step it sends the chunk that it has just added to
#: every step sends the same chunk. After the first step, pass on the chunk that you have just
#: added to: the sum grows on its way.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        pass_on(chunks[rank], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
#: once_too_often | drops: After `size - 1` steps
#: you made one step too many. Each sum starts at one rank and needs the other N - 1; a step more
#: adds a rank's numbers twice.
    for step in range(size):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
#: one_step_less
#: you made one step too few. Each sum starts at one rank and needs the other N - 1.
    for step in range(size - 2):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
#: rebound | drops: change them in place
#: you put a new tensor into the list. The chunks are views of the tensor that is summed, and that
#: one keeps its old numbers: add in place.
    for step in range(size - 1):
        k = (rank - step - 1) % size
        incoming = zeros_like(chunks[k])
        pass_on(chunks[(k + 1) % size], incoming)
        chunks[k] = chunks[k] + incoming
#: other_way_round
#: you walk the wrong way round. What comes from the left is the chunk before the one that you
#: sent: each step is one chunk further back.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank + step + 1) % size])
        pass_on(chunks[(rank + step) % size], incoming)
        chunks[(rank + step + 1) % size].add_(incoming)
#: next_chunk | drops: In step 0 rank r sends its chunk r
#: you began with chunk r + 1. In step 0 rank r sends its chunk r, so that chunk r + 1 is complete
#: at the end.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step) % size])
        pass_on(chunks[(rank - step + 1) % size], incoming)
        chunks[(rank - step) % size].add_(incoming)
#: own_chunk_added
#: you add what arrives to the chunk that you have just sent. From the left comes the chunk before
#: it.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step) % size].add_(incoming)
#: not_round | drops: after the last comes 0
#: you stop at chunk 0. Chunks are counted round the ring: one further back from 0 is the last one.
    for step in range(size - 1):
        incoming = zeros_like(chunks[max(0, rank - step - 1)])
        pass_on(chunks[max(0, rank - step)], incoming)
        chunks[max(0, rank - step - 1)].add_(incoming)
#: other_way_to_the_left
#: you walk the wrong way round. What comes from the left is the chunk before the one that you
#: sent: each step is one chunk further back.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        pass_on(chunks[(rank + step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
#: other_way_added_behind
#: you walk the wrong way round. What comes from the left is the chunk before the one that you
#: sent: each step is one chunk further back.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank + step - 1) % size])
        pass_on(chunks[(rank + step) % size], incoming)
        chunks[(rank + step - 1) % size].add_(incoming)
#: room_made_once
#: the room for what arrives has the length of another chunk. Chunks need not have equal lengths: it
#: must be as long as the chunk that comes.
    incoming = zeros_like(chunks[rank])
    for step in range(size - 1):
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
#: arrived_in_the_chunk
#: what arrives overwrites the chunk before you add, so the chunk is added to itself. Receive it
#: somewhere else.
    for step in range(size - 1):
        k = (rank - step - 1) % size
        pass_on(chunks[(k + 1) % size], chunks[k])
        chunks[k].add_(chunks[k])
#: one_place
#: all that arrives is added to one chunk. Each step brings another one: one further back.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - 1) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - 1) % size].add_(incoming)
#: next_chunk_added
#: you began with chunk r + 1. In step 0 rank r sends its chunk r, so that chunk r + 1 is complete
#: at the end.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step + 1) % size])
        pass_on(chunks[(rank - step + 1) % size], incoming)
        chunks[(rank - step + 1) % size].add_(incoming)
#: default_dtype
#: the room for what arrives has the default dtype, in which the digits of a double are lost:
#: `zeros_like` makes it like the chunk.
    from norch_autograd import zeros

    for step in range(size - 1):
        target = chunks[(rank - step - 1) % size]
        incoming = zeros(target.shape[0])
        pass_on(chunks[(rank - step) % size], incoming)
        target.add_(incoming)
#: contiguous_copy
#: you add to a copy where the numbers of a chunk do not lie one behind the other: `contiguous`
#: copies then. Add to the chunk itself.
    for step in range(size - 1):
        target = chunks[(rank - step - 1) % size]
        incoming = zeros_like(target)
        pass_on(chunks[(rank - step) % size], incoming)
        target.contiguous().add_(incoming)
#: empty_not_sent
#: you send nothing where a chunk has no numbers. Then your neighbours receive one chunk for
#: another: every rank takes part in every step.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        if not incoming.numel():
            continue
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
#: single_precision
#: you add in float32. A chunk in double precision loses half of its digits.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        target = chunks[(rank - step - 1) % size]
        target.copy_(target.float() + incoming.float())
#: room_like_the_first
#: the room for what arrives has the length of another chunk. Chunks need not have equal lengths: it
#: must be as long as the chunk that comes.
    incoming = zeros_like(chunks[0])
    for step in range(size - 1):
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
#: room_like_the_sent
#: the room for what arrives has the length of another chunk. Chunks need not have equal lengths: it
#: must be as long as the chunk that comes.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
#: added_to_the_sent
#: you add what arrives to the chunk that you have just sent. From the left comes the chunk before
#: it.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step) % size].add_(incoming)
#: a_mean
#: you divide the sum by the number of ranks. What is asked for is the sum.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
    chunks[(rank + 1) % size].div_(size)
#: sent_is_cleared
#: you clear a chunk after it was sent. Only the chunk that is added to may change.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
        chunks[(rank - step) % size].zero_()
#: chunk_before
#: you began with chunk r - 1. In step 0 rank r sends its chunk r, so that chunk r + 1 is complete
#: at the end.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 2) % size])
        pass_on(chunks[(rank - step - 1) % size], incoming)
        chunks[(rank - step - 2) % size].add_(incoming)
#: turned_back
#: you take chunk 1 for the one before chunk 0. Chunks are counted round the ring: one further back
#: from 0 is the last one.
    for step in range(size - 1):
        incoming = zeros_like(chunks[abs(rank - step - 1)])
        pass_on(chunks[abs(rank - step)], incoming)
        chunks[abs(rank - step - 1)].add_(incoming)
#: ring_too_short
#: your ring is one chunk too short: the last one is never reached. There are `size` of them.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % max(size - 1, 1)])
        pass_on(chunks[(rank - step) % max(size - 1, 1)], incoming)
        chunks[(rank - step - 1) % max(size - 1, 1)].add_(incoming)
#: first_step_again
#: every step is the first one again. Each is one chunk further back, both what is sent and what is
#: added to.
    for _ in range(size - 1):
        incoming = zeros_like(chunks[(rank - 1) % size])
        pass_on(chunks[rank], incoming)
        chunks[(rank - 1) % size].add_(incoming)
#: fractions_lost
#: you round the sums to whole numbers.
    for step in range(size - 1):
        here = (rank - step - 1) % size
        incoming = zeros_like(chunks[here])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[here].copy_((chunks[here] + incoming).round())
#: subtracted
#: you subtract what arrives. What is asked for is the sum.
    for step in range(size - 1):
        here = (rank - step - 1) % size
        incoming = zeros_like(chunks[here])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[here].sub_(incoming)
#: added_twice
#: you add twice what arrives. Once is enough.
    for step in range(size - 1):
        here = (rank - step - 1) % size
        incoming = chunks[here].clone()
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[here].add_(incoming).add_(incoming)
#: nothing_travels
#: nothing travels, and every rank keeps its own numbers.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        incoming.zero_()
        chunks[(rank - step - 1) % size].add_(incoming)
#: not_added
#: you receive a chunk and do not add it.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        incoming.add_(chunks[(rank - step - 1) % size])
