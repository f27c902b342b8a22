                    for edge, part in zip(node.edges, parts):
                        if edge is None or part is None:
                            return
                        held = arrived.get(edge)
                        arrived[edge] = part if held is None else held + part
