#: as_found | drops: newest first
#: your nodes are not sorted: they come in the order of the search, or of a set. A search may find
#: a node before everything that uses it, and a set has no order at all: sort by number, newest
#: first.
    order = list(stack)
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if isinstance(edge, Node):
                if edge not in seen:
                    seen.add(edge)
                    order.append(edge)
                    stack.append(edge)
            elif edge is not None:
                last_use[edge] = min(last_use.get(edge, node.number), node.number)
    complete = {}
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return order, complete
#: first_use | drops: after the OLDEST node that uses it
#: you took the newest node that uses a leaf. The walk goes from new to old, so a leaf is complete
#: after its OLDEST user.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if isinstance(edge, Node):
                if edge not in seen:
                    seen.add(edge)
                    stack.append(edge)
            elif edge is not None:
                last_use[edge] = max(last_use.get(edge, node.number), node.number)
    complete = {}
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: from_the_stack | drops: once
#: you list each node as you take it from the stack. A root that is given twice is on it twice, and
#: would run twice: list what was seen, once each.
    order = []
    while stack:
        node = stack.pop()
        order.append(node)
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(order, key=_number, reverse=True), complete
#: recursive | drops: Graphs may be 50000 nodes deep
#: you call yourself for each edge. Python allows about a thousand calls inside each other, and a
#: graph is often deeper: use the stack.
    def visit(node):
        for edge in node.edges:
            if isinstance(edge, Node):
                if edge not in seen:
                    seen.add(edge)
                    visit(edge)
            elif edge is not None:
                last_use[edge] = min(last_use.get(edge, node.number), node.number)

    for root in stack:
        visit(root)
    complete = {}
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: one_step | drops: every node that can be reached from the roots
#: you look at the edges of the roots and no further. What they lead to has edges of its own: put
#: each new node on the stack as well.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: keyed_by_node | drops: the number of a node
#: the keys of your dict are nodes. The engine asks by number: `node.number`.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for node in seen:
        leaves = [leaf for leaf, number in last_use.items() if number == node.number]
        if leaves:
            complete[node] = leaves
    return sorted(seen, key=_number, reverse=True), complete
#: one_leaf | drops: the list of the leaves
#: one leaf replaces another. Several leaves may be complete after the same node: each number has a
#: LIST of leaves.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete[number] = [leaf]
    return sorted(seen, key=_number, reverse=True), complete
#: leaf_as_node | drops: anything that is no `Node`
#: you put leaves on the stack. An edge may be a leaf tensor, which has no edges: ask
#: `isinstance(edge, Node)` first.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is not None and edge not in seen:
                seen.add(edge)
                stack.append(edge)
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: none_as_leaf | drops: and `None`
#: you take `None` for a leaf: it is no `Node` either. An edge is `None` where an input wants no
#: gradient, so there is nothing to wait for: pass over it.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: oldest_first
#: your order begins with the oldest node. Gradients travel the other way, from the result back:
#: newest first.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number), complete
#: every_path
#: you go down every path, also to nodes that you have seen. Where each node uses the one before it
#: twice, the number of paths doubles with each: put a node on the stack only when it is new.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            else:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: not_turned
#: your dict leads from leaves to numbers. It is wanted the other way round: from the number of a
#: node to the leaves that are complete after it.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    return sorted(seen, key=_number, reverse=True), last_use
#: without_roots
#: the roots are missing from your order. They are nodes that can be reached too, and run first.
    order = []
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
                order.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(order, key=_number, reverse=True), complete
#: after_every_user
#: a leaf is listed after each node that uses it. It is complete once, after the OLDEST of them;
#: before that a part is missing.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                if edge not in complete.setdefault(node.number, []):
                    complete[node.number].append(edge)
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    return sorted(seen, key=_number, reverse=True), complete
#: last_found
#: a leaf keeps the number of the node that was found last. The search may come to an older node
#: first: keep the smallest number.
    while stack:
        node = stack.pop(0)
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = node.number
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: no_leaves
#: you never note which node uses which leaf. The second thing to return says after which node each
#: leaf is complete.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if isinstance(edge, Node) and edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: leaf_by_truth
#: you ask an edge whether it is true. A leaf whose number is 0 is false, and one of several numbers
#: has no answer: ask `is None`.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if not edge:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: list_searched
#: you look for nodes in a list, which compares them one by one with all that were found. A set,
#: such as `seen`, finds one at once.
    order = list(stack)
    for node in order:
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in order:
                order.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(set(order), key=_number, reverse=True), complete
