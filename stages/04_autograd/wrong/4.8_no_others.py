        return (grad * y,)
