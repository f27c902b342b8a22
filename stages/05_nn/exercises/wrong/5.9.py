#: mixed_up
#: you reshape where dimensions must change places. The shape is right, and the numbers of one
#: sample end up in another one.
    steps, batch, width = x.shape
    return x.reshape(batch, num_heads, steps, width // num_heads)
#: every_nth | drops: pieces of neighbours
#: you give each head every n-th number. A head is a piece of neighbours: the first E / heads
#: numbers are the first head's.
    return x.unflatten(-1, (-1, num_heads)).permute(1, 3, 0, 2)
#: heads_last | drops: return (N, num_heads, L, E / num_heads)
#: you left the steps before the heads. Attention works on the last two dimensions, which must be
#: the steps and the numbers of a head.
    return x.unflatten(-1, (num_heads, -1)).permute(1, 0, 2, 3)
#: batch_second
#: you kept the steps in front. The batch comes first, then the heads.
    return x.unflatten(-1, (num_heads, -1)).permute(0, 2, 1, 3)
#: copied | drops: Nothing is copied
#: you copy the numbers. Cutting into heads moves nothing: it is a view, and costs the same for any
#: length.
    return x.unflatten(-1, (num_heads, -1)).permute(1, 2, 0, 3).contiguous()
#: numbers_before_steps
#: you exchanged steps and numbers of a head. The steps come before the numbers.
    return x.unflatten(-1, (num_heads, -1)).permute(1, 2, 3, 0)
#: heads_first
#: you put the heads before the samples. The batch comes first.
    return x.unflatten(-1, (num_heads, -1)).permute(2, 1, 0, 3)
#: one_batch
#: you joined samples and heads in one dimension. There are four: sample, head, step, number.
    return x.unflatten(-1, (num_heads, -1)).permute(1, 2, 0, 3).flatten(0, 1)
#: not_cut
#: you cut nothing off: every head would see all the numbers. Each has a piece of E / heads.
    return x.unsqueeze(0).permute(2, 0, 1, 3).expand(-1, num_heads, -1, -1)
#: copied_if_turned
#: you copy the numbers where they do not lie one behind the other, as in a batch that comes first.
#: Cutting into heads moves nothing: `unflatten` makes a view of any layout.
    x = x.contiguous()
    return x.unflatten(-1, (num_heads, -1)).permute(1, 2, 0, 3)
#: left_over_size
#: you let `reshape` find a size while other sizes may be 0, where any would fit. E / heads is
#: known, and `unflatten` asks the last dimension alone.
    return x.reshape(x.shape[0], x.shape[1], num_heads, -1).permute(1, 2, 0, 3)
#: no_exchange
#: you cut and change no places. What comes first must be the sample, then the head.
    return x.unflatten(-1, (num_heads, -1))
#: a_dimension_twice
#: you name a dimension twice. `permute` wants each of the four once.
    return x.unflatten(-1, (num_heads, -1)).permute(1, 2, 0, 2)
#: three_dimensions
#: you put four dimensions in order where there are three. First cut the last one in two.
    return x.permute(1, 2, 0, 3)
#: record_lost
#: you cut the record of x off. The weights of queries, keys and values learn through it.
    return x.detach().unflatten(-1, (num_heads, -1)).permute(1, 2, 0, 3)
