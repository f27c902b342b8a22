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
