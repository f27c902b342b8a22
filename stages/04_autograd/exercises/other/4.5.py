#: edge_by_edge
#: for each edge once: all that comes for it, what has arrived first, added up in one go. It reads
#: like the sentence "an edge gets the sum of its parts"; but it goes through all parts for each
#: edge, which counts for a node of many inputs, such as `stack`.
                    for edge in dict.fromkeys(node.edges):
                        both = zip(node.edges, parts)
                        sent = [p for e, p in both if e is edge and p is not None]
                        if edge is not None and sent:
                            total = arrived[edge] if edge in arrived else sent.pop(0)
                            for part in sent:
                                total = total + part
                            arrived[edge] = total
