        return (grad - sum(grad * y, dim, True),)
