    found = True
    while found:
        found = False
        for node in order:
            if node not in running and not useful.isdisjoint(node.edges):
                useful.add(node)
                running.add(node)
                found = True
    return running
