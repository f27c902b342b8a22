    for node in reversed(order):
        if useful.issuperset(node.edges):
            useful.add(node)
            running.add(node)
    return running
