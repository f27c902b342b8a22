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
