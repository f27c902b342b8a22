        ahead = min(stages - rank - 1, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("B", i), Action("F", ahead + i)]
        return order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
