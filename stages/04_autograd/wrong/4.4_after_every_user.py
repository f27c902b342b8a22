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
