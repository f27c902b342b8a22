    while order:
        node = order.pop()
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
