#: a_heap
#: the search always takes the newest node that waits, from a heap, so the nodes come out newest
#: first and need no sorting; and the last user that is met of a leaf is the oldest, so no numbers
#: are compared. As many steps as the sort, n log n, but most of them in Python, where `sorted` runs
#: in C.
    import heapq

    waiting = [(-node.number, node) for node in seen]
    heapq.heapify(waiting)
    order = []
    while waiting:
        order.append(heapq.heappop(waiting)[1])
        for edge in filter(lambda edge: edge is not None, order[-1].edges):
            if not isinstance(edge, Node):
                last_use[edge] = order[-1].number
            elif edge not in seen:
                seen.add(edge)
                heapq.heappush(waiting, (-edge.number, edge))
    for leaf, number in last_use.items():
        complete.setdefault(number, []).append(leaf)
    return order, complete
