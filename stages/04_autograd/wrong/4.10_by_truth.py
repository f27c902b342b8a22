        arrived = grad * share if share else grad
        return (index_add(zeros, 0, index, arrived),)
