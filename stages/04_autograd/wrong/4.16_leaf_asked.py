    def leads(node):
        if node is None:
            return False
        return any(edge in targets or leads(edge) for edge in node.edges)

    running.update(node for node in order if leads(node))
    return running
