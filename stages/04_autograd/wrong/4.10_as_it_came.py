        return (grad if share is None else grad * share,)
