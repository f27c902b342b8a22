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
