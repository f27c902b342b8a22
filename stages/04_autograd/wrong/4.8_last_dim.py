        weighted = grad * y
        return (weighted - y * sum(weighted, -1, True),)
