    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
    return useful - targets
