        return (grad * y * (1 - y),)
