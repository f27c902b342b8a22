    for node in reversed(order):
        if useful.isdisjoint(node.edges):
            break
        useful.add(node)
        running.add(node)
    return running
