#: edge_by_edge
#: first the parts are sorted by their edges, then each edge gets the sum of its own and of what has
#: arrived. It reads like the sentence "an edge gets the sum of its parts", and an edge is stored
#: once; but it goes through everything twice, and makes a list for each edge, which counts where a
#: pass has many small nodes.
                    sent: dict[Edge, list[Any]] = {}
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            sent.setdefault(edge, []).append(part)
                    for edge, new in sent.items():
                        total = arrived[edge] if edge in arrived else new.pop(0)
                        for part in new:
                            total = total + part
                        arrived[edge] = total
