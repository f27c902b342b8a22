        arrived = grad if share is None else grad * share
        return (index_select(arrived, 0, index),)
