    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.dtype).clone()
        else:
            state[key] = value
    return state
