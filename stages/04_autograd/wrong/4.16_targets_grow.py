    useful = targets
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
