        weighted = grad * y
        return (weighted - y * sum(weighted, dim),)
