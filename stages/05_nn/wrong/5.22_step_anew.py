    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = 0
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
