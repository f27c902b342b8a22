    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = p.detach().new_zeros(p.shape)
        else:
            state[key] = value
    return state
