#: given | drops: or leads to a node that has one behind it
#: a node runs only where a target is right behind it. Either you go from the newest node to the
#: oldest, or you do not add to `useful` what you found: when a node is looked at, `useful` must
#: hold every node behind it that leads to a target.
    for node in order:
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
#: all_edges | drops: one of its edges is a target
#: you ask for ALL edges of a node. A product of x with a constant leads to x by one edge: one is
#: enough.
    for node in reversed(order):
        if useful.issuperset(node.edges):
            useful.add(node)
            running.add(node)
    return running
#: everything | drops: and no others
#: you let every node run. What leads to no target costs time, and might raise an error that
#: concerns nobody.
    running.update(order)
    return running
#: targets_too | drops: a node that is a target itself is not
#: targets are in your set. A gradient that was asked for is complete when it arrives there; the
#: node itself need not run.
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return {node for node in order if node in useful}
#: no_target_runs | drops: unless another lies behind it
#: you take every target out of the set. One that has another target behind it must run: the
#: gradient of that one comes through it.
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
    return useful - targets
#: calls_itself | drops: Graphs may be 50000 nodes deep
#: you call yourself for each edge. Python allows about a thousand calls inside each other: go
#: through `order`, which has every node once.
    def leads(node):
        if node is None or not isinstance(node, Node):
            return False
        return any(edge in targets or leads(edge) for edge in node.edges)

    running.update(node for node in order if leads(node))
    return running
#: leaf_asked | drops: a leaf tensor, which has no edges
#: you ask a leaf for its edges. Of what an edge leads to, only a node has edges; and graphs may be
#: too deep for a function that calls itself: go through `order`.
    def leads(node):
        if node is None:
            return False
        return any(edge in targets or leads(edge) for edge in node.edges)

    running.update(node for node in order if leads(node))
    return running
#: again_and_again | drops: each node is looked at once
#: you go through all nodes again and again until nothing changes. From the oldest to the newest,
#: once is enough.
    found = True
    while found:
        found = False
        for node in order:
            if node not in running and not useful.isdisjoint(node.edges):
                useful.add(node)
                running.add(node)
                found = True
    return running
#: stops
#: you stop at the first node that leads to a target. The nodes that use it lead there as well.
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
            break
    return running
#: stops_at_others
#: you stop at the first node that leads to no target. Newer ones may lead to one by another way:
#: pass over it and go on.
    for node in reversed(order):
        if useful.isdisjoint(node.edges):
            break
        useful.add(node)
        running.add(node)
    return running
#: turned
#: you have the nodes that lead to no target.
    for node in reversed(order):
        if useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
#: first_edge
#: you look at the first edge of a node alone. In `c * x` the second one leads to x.
    for node in reversed(order):
        if node.edges and node.edges[0] in useful:
            useful.add(node)
            running.add(node)
    return running
#: order_emptied | drops: Both arguments stay as they are
#: you take the nodes out of `order`. The list belongs to the pass, which has yet to run the nodes
#: in it: read it and leave it as it is.
    while order:
        node = order.pop()
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
#: order_turned
#: you turn `order` itself over. The list belongs to the pass, which goes through it from the
#: newest node on: `reversed(order)` reads it from its end and leaves it as it is.
    order.reverse()
    for node in order:
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
#: targets_grow
#: you add nodes to `targets` itself. The caller's set then asks for gradients that nobody asked
#: for: `useful` is a copy of it, made for this.
    useful = targets
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
#: targets_as_a_list
#: you look for edges in a list. A list compares them one by one, and two tensors with equal numbers
#: then count as one: ask the set, `useful`.
    wanted = list(targets)
    for node in reversed(order):
        if any(edge in wanted or edge in running for edge in node.edges):
            running.add(node)
    return running
#: targets_forgotten
#: your set stays empty. Either nothing is put into it, or you look for edges there alone, and
#: nothing begins: an edge that is a target counts too, and `useful` holds both.
    for node in reversed(order):
        if any(edge in running for edge in node.edges):
            running.add(node)
    return running
#: all_but_none
#: you ask for ALL edges of a node but those that are None. A product of two leaves leads to each of
#: them by one edge: one is enough.
    for node in reversed(order):
        if all(edge in useful for edge in node.edges if edge is not None):
            useful.add(node)
            running.add(node)
    return running
