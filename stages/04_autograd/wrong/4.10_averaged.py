        arrived = grad if share is None else grad * share
        times = index_add(zeros, 0, index, grad * 0 + 1)
        return (index_add(zeros, 0, index, arrived) / (times + (times == 0)),)
