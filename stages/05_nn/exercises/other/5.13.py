#: gate_by_gate
#: each gate has its own rows of the weight and of the bias, and is computed when it is needed. The
#: lines read as the formulas do; four small products take longer than one large one.
    size = c.shape[1]

    def gate(k: int) -> Tensor:
        rows = slice(k * size, (k + 1) * size)
        bias = None if weights.bias_hh is None else weights.bias_hh[rows]
        return sums[:, rows] + F.linear(h, weights.weight_hh[rows], bias)

    c = gate(1).sigmoid() * c + gate(0).sigmoid() * gate(2).tanh()
    return F.linear(gate(3).sigmoid() * c.tanh(), weights.weight_hr), c
