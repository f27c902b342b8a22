    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 2 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
