                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            arrived[edge] = arrived[edge] + part
