        return (y * (grad - sum(grad, dim, True)),)
