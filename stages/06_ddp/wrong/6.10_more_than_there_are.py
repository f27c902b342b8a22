        ahead = stages - rank - 1
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return order + [Action("B", i) for i in range(max(micro_batches - ahead, 0), micro_batches)]
