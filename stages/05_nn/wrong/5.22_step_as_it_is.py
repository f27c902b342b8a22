    state: dict[str, Any] = {}
    for key, value in entry.items():
        if isinstance(value, Tensor) and key != "step":
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
