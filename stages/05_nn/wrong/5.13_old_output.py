    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    h = o.sigmoid() * c.tanh()
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return F.linear(h, weights.weight_hr), c
