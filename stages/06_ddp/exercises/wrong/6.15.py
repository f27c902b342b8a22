#: given
    total = tensor(0.0, dtype=float64)
    for parameter in parameters:
        if id(parameter) in skipped:
            continue
        square = parameter.grad.detach().double().square().sum()
        if shards is not None and not isinstance(parameter, ShardedParameter):
            square = square / shards.size
        for group in (shards, stages):
            if group is not None:
                all_reduce(square, group=group)
        total += square
#: still_for_each | drops: whatever a rank has
#: each parameter still has a message of its own. A rank with more of them calls more often, and
#: the others do not answer.
    total = tensor(0.0, dtype=float64)
    for parameter in parameters:
        if id(parameter) in skipped:
            continue
        square = parameter.grad.detach().double().square().sum()
        if shards is not None and not isinstance(parameter, ShardedParameter):
            square = square / shards.size
        for group in (shards, stages):
            if group is not None:
                all_reduce(square, group=group)
        total.add_(square)
#: only_with_gradients | drops: also nothing
#: a rank without gradients makes no call, and the others wait for it. It has a 0 to add.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None and parameters:
            all_reduce(total, group=group)
#: no_shards | drops: in each of the groups `shards` and `stages`
#: the ranks of `shards` never add up: each knows its own parts alone.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    for group in (stages,):
        if group is not None:
            all_reduce(total, group=group)
#: no_stages
#: the ranks of `stages` never add up: each knows its own layers alone.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    for group in (shards,):
        if group is not None:
            all_reduce(total, group=group)
#: no_group
#: you leave the group out, so all ranks of the job add up, also those that train on other samples.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total)
#: always | drops: that is given (not None)
#: you call for a group that is None, which means all ranks of the job.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        all_reduce(total, group=group)
#: norms_added | drops: the sum of the squares
#: you add up norms. Squares add up; the root comes at the end, once.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            total.copy_(total.sqrt())
            all_reduce(total, group=group)
            total.copy_(total.square())
#: float32 | drops: in float64
#: you square in float32, where 1e20 squared is infinite.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: cut_divided | drops: What is cut (a `ShardedParameter`) counts with every rank's part
#: you take what is cut for a whole that everybody has. Each rank's part is another one.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square / (shards.size if shards else 1)
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: whole_again | drops: counts once
#: what is not cut counts as often as there are shards: all of them have it, and all add it.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: tied_twice | drops: what is `counted_elsewhere` does not count here
#: a tied parameter counts on both stages.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if parameter is not None:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: first_rank_alone
#: you let one rank alone make the call. It waits for the others, which must make it too.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None and group.ranks[0] == 0 and len(parameters) > 1:
            all_reduce(total, group=group)
#: norm_of_each
#: you add up the norm of each parameter. Squares add up; the root comes at the end, once.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += (square if cut else square / shards.size) ** 0.5
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: two_messages
#: you send what is cut and what is not in two messages to one group. Add them up before: each
#: group gets just one number.
    own, cut = tensor(0.0, dtype=float64), tensor(0.0, dtype=float64)
    for parameter in parameters:
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum()
            (cut if isinstance(parameter, ShardedParameter) else own).add_(square)
    if shards is not None:
        all_reduce(cut, group=shards)
    if stages is not None:
        all_reduce(own, group=stages)
        all_reduce(cut, group=stages)
    total = own + cut
#: either
#: where both groups are given, you call only one. Sum over `shards` first, then over `stages`.
    squares = 0.0
    for parameter in parameters:
        cut = shards is None or isinstance(parameter, ShardedParameter)
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            squares += square if cut else square / shards.size
    total = tensor(squares, dtype=float64)
    group = shards or stages
    if group is not None:
        all_reduce(total, group=group)
#: only_what_is_cut
#: a rank on which nothing is cut does not call `shards`, and others may wait for it. It has a
#: number to send all the same.
    own, cut = tensor(0.0, dtype=float64), []
    for parameter in parameters:
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum()
            if isinstance(parameter, ShardedParameter):
                cut.append(square)
            else:
                own += square
    parts = tensor(sum(square.item() for square in cut), dtype=float64)
    if shards is not None and cut:
        all_reduce(parts, group=shards)
    total = own + parts
    if stages is not None:
        all_reduce(total, group=stages)
#: sum_of_squares_in_half
#: you square in the gradient's own dtype. In half precision the square of 300 is infinite: make it
#: double first.
    squares = 0.0
    for parameter in parameters:
        if id(parameter) not in skipped:
            grad = parameter.grad.detach()
            big = grad.double() if grad.dtype.itemsize > 2 else grad
            square = big.square().sum().item()
            copies = 1 if shards is None or isinstance(parameter, ShardedParameter) else shards.size
            squares += square / copies
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: row_by_row
#: you go through the rows of a gradient. One of no dimensions has none: square all of it at once.
    squares = 0.0
    for parameter in parameters:
        if id(parameter) not in skipped:
            grad = parameter.grad.detach().double()
            square = sum(grad[k].square().sum().item() for k in range(grad.shape[0]))
            copies = 1 if shards is None or isinstance(parameter, ShardedParameter) else shards.size
            squares += square / copies
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: largest_needed
#: you scale by the largest number of a gradient, and one without numbers has none.
    squares = 0.0
    for parameter in parameters:
        if id(parameter) not in skipped:
            grad = parameter.grad.detach().double()
            largest = grad.abs().max().item() or 1.0
            square = (grad / largest).square().sum().item() * largest**2
            copies = 1 if shards is None or isinstance(parameter, ShardedParameter) else shards.size
            squares += square / copies
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: squared_in_place
#: you square the gradients in place. They are the ones that the step is taken with: square a copy.
    squares = 0.0
    for parameter in parameters:
        if id(parameter) not in skipped:
            grad = parameter.grad.detach()
            square = grad.mul_(grad).double().sum().item()
            copies = 1 if shards is None or isinstance(parameter, ShardedParameter) else shards.size
            squares += square / copies
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: stages_divide
#: you divide by the stages too. Each stage has parameters of its own: what they have counts once
#: anyway.
    squares = 0.0
    for parameter in parameters:
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            copies = 1 if shards is None or isinstance(parameter, ShardedParameter) else shards.size
            squares += square / copies / (stages.size if stages is not None else 1)
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: single_precision_total
#: what travels is a number in float32, in which the square of 1e20 is infinite: `dtype=float64`.
    squares = 0.0
    for parameter in parameters:
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            copies = 1 if shards is None or isinstance(parameter, ShardedParameter) else shards.size
            squares += square / copies
    total = tensor(squares)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: norm_then_square
#: you square the norm of each gradient, which is rounded to the gradient's own dtype first. Make
#: the numbers double before anything else.
    squares = 0.0
    for parameter in parameters:
        if id(parameter) not in skipped:
            square = parameter.grad.detach().norm().double().square().item()
            copies = 1 if shards is None or isinstance(parameter, ShardedParameter) else shards.size
            squares += square / copies
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: a_list_travels
#: your `total` is a list of one number. It is a number, without dimensions.
    squares = 0.0
    for parameter in parameters:
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            copies = 1 if shards is None or isinstance(parameter, ShardedParameter) else shards.size
            squares += square / copies
    total = tensor([squares], dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
#: tied_with_stages_alone
#: you leave out what is `counted_elsewhere` only where there are `stages`. It does not count here
#: in any case.
    squares = 0.0
    for parameter in parameters:
        if stages is None or id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            copies = 1 if shards is None or isinstance(parameter, ShardedParameter) else shards.size
            squares += square / copies
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
