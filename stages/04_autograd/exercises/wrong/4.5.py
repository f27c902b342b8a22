#: replaced | drops: Add each part to what its edge has
#: the last part replaces those before it. What is used twice has two gradients, and they add up.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            arrived[edge] = part
#: in_place | drops: nothing that is in `arrived` may be changed in place
#: you added in place. The same gradient may have been handed to another edge too, and changed for
#: it as well: make a new one.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            if edge in arrived:
                                arrived[edge].add_(part)
                            else:
                                arrived[edge] = part
#: edge_unchecked | drops: An edge may be `None`
#: you send parts to an edge that is `None`. That input wants no gradient, and nobody is there to
#: take it: pass over the pair.
                    for edge, part in zip(node.edges, parts):
                        if part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
#: part_unchecked | drops: so may a part
#: you add up parts that are `None`. A node may have nothing to send along an edge: pass over the
#: pair.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
#: nothing_checked
#: you look for no `None`, neither among the edges nor among the parts. Where either is `None`
#: there is nothing to do.
                    for edge, part in zip(node.edges, parts):
                        held = arrived.get(edge)
                        arrived[edge] = part if held is None else held + part
#: first_kept
#: only the first part counts, and later ones are dropped. What is used twice has two gradients,
#: and they add up.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            arrived.setdefault(edge, part)
#: first_twice
#: the first part of an edge is counted twice: it is what you begin with, and then you add it.
#: Begin with nothing.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            arrived[edge] = arrived.get(edge, part) + part
#: by_truth
#: you ask a gradient whether it is true. A gradient of several elements has no answer to that, and
#: one that is 0 is there all the same: ask `is None`.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = held + part if held else part
#: whole_gradient
#: you send `grad`, what arrived at the node, instead of the parts. The node's own rule has made a
#: part for each edge of it.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = grad if held is None else held + grad
#: stops_at_none
#: you leave the loop at the first `None`. The edges behind it wait for their parts: pass over this
#: pair and go on.
                    for edge, part in zip(node.edges, parts):
                        if edge is None or part is None:
                            break
                        held = arrived.get(edge)
                        arrived[edge] = part if held is None else held + part
#: nothing_yet
#: you add to what an edge has before it has anything. Its first part has nothing to be added to:
#: store it.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            arrived[edge] = arrived[edge] + part
#: returns_at_none
#: you leave the whole pass at the first `None`. Pass over this pair and go on: `continue`, not
#: `return`.
                    for edge, part in zip(node.edges, parts):
                        if edge is None or part is None:
                            return
                        held = arrived.get(edge)
                        arrived[edge] = part if held is None else held + part
#: edge_by_truth
#: you ask an edge whether it is true. An edge may be a leaf tensor: one whose number is 0 is false,
#: and one of several numbers has no answer. Ask `is not None`.
                    for edge, part in zip(node.edges, parts):
                        if edge and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
#: part_by_truth
#: you ask a part whether it is true. One of several numbers has no answer to that, and a 0 is a
#: gradient too: ask `is not None`.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
#: for_tensors_alone | drops: a bare array, or a tensor if the pass is recorded
#: you use what only a tensor has, and in an ordinary pass the gradients are bare arrays. Both know
#: `+`.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held.add(part)
#: edges_as_keys
#: you make a dict of edges and parts, which keeps one part for an edge. The same edge may be there
#: twice, and each has a part: go through the pairs.
                    for edge, part in dict(zip(node.edges, parts)).items():
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
#: collected
#: you collect the parts of an edge in a list. The next node takes a gradient from there: store the
#: sum.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            arrived.setdefault(edge, []).append(part)
#: leaves_at_once
#: you hand a leaf's part to `accumulator` at once. Others may follow from older nodes: it is given
#: the sum, once the leaf is complete.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            if isinstance(edge, Node):
                                held = arrived.get(edge)
                                arrived[edge] = part if held is None else held + part
                            else:
                                accumulator(edge, part)
