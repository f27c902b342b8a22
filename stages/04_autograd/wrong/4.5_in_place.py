                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            if edge in arrived:
                                arrived[edge].add_(part)
                            else:
                                arrived[edge] = part