#: roots_asked
#: you ask every root for its edges. A root may be a leaf, which has none: `stack` holds those that
#: are nodes.
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                waiting.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: empty_lists
#: each node has a list in your dict, also where no leaf is complete after it. Leave out the numbers
#: that have none.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for node in seen:
        complete[node.number] = [leaf for leaf, number in last_use.items() if number == node.number]
    return sorted(seen, key=_number, reverse=True), complete
#: all_leaves_for_each_node
#: you go through all leaves, or all nodes that wait, again for each node. Each is looked at once: a
#: dict or a set finds without a search, and one sort at the end is enough.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for node in seen:
        leaves = [leaf for leaf, number in last_use.items() if number == node.number]
        if leaves:
            complete[node.number] = leaves
    return sorted(seen, key=_number, reverse=True), complete
#: leaf_after_each_use
#: you list a leaf each time that it is used, so it is there more than once. It is complete once,
#: after the oldest node that uses it.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                complete.setdefault(node.number, []).append(edge)
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    return sorted(seen, key=_number, reverse=True), complete
#: leaves_as_a_set
#: the leaves of a number are a set in your dict. A list is wanted.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, set()).add(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: numbers_for_nodes
#: your order holds numbers. The nodes themselves are wanted, sorted by their numbers: `sorted(...,
#: key=...)`.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted((node.number for node in seen), reverse=True), complete
#: order_alone
#: you return the order alone. Two things are wanted: the order, and the dict of the leaves.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if isinstance(edge, Node) and edge not in seen:
                seen.add(edge)
                stack.append(edge)
    return sorted(seen, key=_number, reverse=True)
#: dict_first
#: you return the dict first. The order comes first, then the dict.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return complete, sorted(seen, key=_number, reverse=True)
#: returns_in_the_loop
#: you return inside the loop, when the first node has been looked at. The nodes on the stack have
#: edges too: return when the stack is empty.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
        for leaf, number in last_use.items():
            complete.setdefault(number, []).append(leaf)
        return sorted(seen, key=_number, reverse=True), complete
#: stops_at_none
#: you leave the loop over the edges at the first `None`. Behind it there may be others: pass over
#: it and go on.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                break
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: first_found
#: a leaf keeps the number of the node that was found first. The search may come to an older node
#: later: keep the smallest number.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use.setdefault(edge, node.number)
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: number_by_truth
#: you ask a number whether it is true. The first node of all has number 0, which is false: ask
#: `in`, or give `get` a second argument.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = last_use.get(edge) or node.number
                last_use[edge] = min(node.number, last_use[edge])
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: smallest_from_zero
#: you begin the search for the smallest number with 0, or with another small one. No node is older
#: than that: begin with the number of the node at hand.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if isinstance(edge, Node):
                if edge in seen:
                    continue
                seen.add(edge)
                stack.append(edge)
            else:
                last_use[edge] = min(node.number, last_use.get(edge, 0))
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: sorted_without_a_key
#: you sort nodes. They have no order of their own: `sorted(..., key=...)` takes their numbers.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, reverse=True), complete
#: newest_again_and_again
#: you ask many nodes for their numbers, again for each node. `seen` knows whether a node is new,
#: and one sort in the end finds the order.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete[number] = complete.get(number, []) + [leaf]
    order = []
    rest = set(seen)
    while rest:
        newest = max(rest, key=_number)
        rest.remove(newest)
        order.append(newest)
    return order, complete
#: never_seen
#: you put nodes on the stack and not into `seen`. What is sorted in the end is `seen`: a new node
#: goes into both.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if isinstance(edge, Node):
                if edge not in seen:
                    stack.append(edge)
            elif edge is not None:
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: keyed_by_leaf
#: the keys of your dict are leaves. It is wanted the other way round: the number of a node -> the
#: leaves that are complete after it.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if isinstance(edge, Node):
                if edge not in seen:
                    seen.add(edge)
                    stack.append(edge)
            elif edge is not None:
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
    for leaf, number in last_use.items():
        complete[leaf] = [number]
    return sorted(seen, key=_number, reverse=True), complete
