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
