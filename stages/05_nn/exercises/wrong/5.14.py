#: transposed | drops: where the key is later than the query
#: you forbid the past and allow the future. Row i is the query; what lies right of the diagonal is
#: later.
        later = ones(sz, sz, device=device).tril(-1) > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -math.inf)
#: not_itself | drops: a query's own key too
#: you forbid a query its own key. The first query then sees nothing at all, and its softmax is no
#: number.
        later = ones(sz, sz, device=device).triu() > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -math.inf)
#: one_ahead
#: you let each query see one step ahead: with that a model copies the answer and learns nothing.
        later = ones(sz, sz, device=device).triu(2) > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -math.inf)
#: times_infinity | drops: 0 everywhere else
#: you multiply zeros by infinity, which is no number. Fill the places instead.
        return (ones(sz, sz, device=device) * 1.0).triu(1).to(dtype=dtype or ones(1).dtype) * -math.inf
#: large
#: you take a large number for infinity. Minus infinity alone makes a share of exactly 0, whatever
#: the other scores are.
        later = ones(sz, sz, device=device).triu(1) > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -1e4)
#: booleans | drops: is added to the scores
#: you return True and False. This mask is added to the scores: zeros and minus infinity.
        return ones(sz, sz, device=device).triu(1) > 0
#: ones_and_zeros
#: you return ones and zeros, as for a product. What is added must be minus infinity where nothing
#: may be seen, and 0 elsewhere.
        return ones(sz, sz, device=device, dtype=dtype).tril()
#: ones_below
#: you leave ones where nothing is forbidden. Added to all scores they change nothing, but 0 is
#: what was asked for.
        later = ones(sz, sz, device=device).triu(1) > 0
        return full((sz, sz), 1.0, device=device, dtype=dtype).masked_fill(later, -math.inf)
#: plus_infinity
#: you add plus infinity. That makes what is forbidden the best key of all.
        later = ones(sz, sz, device=device).triu(1) > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, math.inf)
#: own_dtype | drops: with `dtype`
#: you forgot `dtype`: a mask of float32 would widen the scores of a model in half precision.
        later = ones(sz, sz, device=device).triu(1) > 0
        return full((sz, sz), 0.0, device=device).masked_fill(later, -math.inf)
#: on_the_cpu | drops: on `device`
#: you forgot `device`: the mask must be made where the scores are.
        later = ones(sz, sz).triu(1) > 0
        return full((sz, sz), 0.0, dtype=dtype).masked_fill(later, -math.inf)
#: everything
#: you forbid everything. Only keys that are later than the query are hidden.
        later = ones(sz, sz, device=device) > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -math.inf)
#: billion
#: you take a large number for infinity. Minus infinity alone makes a share of exactly 0, whatever
#: the other scores are.
        later = ones(sz, sz, device=device).triu(1) > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -1e9)
#: always_single
#: you take float32 where no dtype is given. None is the default dtype, which can be changed.
        from norch_autograd import float32

        later = ones(sz, sz, device=device).triu(1) > 0
        zeros = full((sz, sz), 0.0, device=device, dtype=dtype or float32)
        return zeros.masked_fill(later, -math.inf)
#: one_table
#: you keep one table and hand it to everybody. Whoever writes into it changes it for all.
        table = Transformer.__dict__.get(f"mask {sz} {device} {dtype}")
        if table is None:
            later = ones(sz, sz, device=device).triu(1) > 0
            table = full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -math.inf)
            setattr(Transformer, f"mask {sz} {device} {dtype}", table)
        return table
#: rows_stacked
#: you build rows and put them on one another. A mask of size 0 has no row to begin with.
        from norch_autograd import stack

        rows = []
        for i in range(sz):
            row = full((sz,), 0.0, device=device, dtype=dtype)
            row[i + 1 :] = -math.inf
            rows.append(row)
        return stack(rows)
#: least_number
#: you take the least finite number for infinity. Minus infinity alone makes a share of exactly 0,
#: whatever the other scores are.
        later = ones(sz, sz, device=device).triu(1) > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -3.4028235e38)
#: nothing_hidden
#: you hide nothing: every value of the triangle is compared with something larger than it.
        later = ones(sz, sz, device=device).triu(1) > 1
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -math.inf)
