        ahead = min(stages - rank, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
