#: not_scaled | drops: divided by the root of `size`
#: you forgot the division by the root of the size where no scale is given. Scores grow with the
#: number of terms in them, and the softmax of large scores picks one key alone.
    scores = matmul(query, matrix_transpose(key))
    if scale is not None:
        scores = scores * scale
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: by_the_size
#: you divide by the size and not by its root. A sum of n random products is about as large as the
#: root of n.
    scores = matmul(query, matrix_transpose(key)) * (1 / size if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: own_scale | drops: times `scale`
#: you divide by the root although a `scale` was given. It takes the place of 1 / root.
    scores = matmul(query, matrix_transpose(key)) * (1 / math.sqrt(size))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: hides_the_past
#: you hide the keys before a query. A text may look back; what is hidden is what comes later.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys < unsqueeze(queries, 1), -math.inf)
#: hides_itself | drops: query i sees keys 0 to i
#: you hide a query from its own key. The first query then sees nothing at all.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys >= unsqueeze(queries, 1), -math.inf)
#: zero_is_hidden | drops: become minus infinity
#: you give hidden keys the score 0. exp(0) is 1, so they are seen all the same: a hidden score is
#: minus infinity.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), 0)
#: never_causal | drops: With `is_causal`
#: later keys are not hidden. With `is_causal`, query i sees the keys 0 to i and no others; and
#: `masked_fill` returns a new table, and leaves its argument alone.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
#: keys_upright | drops: the dot product of each query with each key
#: you multiply by the keys as they lie. Entry (i, j) is query i times key j, summed over E: the
#: keys must be turned, so that E meets E.
    scores = matmul(query, key)
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: all_turned | drops: query (..., L, E) and key (..., S, E)
#: you turned all dimensions of the keys. Only the last two make a matrix; those in front count
#: batches and heads, and stay.
    scores = matmul(query, key.permute(*reversed(range(key.ndim))))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: other_name | drops: Name the result `scores`
#: your result has another name. The lines below the hole go on with `scores`.
    result = matmul(query, matrix_transpose(key))
    result = result * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in result.array.shape[-2:])
        result = masked_fill(result, keys > unsqueeze(queries, 1), -math.inf)
#: large_not_infinite
#: you hide a key with a large number below zero. A query that sees no key at all then spreads its
#: weight over what it must not see: minus infinity is the only number that stays hidden.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -1e9)
#: square
#: your mask is a square. There may be more keys than queries, or fewer: number the queries up to L
#: and the keys up to S.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in [query.array.shape[-2]] * 2)
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: always_causal
#: you hide later keys always. Only with `is_causal`; without it every query sees every key.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
    scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: numbers_the_batch
