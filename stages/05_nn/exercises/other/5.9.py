#: two_exchanges
#: two exchanges of neighbours instead of one permutation of four: samples before steps, then heads
#: before steps. Each can be checked by itself; one view more is made on the way.
    pieces = x.transpose(0, 1).unflatten(-1, (num_heads, -1))  # (N, L, heads, E / heads)
    return pieces.transpose(1, 2)
