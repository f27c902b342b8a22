    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                tensor.copy_(state_dict[name])
