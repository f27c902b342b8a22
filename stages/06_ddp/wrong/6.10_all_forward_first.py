        order = [Action("F", i) for i in range(micro_batches)]
        return order + [Action("B", i) for i in range(micro_batches)]
