    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, value in state_dict.items():
            take_over(own[name], value) if assign else own[name].copy_(value)
