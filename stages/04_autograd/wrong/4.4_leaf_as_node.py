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
