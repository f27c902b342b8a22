#: assigned_into
#: each saved tensor is copied into a fresh one like `p`, so that device, dtype and memory are right
#: by construction. No question is left of what `to` copies; the fresh memory is written twice.
    state: dict[str, Any] = dict(entry)
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = p.detach().new_zeros(p.shape).copy_(value.detach())
    return state
