#: overwrites | drops: the sum of theirs
#: you put rows in place, and the last one wins. A row that was looked up three times gets the sum
#: of three gradients.
        from norch_autograd.ops.indexing.index_copy import index_copy

        arrived = grad if share is None else grad * share
        return (index_copy(zeros, 0, index, arrived),)
#: padding_too | drops: weighs what arrives there
#: you left out `share`. It holds a 0 for the padding, whose row must not learn.
        return (index_add(zeros, 0, index, grad),)
#: as_it_came | drops: Return the gradient of the table
#: you return the gradients in the order of the places. A gradient has the shape of its tensor: one
#: row for each row of the table.
        return (grad if share is None else grad * share,)
#: never_shared
#: where there are shares, your table stays 0. It is what arrived, `grad`, that is weighed and
#: added.
        if share is None:
            return (index_add(zeros, 0, index, grad),)
        return (index_add(zeros, 0, index, share * zeros[index]),)
#: looked_up | drops: `index[k]`
#: you look rows up once more, as the forward did. The way back is the other way: row k of `grad`
#: goes to the row of the table that place k took, `index[k]`.
        arrived = grad if share is None else grad * share
        return (index_select(arrived, 0, index),)
#: no_tuple | drops: in a tuple of one
#: you return the tensor itself. A node answers with one gradient for each input, so also for a
#: single one it is a tuple: a comma makes it.
        arrived = grad if share is None else grad * share
        return index_add(zeros, 0, index, arrived)
#: always_shared | drops: `share` is None, or
#: you multiply by `share` when it is `None`: then there is nothing to weigh with, and what arrives
#: counts as it is.
        return (index_add(zeros, 0, index, grad * share),)
#: by_truth
#: you ask `share` whether it is true. A tensor of several elements has no answer to that: ask `is
#: None`.
        arrived = grad * share if share else grad
        return (index_add(zeros, 0, index, arrived),)
#: divides
#: you divide by the share. It is the factor itself: 0 for the padding, 1/3 for each of three
#: places with one row.
        arrived = grad if share is None else grad / share
        return (index_add(zeros, 0, index, arrived),)
#: rows_weighed
#: you weigh the rows of the table. There is a share for each PLACE: weigh what arrives, then add
#: it up.
        summed = index_add(zeros, 0, index, grad)
        return (summed if share is None else summed * share,)
#: averaged
#: you average what several places send to one row. They are all uses of the same row, so their
#: gradients add up.
        arrived = grad if share is None else grad * share
        times = index_add(zeros, 0, index, grad * 0 + 1)
        return (index_add(zeros, 0, index, arrived) / (times + (times == 0)),)
#: one_place_unweighed
#: you leave out the share where there is one place. The one place may be the padding's, whose row
#: must not learn.
        alone = share is None or grad.array.shape[0] == 1
        return (index_add(zeros, 0, index, grad if alone else grad * share),)
#: gradient_overwritten
#: you write the weighed gradient over `grad`. Others hold it too: `*` makes a new one, `*=` writes
#: into the old one.
        if share is not None:
            grad *= share
        return (index_add(zeros, 0, index, grad),)
#: share_as_a_mask
#: you heed only whether a share is 0. It is a factor: each of three places with one row has 1/3.
        arrived = grad if share is None else grad * (share > 0)
        return (index_add(zeros, 0, index, arrived),)
#: in_another_dtype
#: your table has another dtype than `grad`. A gradient has the dtype in which it arrived; `zeros`
#: has it too.
        from norch_cpu_ops import float32
        arrived = grad if share is None else grad * share
        return (index_add(to(zeros, float32), 0, index, to(arrived, float32)),)
#: none_for_no_places
#: you return `None` where nothing was looked up. The table wants a gradient all the same: `zeros`.
        if not index.array.numel:
            return (None,)
        arrived = grad if share is None else grad * share
        return (index_add(zeros, 0, index, arrived),)
#: place_by_place
#: you work place by place, or row by row. One `index_add` takes all places at once, and copies the
#: table once.
        for k, row in enumerate(index.tolist()):
            part = grad[k] if share is None else grad[k] * share[k]
            zeros = index_add(zeros, 0, index[k:k + 1], unsqueeze(part, 0))
        return (zeros,)
#: share_itself
#: what arrives is the share in your answer. It weighs what arrives: `grad` times the share.
        arrived = grad if share is None else share
        return (index_add(zeros, 0, index, arrived),)
#: along_the_columns
#: you add along dimension 1. `index[k]` names a row of the table: dimension 0.
        arrived = grad if share is None else grad * share
        return (index_add(zeros, 1, index, arrived),)
#: table_and_rows_swapped
#: the table and the rows have changed places. First comes the table to add to, last come the rows
#: that are added.
        arrived = grad if share is None else grad * share
        return (index_add(arrived, 0, index, zeros),)
#: what_is_left
#: you weigh by 1 minus the share. It is the factor itself: 0 for the padding, 1/3 for each of three
#: places with one row.
        arrived = grad if share is None else grad * (1 - share)
        return (index_add(zeros, 0, index, arrived),)
