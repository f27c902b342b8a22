                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = grad if held is None else held + grad
