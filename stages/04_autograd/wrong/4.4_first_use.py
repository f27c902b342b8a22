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