#: you number the first dimension. The queries lie along the last but one, also where batches and
#: heads stand in front.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[:2])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: table_turned
#: your mask has a row for each key. The table of scores has a row for each QUERY: the queries'
#: numbers are the column.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, queries > unsqueeze(keys, 1), -math.inf)
#: scale_divides
#: you divide by `scale`. It is a factor: where it is given, the scores are multiplied by it.
    scores = matmul(query, matrix_transpose(key)) / (math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: scale_by_truth
#: you ask `scale` whether it is true. A scale of 0 is given too, and makes all scores 0: ask `is
#: None`.
    scores = matmul(query, matrix_transpose(key)) * (scale or 1 / math.sqrt(size))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: masked_then_scaled
#: you hide keys first and scale afterwards. A scale below 0 turns minus infinity into infinity, and
#: one of 0 makes it NaN: scale first.
    scores = matmul(query, matrix_transpose(key))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
#: root_of_the_scale
#: you take the root of `scale`. It is the factor itself; only `size` has its root taken.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else math.sqrt(abs(scale)))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: own_size
#: you take the size from the shape. Where E is 0 you divide by 0: `size` is set, and is 1 there.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (query.array.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: times_infinity
#: you multiply truth values by minus infinity. 0 times infinity is NaN: `masked_fill` puts the
#: value where it belongs and leaves the rest.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        hidden = to(keys > unsqueeze(queries, 1), scores.dtype)
        scores = scores + hidden * -math.inf
#: root_on_both_sides
#: you scale queries and keys by the root of the factor. A scale below 0 has no root: scale once.
    root = math.sqrt(1 / math.sqrt(size) if scale is None else scale)
    scores = matmul(query * root, matrix_transpose(key * root))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: lined_up_at_the_end
#: you line queries and keys up at their ends. Both are numbered from 0: query i sees keys 0 to i,
#: however many there are.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        length, width = scores.array.shape[-2:]
        queries, keys = (arange_like(query, (n,)) for n in (length, width))
        scores = masked_fill(scores, keys > unsqueeze(queries + (width - length), 1), -math.inf)
#: softmaxed
#: you take the softmax too. It is taken below the hole, and a second one makes all weights more
#: alike: leave the scores as they are.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
    scores = softmax(scores, -1)
#: query_overwritten
#: you write into `query`. It is the caller's: `*` makes a new tensor, `*=` writes into the old one.
    query *= 1 / math.sqrt(size) if scale is None else scale
    scores = matmul(query, matrix_transpose(key))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: size_of_the_values
#: you take another size than that of the queries: that of the values, or how many keys there are.
#: `size` is set.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(max(1, value.array.shape[-1])) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: pair_by_pair
#: you go through the pairs of queries and keys one by one. A comparison of a column with a row
#: gives the whole table at once.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        for i in range(scores.array.shape[-2]):
            for j in range(i + 1, scores.array.shape[-1]):
                scores[..., i, j] = -math.inf
#: times_the_root
#: you multiply by the root of the size. Scores grow with the number of terms in them: divide.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: keys_first
#: you multiply the keys by the queries. A row of scores belongs to a query: the queries stand on
#: the left.
    scores = matmul(key, matrix_transpose(query))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: only_squares_masked
#: you hide later keys only where there are as many keys as queries. Query i sees keys 0 to i,
#: however many there are.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal and scores.array.shape[-1] == scores.array.shape[-2]:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: both_factors
#: you divide by the root although a `scale` was given. It takes the place of 1 / root, and does not
#: come on top.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale / math.sqrt(size))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: positive_scales_alone
#: you use a `scale` only where it is above 0. It may be any number: ask `is None`.
    scores = matmul(query, matrix_transpose(key))
    if scale is None:
        scores = scores / size ** 0.5
    elif scale > 0:
        scores = scores * scale
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: mask_instead
#: you forget `is_causal` where there is a mask. Both hide keys: the mask is applied below the hole.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal and mask is None:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: square_of_keys
#: your mask is a square as wide as the keys. There may be fewer queries, or more: number them up to
#: L.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        n = scores.array.shape[-1]
        queries, keys = arange_like(query, (n,)), arange_like(query, (n,))
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: one_more
#: a query sees one key too many. Query i sees keys 0 to i: what is larger than i is hidden.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1) + 1, -math.inf)
#: rounded
#: you round the factor. Scores may be large, and what is cut off counts.
    scores = matmul(query, key.mT)
    scores = scores * round(1 / math.sqrt(size) if scale is None else scale, 4)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: seen_and_hidden_swapped
#: you hide what is to be seen, and show what is to be hidden. With `is_causal`, query i sees keys 0
#: to i.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys <= unsqueeze(queries, 1), -math.inf)
#: column_of_keys
#: the keys' numbers are your column. A row belongs to a query: the queries' numbers are the column,
#: those of the keys the row.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, unsqueeze(keys, 1) > queries, -math.inf)
#: scaled_if_causal
#: you scale only with `is_causal`. The scale has nothing to do with it.
    scores = matmul(query, matrix_transpose(key))
    if is_causal:
        scores = scores * (1 / math.sqrt(size) if scale is None else scale)
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: logarithm
#: you divide by something else than the root of `size`.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.log(size + 1) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: not_far_enough
#: you hide a key with a number below zero that is not minus infinity. Where all scores are as low,
#: or lower, it is seen all the same.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -100.0)
#: detached
#: your scores do not belong to the record. Gradients go back through them to queries and keys: use
#: operations of tensors.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = plain(masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf).array)
#: scale_without_its_sign
#: you take `scale` without its sign. It may be below 0: it is the factor itself.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else abs(scale))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: scale_squared
#: you multiply by the square of `scale`. It is the factor itself.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale ** 2)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: near_keys_alone
#: you hide keys far back as well. Query i sees all keys from 0 to i.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        hidden = keys > unsqueeze(queries, 1)
        scores = masked_fill(scores, hidden | (unsqueeze(queries, 1) > keys + 2), -math.inf)
#: scaled_on_both_sides
#: you scale queries and keys, each by the whole factor. Their product is then scaled twice: scale
#: once.
    factor = 1 / math.sqrt(size) if scale is None else scale
    scores = matmul(query * factor, matrix_transpose(key * factor))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: whole_root
#: you cut the root of `size` off to a whole number. What is behind the point counts too.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.isqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: unscaled_if_causal
#: you scale only where nothing is hidden. The scale has nothing to do with `is_causal`.
    scores = matmul(query, matrix_transpose(key))
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
    else:
        scores = scores * (1 / math.sqrt(size) if scale is None else scale)
#: off_the_graph
#: you take the queries or the keys off the graph. Gradients go back to both through the scores: use
#: them as they came.
    from norch_autograd.ops.dtype.convert import detach

    scores = matmul(query, matrix_transpose(detach(key)))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: scale_added
#: you add the scale. It is a factor.
    scores = matmul(query, matrix_transpose(key))
    scores = scores / math.sqrt(size) if scale is None else scores + scale
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
#: infinity_for_minus
#: you put infinity where minus infinity belongs. The weight of a hidden key is 0, and exp of minus
#: infinity is 0.
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), math.inf)
