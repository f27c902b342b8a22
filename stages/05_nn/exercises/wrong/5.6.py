#: half_loaded | drops: change nothing
#: you copy first and complain afterwards. After the error the model is half old, half new, and
#: which half cannot be told.
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                try:
                    tensor.copy_(state_dict[name])
                except (RuntimeError, TypeError):
                    pass
    if problems:
        raise RuntimeError("".join(problems))
#: prints | drops: raise a `RuntimeError`
#: you report the problem and go on. A program that does not read the line trains with weights that
#: were never loaded.
    for problem in problems:
        print(problem)
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict and tensor.shape == state_dict[name].shape:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
#: first_problem | drops: holds each of them
#: you name the first problem alone. Who mends it finds the next one: say all of them at once.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + problems[0])
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
#: problems_forgotten
#: you raise an error that names no problem. It must hold each of them.
    if problems:
        raise RuntimeError("cannot take this state_dict: ")
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
#: another_error
#: you raise an error of another kind. Programs written for PyTorch catch a `RuntimeError`.
    if problems:
        raise ValueError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
#: recorded | drops: inside `no_grad()`
#: you copy while operations are recorded. A parameter is a leaf, which may be edited only inside
#: `no_grad()`.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    for name, tensor in own.items():
        if name in state_dict:
            take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
#: all_names | drops: whose name is in `state_dict`
#: you ask for every name. With `strict=False` some may be missing: those tensors stay as they are.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
#: given_names
#: you walk over the names that were given. With `strict=False` some of them may belong to nobody
#: here.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, value in state_dict.items():
            take_over(own[name], value) if assign else own[name].copy_(value)
#: never_assigned | drops: `take_over(tensor, ...)` if `assign`
#: you copy whatever `assign` says. With `assign` the given tensor is taken over, without a copy.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                tensor.copy_(state_dict[name])
#: always_assigned
#: you take over the given tensors without being asked. Model and file would then share their
#: memory.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(tensor, state_dict[name])
#: replaced | drops: The tensors themselves must stay
#: you put other tensors into a dict. The model and the optimizer still hold the old ones: copy
#: into them.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                own[name] = state_dict[name]
#: always_refused
#: you raise even if nothing is wrong. An empty list means that there is no problem.
    if problems is not None:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
#: returns_early
#: you stop after the first tensor.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
                break
#: strict_alone
#: you refuse only where names are missing or too many. A wrong shape is a problem too, and fits
#: nowhere.
    if len(keys.missing_keys) + len(keys.unexpected_keys) and strict:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
#: difference_added
#: you add the difference to what stood there. From infinity or nan no difference leads back to a
#: number: `copy_` overwrites.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict and assign:
                take_over(tensor, state_dict[name])
            elif name in state_dict:
                tensor.add_(state_dict[name] - tensor)
#: at_least_one
#: you read the first name that was given, and there may be none.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    first = next(iter(state_dict))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict and first in state_dict:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
#: through_floats
#: what was given goes through float32. A tensor in double precision loses half of its digits.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict and assign:
                take_over(tensor, state_dict[name])
            elif name in state_dict:
                tensor.copy_(state_dict[name].float())
#: frozen
#: you switch off that the tensors learn, to be allowed to edit them, and never switch it on again.
#: `no_grad()` allows it for a moment.
    if problems:
        raise RuntimeError("cannot take this state_dict: " + "; ".join(problems))
    for name, tensor in own.items():
        if name in state_dict:
            tensor.requires_grad_(False)
            take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name].detach())
#: never_refused
#: you never raise. With problems nothing may be loaded, and each of them is named.
    if not own and problems:
        listed = "".join(f"\n\t{problem}" for problem in problems)
        raise RuntimeError(
            f"[load_state_dict] {type(module).__name__} cannot take this state_dict "
            f"and is unchanged:{listed}"
        )
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
#: taken_over_backwards
#: you take over in the other direction: `take_over` wants first the tensor that is changed.
    if problems:
        listed = "".join(f"\n\t{problem}" for problem in problems)
        raise RuntimeError(
            f"[load_state_dict] {type(module).__name__} cannot take this state_dict "
            f"and is unchanged:{listed}"
        )
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(state_dict[name], tensor) if assign else tensor.copy_(state_dict[name])
