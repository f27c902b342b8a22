#: three_divisors
#: which of the three are shared out is decided once, in one line, and each is then one quotient.
#: The levels of ZeRO stand side by side; that a divisor of 1 means "not shared out" has to be
#: seen.
    bytes_of = [layer.parameters / plan.tensor * compute.itemsize for layer in layers]
    whole = sum(bytes_of)
    over = [plan.data if plan.zero >= level else 1 for level in (1, 2, 3)]
    gathered = max(bytes_of) if over[2] > 1 else 0.0
    buckets = whole if plan.data > 1 and plan.zero == 0 else 0.0
    state = whole / compute.itemsize * compute.state / over[0]
    split = [layer.kept_whole + (layer.kept - layer.kept_whole) / plan.tensor for layer in layers]
    under_way = min(plan.micro_batches, plan.pipeline - place)
    activations = sum(split) * share * under_way
    return Memory(whole / over[2] + gathered, whole / over[1], state, buckets, activations)
