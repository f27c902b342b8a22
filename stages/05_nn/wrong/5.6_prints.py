    for problem in problems:
        print(problem)
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict and tensor.shape == state_dict[name].shape:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
