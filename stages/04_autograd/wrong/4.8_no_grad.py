        return (y * (1 - y),)
