    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                try:
                    tensor.copy_(state_dict[name])
                except (RuntimeError, TypeError):
                    pass
    if problems:
        raise RuntimeError("".join(problems))
