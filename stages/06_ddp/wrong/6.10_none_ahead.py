        order = []
        for i in range(micro_batches):
            order += [Action("F", i), Action("B", i)]
        return order
