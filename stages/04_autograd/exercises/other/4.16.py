#: from_the_targets
#: the edges are turned round, and the search goes from the targets up to all that uses them. It
#: needs no order at all, and looks only at what leads to a target once the table of users is made;
#: that table holds every edge of the graph, where the loop holds only what it has found.
    users = {}
    for node in order:
        for edge in node.edges:
            users.setdefault(edge, []).append(node)
    waiting = list(targets)
    while waiting:
        for node in users.get(waiting.pop(), ()):
            if node not in running:
                running.add(node)
                waiting.append(node)
    return running
