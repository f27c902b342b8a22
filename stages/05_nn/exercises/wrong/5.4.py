#: not_scaled | drops: so large that the mean of `input * scale` is that of `input`
#: you leave what is kept as it is. The next layer then sees less in training than in evaluation,
#: where nothing is dropped.
    scale = input.new_empty(shape).bernoulli_(1 - p)
#: keeps_p | drops: each element is 0 with probability `p`
#: you keep with probability p. `p` is the share that is dropped, as in PyTorch; at 0.5 nobody
#: notices.
    scale = input.new_empty(shape).bernoulli_(p) / p
#: divided_by_p
#: you divide by p. What is kept is the share 1 - p, so it must grow by 1 / (1 - p).
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / p if p < 1 else keep
#: shrunk
#: you multiply by 1 - p, which makes what is kept smaller still. The mean stays if you divide.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep * (1 - p) if p < 1 else keep
#: zero_by_zero | drops: with `p` of 1 everything is 0
#: you divide by 0 where everything is dropped. With p = 1 nothing is kept, and nothing is to be
#: divided.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / (1 - p)
#: of_the_input | drops: of the given `shape`
#: you draw for every element of the input. `shape` may be smaller: then a whole row, or a channel,
#: is dropped together.
    keep = input.new_empty(input.shape).bernoulli_(1 - p)
    scale = keep / (1 - p) if p < 1 else keep
#: one_draw
#: you draw once for all elements. Each has a draw of its own.
    keep = input.new_empty((1,) * len(shape)).bernoulli_(1 - p).expand(shape)
    scale = keep / (1 - p) if p < 1 else keep
#: keeps_p_grows
#: you keep with probability p and grow by 1 / (1 - p). `p` is the share that is dropped.
    keep = input.new_empty(shape).bernoulli_(p)
    scale = keep / (1 - p) if p < 1 else keep
#: times_the_input
#: you multiply by the input already. That is done below the region: `scale` holds zeros and one
#: other number.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = input * keep / (1 - p) if p < 1 else keep
#: in_evaluation
#: you shrink nothing and drop nothing. In training, what p says is dropped.
    scale = input.new_empty(shape).fill_(1.0) if p < 1 else input.new_empty(shape).zero_()
#: half_kept
#: you drop half of them whatever `p` says.
    keep = input.new_empty(shape).bernoulli_(0.5 if p < 1 else 0.0)
    scale = keep * 2
#: root
#: you grow by the root. It is the mean that must stay, not the length.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / (1 - p) ** 0.5 if p < 1 else keep
#: default_dtype
#: your mask has the default dtype. It must be like `input`: a model in half precision would go on
#: in float32 from here.
    from norch_autograd import empty

    keep = empty(shape).bernoulli_(1 - p)
    scale = keep / (1 - p) if p < 1 else keep
#: whole_factor
#: you round the factor to a whole number. 1 / (1 - p) is 1.25 for p = 0.2.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep * round(1 / (1 - p)) if p < 1 else keep
#: first_ones
#: you drop the first elements, and always the same ones. Each element has a draw of its own, so one
#: alone is sometimes dropped and sometimes not.
    keep = input.new_empty(shape).fill_(1.0).reshape(-1)
    keep[: int(keep.numel() * p)] = 0.0
    scale = (keep / (1 - p) if p < 1 else keep).reshape(shape)
#: seeded
#: you set the seed before you draw. Then every step drops the same elements.
    from norch_autograd import manual_seed

    manual_seed(0)
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / (1 - p) if p < 1 else keep
#: mean_measured
#: you divide by the share that this draw has kept, which varies from draw to draw. On average 1 - p
#: of them are kept: divide by that.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / keep.mean() if p < 1 else keep
#: detached
#: you cut the record of `input` off. What stands below the region multiplies it, and its gradient
#: must go through.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / (1 - p) if p < 1 else keep
    input = input.detach()
#: input_scaled
#: you change the caller's `input` as well. Whoever else reads it finds zeros.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / (1 - p) if p < 1 else keep
    input.detach().mul_(keep)
#: capped
#: you limit how much is grown. The mean stays for every `p`, also close to 1.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep * min(10.0, 1 / (1 - p)) if p < 1 else keep
#: ones_if_all
#: with `p` of 1 you make ones. Everything is dropped then: all is 0.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / (1 - p) if p < 1 else keep + 1
#: drawn_twice
#: you draw twice, and keep only what both draws keep. Draw once, and divide that.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep * input.new_empty(shape).bernoulli_(1 - p) / (1 - p) if p < 1 else keep
#: eps_added
#: you add a small number to 1 - p. Where nothing is kept nothing is divided, and all other factors
#: come out too small.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / (1 - p + 1e-6)
#: one_draw_for_a_column
#: you draw for one row and use it for all rows. Each element of `shape` has a draw of its own.
    keep = input.new_empty(shape[-1:]).bernoulli_(1 - p) + input.new_empty(shape).zero_()
    scale = keep / (1 - p) if p < 1 else keep
#: grows_by_one_plus_p
#: you divide by 1 + p. What is kept is the share 1 - p: divide by that.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep / (1 + p) if p < 1 else keep
#: one_number_for_all
#: your scale is one number: no element is dropped. Each is 0 or the factor, by a draw of its own.
    keep = input.new_empty(shape).bernoulli_(1 - p)
    scale = keep * 0 + (1 - p) if p < 1 else keep
#: single_precision
#: you reckon the factor in float32. A model in double precision loses half of its digits.
    from norch_autograd import empty

    keep = empty(shape).bernoulli_(1 - p)
    scale = (keep / (1 - p) if p < 1 else keep).to(input.dtype)
