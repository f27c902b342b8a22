#: all_forward_first
#: all forwards come before all backwards. That is GPipe: it takes no longer, and keeps every
#: micro-batch of the step.
        order = [Action("F", i) for i in range(micro_batches)]
        return order + [Action("B", i) for i in range(micro_batches)]
#: none_ahead | drops: 1F1B takes no longer
#: no stage runs ahead: the first one waits after every forward until its gradient has come all the
#: way back, and the others wait for it.
        order = []
        for i in range(micro_batches):
            order += [Action("F", i), Action("B", i)]
        return order
#: same_everywhere | drops: a stage keeps no more than there are stages from it to the last
#: all stages run equally far ahead. The last one can go back after its first forward; only those
#: before it have to wait.
        ahead = min(stages - 1, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
#: wrong_end
#: the last stage runs ahead the farthest. It is the first one whose gradients have the longest
#: way.
        ahead = min(rank, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
#: one_more
#: every stage runs one forward too far ahead: no time is won, and one more micro-batch is kept.
        ahead = min(stages - rank, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
#: one_less | drops: it runs ahead until the first gradient can be there
#: every stage runs one forward too few ahead, and waits for a gradient where it could compute.
        ahead = min(max(stages - rank - 2, 0), micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
#: more_than_there_are | drops: There may be fewer micro-batches than stages
#: you run ahead by more micro-batches than there are, when the stages are many.
        ahead = stages - rank - 1
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return order + [Action("B", i) for i in range(max(micro_batches - ahead, 0), micro_batches)]
#: rest_forgotten | drops: each once
#: the last backwards are missing: as many as there were forwards ahead.
        ahead = min(stages - rank - 1, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return order
#: last_first | drops: both kinds in the order 0, 1, 2, ...
#: the backwards that are left come last one first. Gradients arrive in the order in which the last
#: stage makes them: 0, 1, 2, ...
        ahead = min(stages - rank - 1, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return order + [Action("B", i) for i in reversed(range(micro_batches - ahead, micro_batches))]
#: backward_before_forward | drops: An action waits for what it needs
#: in each pair the backward comes before the forward. The last stage would go back before it has
#: gone forward.
        ahead = min(stages - rank - 1, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("B", i), Action("F", ahead + i)]
        return order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
#: plain_pairs
#: you return plain pairs. An `Action` has names for its two parts, which the schedule asks for.
        ahead = min(stages - rank - 1, micro_batches)
        order = [("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [("F", ahead + i), ("B", i)]
        return order + [("B", i) for i in range(micro_batches - ahead, micro_batches)]
#: a_generator
#: you hand out one action after the other. What is asked for is a list.
        ahead = min(stages - rank - 1, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return iter(order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)])
#: a_tuple
#: you return a tuple. What is asked for is a list.
        ahead = min(stages - rank - 1, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        rest = [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
        return tuple(order + rest)
#: turned_after_the_first
#: after the first pair you go back before you go forward. Each pair is a forward, then the backward
#: of an older one.
        ahead = min(stages - rank - 1, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            pair = [Action("F", ahead + i), Action("B", i)]
            order += pair[::-1] if i else pair
        return order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
#: ahead_by_the_larger
#: you run ahead by the larger of the two numbers. It is the stages behind, or all micro-batches if
#: they are fewer.
        ahead = max(stages - rank - 1, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(max(micro_batches - ahead, 0)):
            order += [Action("F", ahead + i), Action("B", i)]
        return order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
