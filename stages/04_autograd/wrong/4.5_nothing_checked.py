                    for edge, part in zip(node.edges, parts):
                        held = arrived.get(edge)
                        arrived[edge] = part if held is None else held + part
