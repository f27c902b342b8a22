#: asks_first
#: the factor is read as a plain number, and short gradients are not touched at all. That saves a
#: pass over them; in return Python waits until a device has the number. `not >=` instead of `<`, so
#: that a factor of nan is used.
        factor = (max_norm / (total + 1e-6)).item()
        if not factor >= 1:
            for g in grads:
                g.mul_(factor)
