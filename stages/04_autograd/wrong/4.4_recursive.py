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
