        summed = index_add(zeros, 0, index, grad)
        return (summed if share is None else summed * share,)
