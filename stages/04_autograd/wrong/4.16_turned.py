    for node in reversed(order):
        if useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
