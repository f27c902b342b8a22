#: one_rule
#: before each backward a stage goes forward as far as it may be ahead: by the stages from it to the
#: last. One rule makes the beginning, the turns and the end; that they alternate has to be worked
#: out.
        order: list[Action] = []
        forward = 0
        for i in range(micro_batches):
            while forward < min(i + stages - rank, micro_batches):
                order.append(Action("F", forward))
                forward += 1
            order.append(Action("B", i))
        return order