#: by_truth
#: you ask an edge whether it is true. A leaf whose number is 0 is false, and one of several numbers
#: has no answer. `None` is in no set: there is nothing to ask.
    for node in reversed(order):
        if any(edge and edge in useful for edge in node.edges):
            useful.add(node)
            running.add(node)
    return running
#: twice_the_wrong_way
#: you go through the nodes twice, from the newest to the oldest. Each time the news travels one
#: edge: from the oldest on, once is enough.
    for _ in range(2):
        for node in order:
            if not useful.isdisjoint(node.edges):
                useful.add(node)
                running.add(node)
    return running
#: last_edge
#: you look at the last edge of a node alone. In `x * c` the first one leads to x.
    for node in reversed(order):
        if node.edges and node.edges[-1] in useful:
            useful.add(node)
            running.add(node)
    return running
#: none_stops
#: you pass over a node that has an edge of None. Its other edges may lead to a target.
    for node in reversed(order):
        if None in node.edges:
            continue
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
#: as_a_list | drops: All such nodes are in the set
#: you return a list. The pass asks for each node whether it is in there, and a list compares it
#: with one after the other: a set is wanted.
    found = []
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            found.append(node)
    return found
#: every_path
#: you go up every path, also through nodes that you have found. Where each node uses the one before
#: it twice, the number of paths doubles with each: look whether a node is new.
    stack = [order[0]] if order else []
    users = {}
    for node in order:
        for edge in node.edges:
            users.setdefault(edge, []).append(node)
    waiting = list(targets)
    while waiting:
        for node in users.get(waiting.pop(0), ()):
            running.add(node)
            waiting.append(node)
    return running
#: any_node
#: a node runs where one of its edges is any node. That node must lead to a target.
    for node in reversed(order):
        if any(edge in targets for edge in node.edges) or any(isinstance(edge, Node) for edge in node.edges):
            running.add(node)
    return running
#: exactly_one
#: you ask for exactly one edge that leads to a target. There may be several: one or more.
    for node in order[::-1]:
        if len(useful & set(node.edges)) == 1:
            useful.add(node)
            running.add(node)
    return running
#: newest_left_out
#: you leave out the newest node. It may lead to a target like any other.
    for node in reversed(order[1:]):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
#: searches_below
#: you search below a node again, edge by edge. What lies behind it has been decided: an edge leads
#: to a target if it is in `useful`.
    def leads(node):
        return isinstance(node, Node) and any(e in useful or leads(e) for e in node.edges)
    for node in reversed(order):
        if leads(node):
            useful.add(node)
            running.add(node)
    return running
#: stops_at_a_target
#: you return when a target runs. Newer nodes may lead to it, or to another: go on to the end.
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
            if node in targets:
                return running
    return running
#: all_edges_useful
#: you add all edges of a node that runs to `useful`. Only what leads to a target belongs there: the
#: node itself.
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.update(node.edges)
            useful.add(node)
            running.add(node)
    return running
#: numbers_for_nodes
#: your set holds other things than nodes, such as their numbers, or edges that are leaves. The
#: nodes themselves are wanted.
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node.number)
    return running
#: targets_taken_out
#: you take the targets out of `useful` on the way. Others may lead to them, by another edge: they
#: stay.
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
            useful -= targets
    return running
#: how_many
#: you return something else than a set. The nodes themselves are wanted.
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return len(running)
#: useful_itself
#: you return `useful`. It holds the targets too, and they need not run: `running` is for the nodes
#: that do.
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
    return useful
#: limit_raised
#: you raise Python's limit of calls within calls and call yourself all the same. `order` has every
#: node once: go through it.
    import sys
    sys.setrecursionlimit(10**6)
    known = {}
    def leads(node):
        if node not in known:
            known[node] = any(e in targets or (isinstance(e, Node) and leads(e)) for e in node.edges)
        return known[node]
    return {node for node in order if leads(node)}
#: two_edges
#: you look at two edges at most. A node may have any number of inputs.
    for node in reversed(order):
        if any(edge in useful for edge in node.edges[:2]):
            useful.add(node)
            running.add(node)
    return running
#: leaves_alone
#: you look for leaves among the targets alone. A node may be asked for as well.
    leaves = {one for one in targets if not isinstance(one, Node)}
    useful = set(leaves)
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful.add(node)
            running.add(node)
    return running
#: last_found_alone
#: your set holds the last node alone. Put each into the set that is there: `running.add(node)`.
    for node in reversed(order):
        if not useful.isdisjoint(node.edges):
            useful = useful | {node}
            running = {node}
    return running
