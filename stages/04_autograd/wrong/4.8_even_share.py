        weighted = grad * y
        return (weighted - sum(weighted, dim, True),)