#: averaged
#: you halve the sum of two parts. Each use had its own effect on the result, so the parts add up.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else (held + part) * 0.5
#: nodes_alone
#: you store parts for nodes alone. A leaf's gradient is what the pass is for: an edge may be a leaf
#: tensor.
                    for edge, part in zip(node.edges, parts):
                        if isinstance(edge, Node) and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
#: zero_for_none
#: you store a 0 where a part is `None`. It is no array and no tensor, and nobody asked for it:
#: where a part is `None` there is nothing to do.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None:
                            part = 0 if part is None else part
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
#: augmented
#: `+=` changes what is in `arrived`, where it can. The same gradient may have been handed to
#: another edge: `a = a + b` makes a new one.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            try:
                                arrived[edge] += part
                            except KeyError:
                                arrived[edge] = part
#: parts_turned
#: you hand out the parts in the opposite order. Part i is for edge i.
                    for edge, part in zip(node.edges, reversed(list(parts))):
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
#: first_edge_alone
#: you look at the first edge alone. A node has one for each input: go through all of them.
                    edge, part = node.edges[0], parts[0]
                    if edge is not None and part is not None:
                        held = arrived.get(edge)
                        arrived[edge] = part if held is None else held + part
#: multiplied
#: you multiply what arrives for an edge. Gradients of several uses add up.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held * part
#: older_ones_replaced
#: you add up the parts of this node and forget what the edge had from others. Add to what is in
#: `arrived`.
                    sums = {}
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            sums[edge] = part if edge not in sums else sums[edge] + part
                    arrived.update(sums)
#: last_part_twice
#: you add the part to itself. What the edge has so far is in `arrived`.
                    for edge, part in zip(node.edges, parts):
                        if edge is None or part is None:
                            continue
                        if edge in arrived:
                            arrived[edge] = part + part
                        else:
                            arrived[edge] = part
#: one_sum_for_all
#: you have one sum for all edges. Each edge has its own, in `arrived`.
                    total = None
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            total = part if total is None else total + part
                            arrived[edge] = total
#: subtracted
#: you subtract what the edge has. Gradients of several uses add up.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            arrived[edge] = part - arrived[edge] if edge in arrived else part
#: begins_with_grad
#: you begin the sum of an edge with `grad`, what arrived at the node. Begin with the first part.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            arrived[edge] = arrived.get(edge, grad) + part
#: every_part_to_every_edge
#: you send every part along every edge. Part i is for edge i: go through both together.
                    for edge in node.edges:
                        for part in parts:
                            if edge is not None and part is not None:
                                held = arrived.get(edge)
                                arrived[edge] = part if held is None else held + part
#: looked_up_elsewhere
#: you look for what an edge has under another key than you store it. The key is the edge.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            held = arrived.get(edge.number if isinstance(edge, Node) else edge)
                            arrived[edge] = part if held is None else held + part
#: part_in_place
#: you add to the part in place. The node may have given the same gradient to two edges, or hold it
#: itself: `a = a + b` makes a new one.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            if held is not None:
                                part += held
                            arrived[edge] = part
#: two_edges
#: you look at two edges at most. A node may have any number of inputs.
                    for edge, part in list(zip(node.edges, parts))[:2]:
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
#: added_to_a_name
#: you add to a name, `held += part`. Where that makes a new array, `arrived` never sees it; where
#: it does not, what is in `arrived` is changed in place: store the sum.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            held = arrived.get(edge)
                            if held is None:
                                arrived[edge] = part + 0
                            else:
                                held += part
#: same_part_once
#: you leave out a part that has been handed out before. Two edges may have been given the SAME
#: gradient, and each of them counts.
                    done = []
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None and not any(part is one for one in done):
                            done.append(part)
                            held = arrived.get(edge)
                            arrived[edge] = part if held is None else held + part
#: searched
#: you go through all that has arrived, or through all edges, for each edge. A dict finds an edge at
#: once: `arrived.get(edge)`.
                    for edge, part in zip(node.edges, parts):
                        if edge is not None and part is not None:
                            for other, held in arrived.items():
                                if other is edge:
                                    arrived[edge] = held + part
                                    break
                            else:
                                arrived[edge] = part
