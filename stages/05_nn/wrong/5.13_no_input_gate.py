    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
