        return (-y * sum(grad * y, dim, True),)
