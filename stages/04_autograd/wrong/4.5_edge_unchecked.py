                    for edge, part in zip(node.edges, parts):
                        if part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
