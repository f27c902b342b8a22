#: data_divides_all | drops: `plan.data` ranks compute other samples
#: you divide everything by the data ranks. Without ZeRO each of them has all of the model: they
#: share samples, not parameters.
    size = sum(layer.parameters for layer in layers) / plan.tensor / plan.data
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
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
#: zero_levels_turned
#: you share out the weights first and the optimizer's state last. ZeRO begins with what is needed
#: least often: the state, only in the step.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 3 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero >= 1 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: only_its_level
#: each level of ZeRO shares out one thing alone. They build on each other: level 3 shares out all
#: three.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero == 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero == 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: nothing_gathered | drops: Level 3 also holds one layer gathered
#: with ZeRO-3 you count only the shared-out weights. A layer that computes is there whole: the
#: largest one needs room.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        weights = weights / plan.data
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: all_gathered | drops: count the largest
#: with ZeRO-3 you gather all layers at once. Only one at a time is whole: count the largest.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = sum(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: gathered_alone | drops: One data rank neither gathers nor sends
#: with one data rank you gather a layer that it has already.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: no_buckets | drops: Without ZeRO, several data ranks have buckets
#: you forgot the buckets: with plain data parallelism a copy of every gradient lies beside it, to
#: be sent.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: buckets_always
#: you count buckets where nobody is there to send to: with one data rank there are none.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: buckets_with_zero
#: you count DDP's buckets with ZeRO as well, where gradients are not sent from buckets.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: state_by_itemsize | drops: `compute.state` bytes of the optimizer
#: you take the optimizer's state for two numbers of the parameter's size. With bfloat16 Adam keeps
#: them, and a copy of the weights, in float32: `compute.state` says how many bytes.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = 2 * size * compute.itemsize / (plan.data if plan.zero >= 1 else 1)
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
#: activations_divided | drops: of which tensor ranks share all but `kept_whole`
#: you share out all activations among the tensor ranks. What a layer is given, `kept_whole`, each
#: of them has whole.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = sum(layer.kept for layer in layers) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: activations_whole
#: every tensor rank keeps all activations. Each has only its heads and columns of them, but for
#: `kept_whole`.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = sum(layer.kept for layer in layers)
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: all_micro_batches
#: a stage keeps all micro-batches, as in GPipe. With 1F1B it keeps as many as there are stages
#: from it to the last.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = plan.micro_batches
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: one_micro_batch
#: a stage keeps one micro-batch. All that are forward and not back yet are there at once.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    return Memory(weights, gradients, optimizer, buckets, kept * share)
#: same_on_all_stages | drops: as many micro-batches as there are stages from it to the last
#: all stages keep equally many micro-batches. The last one keeps one, the first the most.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: more_than_there_are | drops: but not more than `plan.micro_batches`
#: you count more micro-batches under way than the step has.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = plan.pipeline - place
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: whole_batch | drops: a micro-batch is `share` of that batch
#: you count the activations of all measured samples, where a micro-batch has `share` of them.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * under_way)
#: four_bytes | drops: `parameters` numbers of `compute.itemsize` bytes
#: you count four bytes for a parameter. In bfloat16 it has two: `compute.itemsize` says how many.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * 4
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * 4
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: tensor_forgotten | drops: `plan.tensor` ranks share each layer
#: every tensor rank has whole layers. Each has its part of every one.
    size = sum(layer.parameters for layer in layers)
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: state_from_2 | drops: the optimizer's state from 1 on
#: ZeRO-1 shares out nothing: the optimizer's state is the first to be shared out.
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
#: gradients_from_3 | drops: the gradients as well from 2 on
#: ZeRO-2 shares out no gradients.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero == 3:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: weights_kept | drops: the weights too with 3
#: with ZeRO-3 a rank still has all weights. It keeps its part, and gathers one layer at a time.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: gathered_whole | drops: as much of it as a tensor rank has
#: with ZeRO-3 you gather a layer whole. Its tensor ranks gather their part of it each.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: pipeline_divides
#: you divide the parameters by the stages of the pipeline. `layers` are those of one stage already.
    size = sum(layer.parameters for layer in layers) / plan.tensor / plan.pipeline
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
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
#: one_stage_less
#: you keep one micro-batch too few: the stage counts itself among those from it to the last.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, max(plan.pipeline - place - 1, 1))
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: outputs_kept
#: you count the outputs of the layers. What backward needs of a layer is `kept`.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    kept = sum(layer.output for layer in layers) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: larger_of_the_two
#: with ZeRO-3 you take the larger of a rank's part and the gathered layer. It holds both at once.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = max(weights / plan.data, gathered)
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: whole_twice
#: you count `kept_whole` twice: it is a part of `kept`. Only the rest of it is shared out.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + sum(layer.kept for layer in layers) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: first_layer
#: with ZeRO-3 you count the first layer for the one that is gathered. Each is in its turn: count
#: the largest.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = layers[0].parameters / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: gradients_on_2_alone
#: with ZeRO-3 you do not share out the gradients. The levels build on each other: 3 includes 2.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero == 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: largest_of_the_model
#: with ZeRO-3 you count the largest layer of the whole model. A rank gathers only the layers of its
#: stage.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in compute.layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
#: all_layers
#: you count the layers of the whole model. A rank has those of its stage: `layers`.
    size = sum(layer.parameters for layer in compute.layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
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
#: whole_bytes
#: you divide with `//`, which rounds down. These are means over ranks, and may be fractions.
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state // (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients //= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
