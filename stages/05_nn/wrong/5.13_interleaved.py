    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.unflatten(1, (-1, 4)).unbind(-1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
