    running.update(order)
    return running
