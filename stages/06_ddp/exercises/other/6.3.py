#: in_order_of_travel
#: the chunks are put in the order in which this rank sends them, from r back round the ring to
#: r + 1. Each step then goes from one to its neighbour in that list, and no index is reckoned any
#: more; a list of N names is made first.
    order = [chunks[(rank - step) % size] for step in range(size)]
    for outgoing, target in pairwise(order):
        incoming = zeros_like(target)
        pass_on(outgoing, incoming)
        target.add_(incoming)
