    if problems:
        raise ValueError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
