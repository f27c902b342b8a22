        if share is None:
            return (index_add(zeros, 0, index, grad),)
        return (index_add(zeros, 0, index, share * zeros[index]),)
