#: no_state | drops: Add what `h` sends
#: you forgot what the last output sends. Without it each step sees its own input alone, and the
#: weights of `h` never learn.
    gates = sums
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: no_bias
#: you forgot the bias that goes with `weight_hh`.
    gates = sums + F.linear(h, weights.weight_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: cut_samples | drops: along dimension 1
#: you cut along the samples. Each row has its four gates side by side: cut along dimension 1.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=0)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: interleaved
#: you give each gate every fourth number. A gate is a piece of H neighbours.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.unflatten(1, (-1, 4)).unbind(-1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: order_ifog | drops: in PyTorch's order: i, f, g, o
#: you took the pieces in the order i, f, o, g. Others keep it so; PyTorch's weights come as i, f,
#: g, o.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, o, g = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: order_fiog
#: you took the forget gate first. The order is i, f, g, o.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    f, i, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: old_memory_kept | drops: σ(f) of the old one
#: you keep all of the old memory. The forget gate decides how much of it stays.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: coupled
#: you keep 1 - σ(i) of the old memory, as a GRU would. An LSTM has a gate of its own for it, f.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = (1 - i.sigmoid()) * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: no_input_gate | drops: σ(i) of tanh(g)
#: you take in all of tanh(g). The input gate decides how much of it.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: all_sigmoid
#: you put all four pieces through a sigmoid. `g` is no gate: it may be negative, so it goes
#: through tanh.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.sigmoid()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: old_output | drops: σ(o) of the tanh of the new memory
#: you look at the old memory. The output comes from the new one.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    h = o.sigmoid() * c.tanh()
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return F.linear(h, weights.weight_hr), c
#: no_output_tanh
#: you forgot the tanh of the memory. The memory may grow far beyond 1; the output is kept between
#: -1 and 1.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c
    return F.linear(h, weights.weight_hr), c
#: no_output_gate
#: you show all of the memory. The output gate decides how much of it is seen.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = c.tanh()
    return F.linear(h, weights.weight_hr), c
#: not_projected | drops: goes through `F.linear` with `weights.weight_hr`
#: you forgot the projection. The output has P numbers, the memory H.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return h, c
#: memory_first | drops: Return (output, memory)
#: you return the memory first. The state is (h, c).
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return c, F.linear(h, weights.weight_hr)
#: no_gates_at_all
#: you forgot the sigmoids. A gate is a share between 0 and 1; without it, it is any number.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f * c + i * g.tanh()
    h = o * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: fused | drops: write the gates yourself
#: you call the fused gates. They have no projection, and this is the place to write what they do.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    h, c = autograd.more.lstm_gates(gates, c)
    return F.linear(h, weights.weight_hr), c
#: sums_changed
#: you add to the caller's `sums` in place. They hold what the input sends, and the way back needs
#: them as they were: make a new tensor.
    sums += F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = sums.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: memory_changed
#: you change the old memory in place. The caller holds it, and the way back needs it as it was:
#: make a new tensor.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c.mul_(f.sigmoid()).add_(i.sigmoid() * g.tanh())
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: memory_detached
#: you cut the record of the old memory off. Through it the gradient flows back over many steps:
#: that is what an LSTM is for.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c.detach() + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: exp_of_minus
#: you write the sigmoid as 1 / (1 + exp(-x)) with a fraction that a huge number breaks: exp(x) over
#: 1 + exp(x) is infinity over infinity.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)

    def sigmoid(x: Tensor) -> Tensor:
        return x.exp() / (1 + x.exp())

    c = sigmoid(f) * c + sigmoid(i) * g.tanh()
    h = sigmoid(o) * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: transposed_weight
#: you multiply by `weight_hh` as it lies. `F.linear` turns it: its rows belong to the gates.
    gates = sums + h @ weights.weight_hh.reshape(h.shape[1], -1)
    gates = gates if weights.bias_hh is None else gates + weights.bias_hh
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: projected_first
#: you project before the output gate. The gate has H numbers, as the memory has: first the gate,
#: then the projection.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = F.linear(c.tanh(), weights.weight_hr)
    return o.sigmoid()[:, : h.shape[1]] * h, c
#: tanh_of_the_output
#: you put the projected output through tanh once more. The projection comes last.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr).tanh(), c
#: relu_of_the_proposal
#: you put the proposal g through `relu`. It goes through tanh, and may be negative.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.relu()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: a_list
#: you return a list. The state is a pair, a tuple.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return [F.linear(h, weights.weight_hr), c]
#: single_precision
#: you reckon in float32. A model in double precision loses half of its digits.
    gates = (sums + F.linear(h, weights.weight_hh, weights.bias_hh)).float()
    i, f, g, o = gates.chunk(4, dim=1)
    c = (f.sigmoid() * c + i.sigmoid() * g.tanh()).float()
    h = (o.sigmoid() * c.tanh()).to(sums.dtype)
    return F.linear(h, weights.weight_hr), c.to(sums.dtype)
#: input_forgotten
#: you forgot what the input sends. The sum is `sums` and what `h` sends.
    gates = sums * 0 + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: memory_kept_as_it_was
#: the memory stays as it was. The new one is what f keeps of the old, and what i takes in.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: nothing_taken_in
#: your new memory is what was kept of the old one, and nothing is taken in.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: nothing_kept
#: your new memory is what was taken in, and nothing is kept of the old one.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: proposal_subtracted
#: you subtract the proposal. What i takes in is added.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c - i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: gate_alone
#: you return the output gate itself. It says how much of the memory's tanh is seen: multiply.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid()
    return F.linear(h, weights.weight_hr), c
#: no_tanh_of_the_proposal
#: you take g as it is. It goes through tanh, which keeps it between -1 and 1.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: no_sigmoid_of_o
#: you multiply by o itself. A gate is a share between 0 and 1: its sigmoid.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: no_sigmoid_of_f
#: you multiply the old memory by f itself. A gate is a share between 0 and 1: its sigmoid.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: no_sigmoid_of_i
#: you multiply the proposal by i itself. A gate is a share between 0 and 1: its sigmoid.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: three_pieces
#: you cut into three pieces. There are four: i, f, g, o.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(3, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
#: gates_and_candidate_exchanged
#: you exchanged f and o: the forget gate decides about the old memory, the output gate about what
#: is seen.
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, o, g, f = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
