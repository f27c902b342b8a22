        arrived = grad if share is None else grad * share
        return index_add(zeros, 0, index, arrived)