#: number_of_a_leaf
#: you ask a leaf for its number. Only nodes have one: a leaf waits for the number of the NODE that
#: uses it.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if isinstance(edge, Node):
                if edge not in seen:
                    seen.add(edge)
                    stack.append(edge)
            elif edge is not None:
                last_use[edge] = min(edge.number, last_use.get(edge, edge.number))
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: numbers_searched
#: you ask many nodes for their numbers, again for each node. `seen` knows whether a node is new,
#: and one sort in the end finds the order.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge.number not in {one.number for one in seen}:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: roots_as_users
#: you list leaves that are roots under a number of their own. Only nodes have numbers: a leaf is
#: complete after the oldest NODE that uses it.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for root in roots:
        if not isinstance(root, Node):
            last_use[root] = -1
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: roots_first
#: the roots come first in your order. A root may be older than other nodes: newest first, whatever
#: it is.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    first = [root for root in roots if isinstance(root, Node)]
    rest = seen - set(first)
    return list(dict.fromkeys(first)) + sorted(rest, key=_number, reverse=True), complete
#: one_number_later
#: you list a leaf under another number than that of its oldest user. Numbers need no correction: a
#: leaf is complete once THAT node has run.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number + 1, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: roots_as_given
#: your order begins with the roots as they were given. One that is given twice would run twice:
#: `seen` holds each once.
    order = list(stack)
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in order:
                order.append(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(order, key=_number, reverse=True), complete
#: first_edge
#: you follow the first edge of a node alone. A node has an edge for each input: go through all of
#: them.
    while stack:
        node = stack.pop()
        edge = node.edges[0] if node.edges else None
        if edge is None:
            continue
        if not isinstance(edge, Node):
            last_use[edge] = min(node.number, last_use.get(edge, node.number))
        elif edge not in seen:
            seen.add(edge)
            stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: place_in_the_order
#: the keys of your dict are places in the order. The engine asks by number: `node.number`.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    order = sorted(seen, key=_number, reverse=True)
    place = {node.number: i for i, node in enumerate(order)}
    for leaf, number in last_use.items():
        complete.setdefault(place[number], []).append(leaf)
    return order, complete
#: leaf_compared
#: you ask whether a leaf stands in a list. `in` compares tensors element by element there: a dict
#: or a set finds the very same leaf.
    owner = {}
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                owner.setdefault(node.number, []).append(edge)
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    done = []
    for number in sorted(owner):
        for leaf in owner[number]:
            if leaf not in done:
                done.append(leaf)
                complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: one_root
#: you begin at one root. There may be several: `stack` holds all that are nodes.
    stack = stack[-1:]
    seen = set(stack)
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: last_taken
#: a leaf keeps the number of the node that was found last. The search may come to an older node
#: first: keep the smallest number.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if isinstance(edge, Node):
                if edge not in seen:
                    seen.add(edge)
                    stack.append(edge)
            else:
                last_use[edge] = node.number
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: twice_on_the_stack
#: a node comes into your order each time that it is popped. Two nodes may lead to it: list it once.
    order = []
    while stack:
        node = stack.pop()
        seen.add(node)
        order.append(node)
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(order, key=_number, reverse=True), complete
#: stops_early
#: you stop after a number of nodes. A graph may have any number: go on while the stack holds
#: something.
    for _ in range(1000):
        if not stack:
            break
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                last_use[edge] = min(node.number, last_use.get(edge, node.number))
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return sorted(seen, key=_number, reverse=True), complete
#: users_of_a_leaf
#: your dict leads from a leaf to its users. It is wanted the other way round: the number of a node
#: -> the leaves that are complete after it.
    while stack:
        node = stack.pop()
        for edge in node.edges:
            if edge is None:
                continue
            if not isinstance(edge, Node):
                complete.setdefault(edge, []).append(node.number)
            elif edge not in seen:
                seen.add(edge)
                stack.append(edge)
    return sorted(seen, key=_number, reverse=True), complete