#: weighed_twice
#: you weigh by the share twice. It is a factor: once.
        arrived = grad if share is None else grad * share * share
        return (index_add(zeros, 0, index, arrived),)
#: two_gradients
#: you return more than one gradient. The answer is a tuple of one: the table's.
        arrived = grad if share is None else grad * share
        return (index_add(zeros, 0, index, arrived) - zeros, None)
#: divided_by_places
#: you divide by the number of places. They are uses of the table, and their gradients add up; a
#: mean belongs to the loss.
        arrived = grad if share is None else grad * share
        table = index_add(zeros, 0, index, arrived)
        return (table / grad.array.shape[0],)
#: one_column
#: your table has one column. `zeros` has the shape of the table.
        arrived = grad if share is None else grad * share
        return (index_add(constant(grad, 0, (rows, 1)), 0, index, arrived),)
#: share_added
#: you add the share. It is a factor: `grad` times the share.
        arrived = grad if share is None else grad + share
        return (index_add(zeros, 0, index, arrived),)
#: condition_turned
#: you weigh where there are no shares, and do not where there are. Where `share` is None, what
#: arrives counts as it is.
        arrived = grad if share is not None else grad * share
        return (index_add(zeros, 0, index, arrived),)
#: looked_up_again
#: you look rows up once more. The way back adds: row k of `grad` goes to the row of the table that
#: place k took.
        arrived = grad if share is None else grad * share
        return (zeros + index_select(arrived, 0, index),)
#: first_share_for_all
#: you weigh everything by the share of the first place. Each place has its own.
        arrived = grad if share is None else grad * share[0]
        return (index_add(zeros, 0, index, arrived),)
#: frequency_forgotten
#: you do not weigh where rows are weighed by how often they were taken. `share` holds that factor
#: too: weigh wherever it is not None.
        arrived = grad if by_freq else grad if share is None else grad * share
        return (index_add(zeros, 0, index, arrived),)
#: row_by_row
#: you work place by place, or row by row. One `index_add` takes all places at once, and copies the
#: table once.
        arrived = grad if share is None else grad * share
        for row in range(rows):
            hits = to(unsqueeze(index == row, 1), grad.dtype)
            zeros[row] = (arrived * hits).sum(0)
        return (zeros,)
#: detached
#: you detach what the answer is made of. A recorded pass takes the derivative of your answer too,
#: and finds no way on from there.
        arrived = grad if share is None else grad * share
        return (index_add(zeros, 0, index, detach(arrived)),)
#: shares_as_a_row
#: you lay the shares along the columns. `share` is (N, 1), a row for each place: as it is, it
#: weighs rows.
        arrived = grad if share is None else grad * reshape(share, (1, -1))
        return (index_add(zeros, 0, index, arrived),)
#: added_twice
#: each row gets twice what arrived for it. Add it once.
        arrived = grad if share is None else grad * share
        once = index_add(zeros, 0, index, arrived)
        return (index_add(once, 0, index, arrived),)
#: row_0_cleared
#: you take row 0 for the padding's. `share` is 0 wherever a place named the padding: no row needs
#: to be cleared.
        arrived = grad if share is None else grad * share
        table = index_add(zeros, 0, index, arrived)
        if rows:
            table[0] = 0.0
        return (table,)
#: table_kept
#: you keep the table from one call to the next. Each call begins with `zeros`.
        arrived = grad if share is None else grad * share
        table = getattr(Embedding, "table", None)
        if table is None or table.array.shape != zeros.array.shape:
            table = zeros
        Embedding.table = index_add(table, 0, index, arrived)
        return (Embedding.table,)
#: mean_share
#: you weigh by the mean of the shares. Each place has its own.
        arrived = grad if share is None else grad * (share.sum() / share.array.shape[0])
        return (index_add(zeros, 0, index, arrived),)
#: row_before
#: you add to the row before. `index[k]` is the row itself, counted from 0.
        arrived = grad if share is None else grad * share
        return (index_add(zeros, 0, (index - 1) % zeros.array.shape[0], arrived),)
#: first_use_alone
#: you take the first use of a row and leave out the others. A row that was looked up three times
#: gets the sum of three gradients.
        arrived = grad if share is None else grad * share
        named = index.array.tolist()
        first = [k for k, row in enumerate(named) if row not in named[:k]]
        from norch_autograd import tensor as make
        picks = make(first) if first else index
        return (index_add(zeros, 0, index_select(index, 0, picks) if first else index, index_select(arrived, 0, picks) if first else arrived),)
#: nothing_kept
#: you return `zeros` as it was. `index_add` returns a new table, and leaves its argument alone.
        arrived = grad if share is None else grad * share
        index_add(zeros, 0, index, arrived)
        return (zeros,)
#: three_gradients
#: you return more than one gradient. The answer is a tuple of one: the table's.
        arrived = grad if share is None else grad * share
        return (index_add(zeros, 0, index, arrived), None, None)
