    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return {node for node in order if node in useful}
