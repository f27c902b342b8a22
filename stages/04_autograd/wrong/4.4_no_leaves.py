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
