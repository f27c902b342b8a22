    for node in reversed(order):
        if node.edges and node.edges[0] in useful:
            useful.add(node)
            running.add(node)
    return running
