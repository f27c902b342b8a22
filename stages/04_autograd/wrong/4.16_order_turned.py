    order.reverse()
    for node in order:
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
