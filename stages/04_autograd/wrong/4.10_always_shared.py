        return (index_add(zeros, 0, index, grad * share),)
