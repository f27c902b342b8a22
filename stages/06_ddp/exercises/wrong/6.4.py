#: own_number | drops: rank r has the finished chunk r + 1
#: you began with chunk r. After the first half the chunk that is finished on rank r is r + 1.
    for step in range(size - 1):
        pass_on(chunks[(rank - step) % size], chunks[(rank - step - 1) % size])
#: added | drops: keep what comes from the left
#: you added what arrived. It is the finished sum already: it replaces the old numbers.
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step) % size])
        pass_on(chunks[(rank - step + 1) % size], incoming)
        chunks[(rank - step) % size].add_(incoming)
#: rebound | drops: the chunks are views of one tensor
#: you put what arrives into the list as a new tensor. The chunks are views of the tensor that is
#: summed, and that one keeps its old numbers: let it arrive in the chunk itself.
    for step in range(size - 1):
        k = (rank - step) % size
        incoming = zeros_like(chunks[k])
        pass_on(chunks[(k + 1) % size], incoming)
        chunks[k] = incoming
#: other_way_round
#: you walk the wrong way round. What comes from the left is the chunk before the one that you
#: sent: each step is one chunk further back.
    for step in range(size - 1):
        pass_on(chunks[(rank + step + 1) % size], chunks[(rank + step + 2) % size])
#: same_chunk | drops: and send that in the next step
#: every step sends the same chunk. Pass on the one that has just arrived: your right neighbour
#: does not have it yet.
    for step in range(size - 1):
        pass_on(chunks[(rank + 1) % size], chunks[(rank - step) % size])
#: one_step_less | drops: In `size - 1` steps
#: you made one step too few: the last chunk has N - 1 ranks to go to.
    for step in range(size - 2):
        pass_on(chunks[(rank - step + 1) % size], chunks[(rank - step) % size])
#: once_too_often
#: you made one step too many: it brings a chunk that is there already, a message for nothing.
    for step in range(size):
        pass_on(chunks[(rank - step + 1) % size], chunks[(rank - step) % size])
#: other_way_to_the_left
#: you walk the wrong way round. What comes from the left is the chunk before the one that you
#: sent: each step is one chunk further back.
    for step in range(size - 1):
        pass_on(chunks[(rank + step + 1) % size], chunks[(rank - step) % size])
#: into_the_sent
#: what arrives goes into the chunk that you have just sent. From the left comes the chunk before
#: it.
    for step in range(size - 1):
        pass_on(chunks[(rank - step + 1) % size], chunks[(rank - step + 1) % size])
#: swapped
#: you send the chunk that is out of date, and receive into the finished one: `pass_on` takes first
#: what goes out.
    for step in range(size - 1):
        pass_on(chunks[(rank - step) % size], chunks[(rank - step + 1) % size])
#: not_round
#: you stop at chunk 0. Chunks are counted round the ring: one further back from 0 is the last one.
    for step in range(size - 1):
        pass_on(chunks[max(0, min(rank - step + 1, size - 1))], chunks[max(0, rank - step)])
#: one_place
#: all that arrives goes into one chunk. Each step brings another one: one further back.
    for step in range(size - 1):
        pass_on(chunks[(rank - step + 1) % size], chunks[rank])
#: into_the_own
#: you began with chunk r. After the first half the chunk that is finished on rank r is r + 1.
    for step in range(size - 1):
        pass_on(chunks[(rank - step) % size], chunks[(rank - step) % size])
#: other_way_behind
#: you walk the wrong way round. What comes from the left is the chunk before the one that you
#: sent: each step is one chunk further back.
    for step in range(size - 1):
        pass_on(chunks[(rank + step + 1) % size], chunks[(rank + step) % size])
#: default_dtype
#: what arrives goes through a room of the default dtype, in which the digits of a double are lost.
#: Let it arrive in the chunk itself.
    from norch_autograd import zeros

    for step in range(size - 1):
        target = chunks[(rank - step) % size]
        incoming = zeros(target.shape[0])
        pass_on(chunks[(rank - step + 1) % size], incoming)
        target.copy_(incoming)
#: contiguous_copy
#: what arrives goes into a copy where the numbers of a chunk do not lie one behind the other:
#: `contiguous` copies then. Let it arrive in the chunk itself.
    for step in range(size - 1):
        pass_on(chunks[(rank - step + 1) % size], chunks[(rank - step) % size].contiguous())
#: zero_plus
#: you clear a chunk by multiplying it by 0 and add what arrives. Infinity times 0 is nan: let it
#: arrive in the chunk itself.
    for step in range(size - 1):
        target = chunks[(rank - step) % size]
        incoming = zeros_like(target)
        pass_on(chunks[(rank - step + 1) % size], incoming)
        target.mul_(0.0).add_(incoming)
#: empty_not_sent
#: you send nothing where a chunk has no numbers. Then your neighbours receive one chunk for
#: another: every rank takes part in every step.
    for step in range(size - 1):
        if not chunks[(rank - step) % size].numel():
            continue
        pass_on(chunks[(rank - step + 1) % size], chunks[(rank - step) % size])
#: the_larger
#: you keep the larger of what was there and what arrives. What arrives is the sum, and may be
#: smaller.
    for step in range(size - 1):
        target = chunks[(rank - step) % size]
        incoming = zeros_like(target)
        pass_on(chunks[(rank - step + 1) % size], incoming)
        larger = incoming.tolist(), target.tolist()
        target.copy_(Tensor([max(pair) for pair in zip(*larger, strict=True)]))
#: nothing_travels
#: nothing travels, and every rank keeps the chunks that it had.
    for step in range(size - 1):
        tuple((chunks[(rank - step + 1) % size], chunks[(rank - step) % size]))
