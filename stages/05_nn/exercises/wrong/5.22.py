#: given | drops: share no memory
#: the state is the saved tensor itself: `to` copies nothing where device and dtype fit already.
#: The steps of the first run change the checkpoint.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype)
        else:
            state[key] = value
    return state
#: entry_itself
#: you return the entry itself. The optimizer then writes into the checkpoint.
    return entry
#: shallow
#: you copy the dict and not the tensors in it: both dicts hold the same ones.
    return dict(entry)
#: own_dtype | drops: device and with the dtype of `p`
#: you keep the saved dtype. The fused step wants the state in the dtype of the weight.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.detach().clone()
        else:
            state[key] = value
    return state
#: recorded | drops: outside of any record
#: you copy with the record. The optimizer's state would keep a whole graph alive.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
#: zeros
#: you begin with zeros. A run that goes on needs what was remembered.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = p.detach().new_zeros(p.shape)
        else:
            state[key] = value
    return state
#: of_the_weight
#: you copy the weight instead of what was saved about it.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = p.detach().clone()
        else:
            state[key] = value
    return state
#: step_as_it_is | drops: the `step` as an int
#: you take the step as it was saved. PyTorch saves it as a tensor; here it is counted as an int.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if isinstance(value, Tensor) and key != "step":
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
#: step_anew
#: you count the steps from 0 again. Adam's correction then belongs to a beginning that is long
#: past.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = 0
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
#: tensors_alone | drops: anything else as it is
#: you restore tensors and the step alone. What else was saved, as a plain number, is lost.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
    return state
#: step_lost | drops: All that was saved comes back
#: you leave out the step. The next one does not know which it is.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            continue
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
#: step_of_one_more
#: you count a step that nobody has taken.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value) + 1
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
#: own_device
#: you leave the state on the device on which it was saved. A step needs it where the weight is.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.dtype).clone()
        else:
            state[key] = value
    return state
#: taken_out
#: you take the step out of the saved entry. The second run finds none: read it and leave it there.
    state: dict[str, Any] = {"step": int(entry.pop("step"))} if "step" in entry else {}
    for key, value in entry.items():
        if isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
#: truthy_alone
#: you leave out what counts as False. A number that was saved may be 0.0.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        elif value:
            state[key] = value
    return state
#: numbers_made_floats
#: you make a float of everything that is no tensor. Anything else comes back as it is.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = float(value)
    return state
#: through_lists
#: you go through Python's lists, and their numbers come back in the default dtype. `to` knows the
#: device and the dtype of `p`.
    from norch_autograd import tensor

    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = tensor(value.tolist())
        else:
            state[key] = value
    return state
#: beside_the_weight
#: you add what was saved to 0 times the weight, to get its dtype and device. Of nan or infinity
#: nan is left: `to` takes both from `p`, and no numbers.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = p.detach() * 0 + value.detach().to(p.device, p.dtype)
        else:
            state[key] = value
    return state
#: one_number_unpacked
#: you make a plain number of a tensor that holds one. It is a state of a weight with one number,
#: and changes in place like any other.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor) and value.numel() == 1:
            state[key] = value.item()
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
#: known_names
#: you restore the names that Adam and SGD use. Another optimizer has others: go through the entry.
    state: dict[str, Any] = {}
    for key in ("step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq", "momentum_buffer"):
        if key == "step" and key in entry:
            state[key] = int(entry[key])
        elif key in entry:
            state[key] = entry[key].detach().to(p.device, p.dtype).clone()
    return state
#: tensors_lost
#: you leave out the tensors. The means that an optimizer keeps are what a checkpoint is for.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            continue
        else:
            state[key] = value
    return state
#: everything_a_tensor
#: you treat everything as a tensor. What else was saved, as a plain number, comes back as it is.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif True:
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
#: everything_an_int
#: you make an int of everything. Only the step is one.
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key:
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
#: nothing_restored
#: you return an empty state. All that was saved comes back.
    state: dict[str, Any] = {}
    for key, value in ():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
