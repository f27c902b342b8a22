#: chosen_once
#: what is done with a tensor is chosen once, and the names that both sides have are an intersection
#: of sets. The loop has no question left; a set has no order, so tensors are taken in any.
    if problems:
        raise RuntimeError("\n\t".join(["[load_state_dict] nothing was loaded:", *problems]))
    take = take_over if assign else lambda tensor, given: tensor.copy_(given)
    with no_grad():
        for name in own.keys() & state_dict.keys():
            take(own[name], state_dict[name])
