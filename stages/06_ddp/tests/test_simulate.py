"""The simulated step: each part against arithmetic by hand, and the layers that are measured."""

import re
from itertools import pairwise

import pytest

import norch_nn as nn
from norch_autograd import rand, randint
from norch_ddp import destroy_process_group, init_process_group
from norch_ddp.simulate import (
    TPU_V4,
    Compute,
    Layer,
    Level,
    Plan,
    Topology,
    best,
    cluster,
    measure,
    measure_link,
    memory,
    scaling,
    simulate,
    timeline,
    transformer,
)
from norch_nn import functional
from norch_nn.optim import Adam

FREE = Topology(Level("free", 64, 0.0, 1e30))


def layers(count, parameters=1000, forward=0.01, backward=0.02, **other):
    made = [
        Layer(f"layer {i}", parameters, forward, backward, 4000, 8000, **other)
        for i in range(count)
    ]
    return Compute(made, samples=8)


def test_a_ring_moves_each_byte_twice_but_for_its_own_share():
    one = Topology(Level("link", 8, 1e-6, 1e9))
    assert one.all_reduce(8e6, 8).seconds == pytest.approx(14 * (1e-6 + 1e6 / 1e9))
    assert one.all_gather(8e6, 8).seconds == pytest.approx(7 * (1e-6 + 1e6 / 1e9))
    assert one.all_reduce(8e6, 1).seconds == 0


def test_a_small_message_goes_by_a_tree():
    one = Topology(Level("link", 1024, 1e-5, 1e9))
    assert one.all_reduce(8, 1024).seconds == pytest.approx(20 * (1e-5 + 8e-9))


@pytest.mark.parametrize(
    ("ranks", "stride", "bandwidth"),
    [
        (8, 1, 300e9),  # inside a machine
        (2, 4, 300e9 / 1),  # two of a machine
        (6, 1, 50e9),  # some groups of six straddle two machines
        (16, 1, 50e9),  # one ring through two machines: it alone crosses
        (2, 8, 50e9 / 8),  # eight pairs, all through the machine's one link
        (4, 4, 50e9 / 4),
    ],
)
def test_groups_share_the_link_that_all_of_them_cross(ranks, stride, bandwidth):
    two = Topology(Level("NVLink", 8, 0.0, 300e9), Level("network", 64, 0.0, 50e9))
    level, _, shared = two.crossings(ranks, stride)[-1]
    inside = level.name == "NVLink"
    assert (level.bandwidth / (1 if inside else shared)) == pytest.approx(bandwidth)


@pytest.mark.parametrize(("sender", "bandwidth"), [(0, 300e9), (4, 50e9 / 4), (8, 300e9)])
def test_a_stage_sends_over_the_link_between_it_and_the_next(sender, bandwidth):
    """Stages of four ranks on machines of eight: every second one is in the next machine."""
    two = Topology(Level("NVLink", 8, 0.0, 300e9), Level("network", 64, 0.0, 50e9))
    assert two.send(1e9, sender, 4).seconds == pytest.approx(1e9 / bandwidth)


def test_topologies_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match=r"\[Topology\] levels of \[8, 12\] ranks"):
        Topology(Level("a", 8, 0, 1), Level("b", 12, 0, 1))
    with pytest.raises(ValueError, match=r"\[Topology\] 128 ranks with a stride of 1"):
        FREE.all_reduce(1, 128)


def test_a_cluster_of_processors_without_known_links_is_refused():
    with pytest.raises(ValueError, match=r"\[cluster\] 4 nodes of TPU v4"):
        cluster(TPU_V4, 4)


def test_alone_it_is_the_sum_of_its_layers():
    assert simulate(layers(4), FREE, Plan(), 16).seconds == pytest.approx(4 * 0.03 * 2)


@pytest.mark.parametrize("stages", [1, 2, 4])
@pytest.mark.parametrize("micro_batches", [1, 2, 8])
def test_a_pipelines_bubble(stages, micro_batches):
    """(m + p - 1) / m times the time without waiting, whatever the order of the passes."""
    step = simulate(layers(4), FREE, Plan(pipeline=stages, micro_batches=micro_batches), 8)
    whole = 4 * 0.03 / stages
    assert step.seconds == pytest.approx(whole * (micro_batches + stages - 1) / micro_batches)


@pytest.mark.parametrize(("stages", "micro_batches", "chunks"), [(2, 4, 2), (4, 8, 3), (4, 4, 2)])
def test_chunks_divide_the_bubble(stages, micro_batches, chunks):
    """(m + (p - 1) / v) / m times the time without waiting."""
    plan = Plan(pipeline=stages, micro_batches=micro_batches, chunks=chunks)
    step = simulate(layers(stages * chunks), FREE, plan, micro_batches * 2)
    whole = 0.03 * chunks * micro_batches * 2 / 8
    rounds = micro_batches + (stages - 1) / chunks
    assert step.seconds == pytest.approx(whole * rounds / micro_batches)
    assert step.parts.waiting == pytest.approx(whole * (stages - 1) / chunks / micro_batches)
    assert {event.what for event in step.events} >= {"F0.0", "F0.1", "B0.1", "step"}


def test_events_and_waits_fill_each_stage():
    link = Topology(Level("link", 8, 1e-4, 1e7))
    step = simulate(layers(4), link, Plan(2, 1, 4, 0, 4), 64)
    assert sum(step.parts) == pytest.approx(step.seconds)
    for stage in range(4):
        mine = [one for one in step.events if (one.stage, one.stream) == (stage, "compute")]
        filled = sum(one.end - one.start for one in mine)
        filled += sum(one.end - one.start for one in step.waits if one.stage == stage)
        assert filled == pytest.approx(step.seconds)


def test_recomputation_repeats_forward_and_keeps_inputs():
    compute = layers(4, sums=1)
    link = Topology(Level("link", 2, 0.0, 1e6))
    none, full = (
        simulate(compute, link, Plan(tensor=2, recompute=name), 8) for name in ("none", "full")
    )
    message = 4000 / 1e6
    assert full.seconds - none.seconds == pytest.approx(4 * (0.01 / 2 + message))
    assert full.parts.again == pytest.approx(4 * 0.01 / 2)
    assert (none.memory.activations, full.memory.activations) == (4 * 4000, 4 * 4000)
    assert memory(compute, Plan(recompute="full"), 8).activations == 4 * 4000


def test_sequence_parallelism_divides_what_tensor_ranks_keep_whole():
    compute = layers(4, kept_whole=2000)
    assert memory(compute, Plan(tensor=4, sequence=True), 8).activations == 4 * 8000 / 4


def test_context_ranks_share_positions_and_the_optimizer():
    """Each has half of the activations, all parameters, and gathers the others' keys."""
    link = Topology(Level("link", 2, 0.0, 1e6))
    compute = layers(3, keys=1000)
    alone, shared = Plan(), Plan(context=2, zero=1, prefetch=True)
    assert memory(compute, shared, 8).activations == memory(compute, alone, 8).activations / 2
    assert memory(compute, shared, 8).optimizer == memory(compute, alone, 8).optimizer / 2
    step = simulate(compute, link, shared._replace(bucket_bytes=None), 8)
    assert step.parts.kernels == pytest.approx(3 * 0.03 / 2)
    assert step.parts.context == pytest.approx(2 * 3 * 1000 / 2 / 1e6)


def test_gradients_that_do_not_overlap_are_sent_after_backward():
    link = Topology(Level("link", 2, 0.0, 1e8))
    compute = Compute([Layer(name, 250_000, 0.0, 0.02, 0, 0) for name in "ab"], samples=1)
    step = simulate(compute, link, Plan(data=2, overlap=False), 2)
    assert step.seconds == pytest.approx(0.04 + 2 * 1e6 / 1e8)
    assert step.parts.gradients == pytest.approx(2 * 1e6 / 1e8)


def test_prefetching_hides_parameters_behind_kernels():
    link = Topology(Level("link", 2, 0.0, 1e8))
    compute = Compute([Layer(name, 250_000, 0.01, 0.02, 0, 0) for name in "ab"], samples=1)
    plan = Plan(data=2, zero=3, bucket_bytes=None, overlap=False)
    late, early = (simulate(compute, link, plan._replace(prefetch=way), 2) for way in (False, True))
    assert (late.parts.gather, early.parts.gather) == (pytest.approx(4 * 0.5 * 1e6 / 1e8), 0)


def test_a_ring_over_nodes_is_as_fast_as_its_slowest_level():
    """A link carries each byte twice on every level: 8 GPUs together have a node's bandwidth."""
    two = Topology(Level("NVLink", 8, 0.0, 300e9), Level("network", 1024, 0.0, 200e9))
    for ranks in (16, 64, 1024):
        seconds = two.all_reduce(1e9, ranks).seconds
        assert seconds == pytest.approx(2 * (ranks - 1) / ranks * 1e9 / 200e9)


def test_a_tree_of_many_nodes_takes_few_steps():
    """2 log2(128) hops between nodes and 14 inside one, where a ring has 2,046."""
    two = Topology(Level("NVLink", 8, 1e-6, 300e9), Level("network", 1024, 1e-5, 200e9))
    hop = 1e-5 + 1e6 / 200e9
    assert two.all_reduce(1e6, 1024).seconds == pytest.approx(14 * hop + 14 * 1e-6)


def test_messages_hide_behind_backward_but_for_the_last_bucket():
    """Two layers of 1 MB: the first bucket travels while the second layer computes."""
    link = Topology(Level("link", 2, 0.0, 1e8))
    compute = Compute([Layer(name, 250_000, 0.0, 0.02, 0, 0) for name in "ab"], samples=1)
    step = simulate(compute, link, Plan(data=2, bucket_bytes=1_000_000), 2)
    message = 2 * 0.5 * 1e6 / 1e8
    assert step.seconds == pytest.approx(0.02 + 0.02 + message)
    sent = [event for event in step.events if event.stream == "network"]
    assert [event.start for event in sent] == pytest.approx([0.02, 0.04])
    late = simulate(compute, link, Plan(data=2, bucket_bytes=9_000_000), 2)
    assert late.seconds == pytest.approx(0.04 + 2 * message)


@pytest.mark.parametrize("latency", [0.0, 0.004, 0.03, 1.0])
def test_no_size_of_buckets_beats_the_schedule(latency):
    """Layers of several sizes and times, 2 ranks: the plan without bucket_bytes is the fastest."""
    link = Topology(Level("link", 2, latency / 2, 1e8))
    sizes = [300_000, 10_000, 900_000, 250_000, 0, 40_000]
    compute = Compute([Layer(str(n), n, 0.0, 0.001 + n / 4e7, 0, 0) for n in sizes], samples=1)
    found = simulate(compute, link, Plan(data=2, bucket_bytes=None), 2).seconds
    caps = [1, 50_000, 1_000_000, 2_000_000, 4_000_000, 1 << 30]
    by_size = [simulate(compute, link, Plan(data=2, bucket_bytes=cap), 2).seconds for cap in caps]
    assert found <= min(by_size) + 1e-12
    assert latency == 0 or found < max(by_size)


def test_buckets_are_filled_as_gradients_come():
    link = Topology(Level("link", 2, 0.0, 1e8))
    found = [Layer(name, 250_000, 0.0, 0.02, 0, 0) for name in "abc"]
    step = simulate(Compute(found, samples=1), link, Plan(data=2, bucket_bytes=1_000_000), 2)
    sent = [event.start for event in step.events if event.stream == "network"]
    assert sent == pytest.approx([0.02, 0.04, 0.06])
    assert step.seconds == pytest.approx(3 * 0.02 + 0.01)
    pairs = simulate(Compute(found, samples=1), link, Plan(data=2, bucket_bytes=2_000_000), 2)
    sent = [event for event in pairs.events if event.stream == "network"]
    assert [event.end - event.start for event in sent] == pytest.approx([0.02, 0.01])


def test_a_small_tensor_holds_up_no_bucket_of_a_layer_behind_it():
    """b's bias would fit beside c, but it comes after its weight, which does not."""
    link = Topology(Level("link", 2, 0.0, 1e8))
    sizes = {"b": [250_000, 100], "c": [249_000]}
    found = [
        Layer(name, sum(tensors), 0.0, 0.02, 0, 0, tensors=tensors)
        for name, tensors in sizes.items()
    ]
    step = simulate(Compute(found, samples=1), link, Plan(data=2, bucket_bytes=1_000_000), 2)
    sent = [(event.start, event.end) for event in step.events if event.stream == "network"]
    assert [start for start, _ in sent] == pytest.approx([0.02, 0.04, 0.05])


def test_what_takes_the_processor_hides_nothing():
    shared = Topology(Level("memory", 2, 0.0, 1e8, work=1.0))
    compute = Compute([Layer(name, 250_000, 0.0, 0.02, 0, 0) for name in "ab"], samples=1)
    step = simulate(compute, shared, Plan(data=2, bucket_bytes=1_000_000), 2)
    assert step.seconds == pytest.approx(0.04 + 2 * 2 * 0.5 * 1e6 / 1e8)


def test_tensor_parallel_ranks_add_up_each_block_both_ways():
    link = Topology(Level("link", 4, 0.0, 1e6))
    step = simulate(layers(3, sums=2), link, Plan(tensor=4), 8)
    message = 2 * 3 / 4 * 4000 / 1e6
    assert step.seconds == pytest.approx(3 * (0.03 / 4 + 4 * message))


@pytest.mark.parametrize("zero", [0, 1, 2, 3])
def test_memory_of_zero(zero):
    """4 + 4 + 8 bytes a parameter, over 4 ranks, as ZeRO's paper counts; ZeRO-3 holds one layer."""
    found = memory(layers(4), Plan(data=4, zero=zero), 32)
    spread = [4.0, 4.0, 8.0]
    for i in range(zero):
        spread[2 - i] /= 4
    whole = 4000 * sum(spread) + (4000 if zero == 3 else 0) + (16000 if zero == 0 else 0)
    assert found.total - found.activations == pytest.approx(whole)
    assert found.activations == 4 * 8000


def test_a_pipelines_first_stage_keeps_the_most():
    plan = Plan(pipeline=4, micro_batches=8)
    assert memory(layers(4), plan, 64).activations == 8000 * 4


def test_tensor_ranks_all_keep_what_is_not_divided():
    compute = layers(4, kept_whole=2000)
    assert memory(compute, Plan(tensor=4), 8).activations == 4 * (2000 + 6000 / 4)


def test_a_transformer_has_the_size_of_its_paper():
    assert transformer(96, 12288, 2048, 50257, 1e15).parameters == pytest.approx(175e9, rel=0.01)
    assert transformer(12, 768, 1024, 50257, 1e12).parameters == pytest.approx(124e6, rel=0.01)


def test_the_best_plan_fits_and_is_the_fastest():
    cluster = Topology(Level("NVLink", 8, 3e-6, 300e9), Level("network", 64, 1e-5, 200e9))
    compute = transformer(24, 4096, 2048, 50257, 200e12)
    found = best(compute, cluster, 64, 512, room=80e9)
    assert found
    assert all(step.plan.ranks == 64 for step in found)
    assert all(step.memory.total <= 80e9 for step in found)
    assert all(a.seconds <= b.seconds for a, b in pairwise(found))
    assert all(step.plan.tensor <= 8 for step in found)
    assert simulate(compute, cluster, found[0].plan, 512).seconds == found[0].seconds
    assert best(compute, cluster, 64, 512, room=1e9) == []
    slow = layers(4)._replace(optimizer=1e-4)
    dealt = [step.plan.zero for step in best(slow, FREE, 4, 32, 1e9) if step.plan.data == 4]
    assert dealt == [1, 0]  # ZeRO-1 divides the optimizer's time


@pytest.mark.parametrize(
    ("plan", "batch", "words"),
    [
        (Plan(data=3), 8, r"a batch of 8 for 3 data"),
        (Plan(pipeline=9), 8, r"9 pipeline stages of 4 layers"),
        (Plan(data=128), 128, r"128 ranks, where the topology has 64"),
        (Plan(recompute="some"), 8, r"recompute='some': expected one of"),
        (Plan(pipeline=2, micro_batches=3, chunks=2), 6, r"a multiple of them, where a stage has"),
    ],
)
def test_plans_that_cannot_be_are_refused(plan, batch, words):
    with pytest.raises(ValueError, match=words):
        simulate(layers(4), FREE, plan, batch)


def test_nothing_overlaps_on_one_stream():
    link = Topology(Level("link", 8, 1e-4, 1e7))
    step = simulate(layers(4), link, Plan(2, 1, 4, 2, 4, bucket_bytes=1), 64)
    for key in {(event.stage, event.stream) for event in step.events}:
        mine = sorted(event for event in step.events if (event.stage, event.stream) == key)
        spans = sorted((event.start, event.end) for event in mine)
        assert all(a[1] <= b[0] + 1e-12 for a, b in pairwise(spans)), key
    assert max(event.end for event in step.events) == step.seconds


class Block(nn.Module):
    """A module that uses a child's parameters itself, as attention does."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(6, 6)
        self.last = nn.Linear(6, 3)

    def forward(self, x):
        return self.last(functional.linear(x, self.inner.weight, self.inner.bias).relu())


def test_layers_are_measured_in_the_order_they_run():
    model = nn.Sequential(nn.Linear(5, 6), Block(), nn.ReLU())
    model[0].bias.requires_grad_(False)
    x, y = rand(4, 5), randint(0, 3, (4,))
    before = [parameter.clone() for parameter in model.parameters()]
    compute = measure(
        model,
        lambda: functional.cross_entropy(model(x), y),
        Adam(model.parameters()),
        samples=4,
        sums=("last",),
        repeats=2,
    )
    assert [layer.name for layer in compute.layers] == ["0", "1.last", "1"]
    assert [layer.parameters for layer in compute.layers] == [36, 21, 42]
    assert [layer.output for layer in compute.layers] == [96, 48, 48]
    assert [layer.sums for layer in compute.layers] == [0, 1, 0]
    assert [layer.tensors for layer in compute.layers] == [[30, 6], [18, 3], [36, 6]]
    assert all(layer.forward > 0 and layer.backward > 0 for layer in compute.layers)
    assert compute.optimizer > 0 and compute.packing >= 0
    for parameter, value in zip(model.parameters(), before, strict=True):
        assert parameter.grad is None and (parameter == value).all()
    assert simulate(compute, FREE, Plan(), 4).seconds > 0


def test_the_measured_layers_add_up_to_the_step_in_the_middle(monkeypatch):
    """Each run is disturbed in another layer: medians of layers alone would hide that."""
    runs = iter(
        ({"0": [a, 2.0, 8, 8], "2": [b, 1.0, 8, 8]}, 0.5)
        for a, b in ((9.0, 9.0), (1.0, 1.0), (1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (3.0, 1.0))
    )
    monkeypatch.setattr("norch_ddp.simulate.measured._time_step", lambda *_: next(runs))
    model = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 3))
    found = measure(model, lambda: model(rand(2, 5)).sum(), Adam(model.parameters()), samples=2)
    forward = tuple(layer.forward for layer in found.layers)
    backward = tuple(layer.backward for layer in found.layers)
    assert sum(forward) + sum(backward) == pytest.approx(6.0)
    assert (forward, backward) == (pytest.approx((1.2, 1.2)), pytest.approx((2.4, 1.2)))
    assert found.optimizer * found.parameters == pytest.approx(0.5)
    assert found.runs == [5.0, 5.0, 6.0, 6.0, 7.0]


def test_the_figures_say_what_they_show():
    link = Topology(Level("link", 8, 1e-4, 1e7))
    step = simulate(layers(4), link, Plan(2, 1, 4, 0, 4), 64)
    drawn = timeline(step)
    assert "timeline of one step: 2 data, 1 tensor, 4 pipeline, 4 micro-batches" in drawn
    assert len(re.findall("<rect", drawn)) == len(step.events)
    one = [event for event in step.events if event.stage == 2]
    assert len(re.findall("<rect", timeline(step, stages=[2]))) == len(one)
    cut = simulate(layers(2, sums=2), link, Plan(tensor=4), 8)
    assert len(re.findall("<rect", timeline(cut))) == len(cut.events) + 2  # the sums' ends
    lines = scaling({"data": {2: 100.0, 4: 190.0}, "pipeline": {2: 90.0, 4: 170.0}})
    assert lines.count("<polyline") == 2 and "data 190 at 4" in lines


def test_the_names_of_lines_that_end_at_one_place_are_written_below_each_other():
    drawn = scaling({name: {2: 100.0, 4: 190.0} for name in ("data", "tensor", "pipeline")})
    heights = [float(y) for y, _ in re.findall(r'y="([\d.]+)"[^>]*>(data|tensor|pipeline)<', drawn)]
    assert [b - a for a, b in pairwise(heights)] == [14, 14]


def test_a_link_is_measured_by_all_its_ranks(launch, script):
    program = script(
        "import norch_ddp as dist\n"
        "from norch_ddp.simulate import Compute, Layer, measure_link, slowest\n"
        "dist.init_process_group()\n"
        "link = measure_link('here')\n"
        "found = [None, None]\n"
        "dist.all_gather_object(found, link)\n"
        "assert found[0] == found[1] == link, found\n"
        "assert link.ranks == 2 and 0 < link.latency < 10 and link.bandwidth > 0, link\n"
        "assert 0 <= link.work <= 1, link\n"
        "rank = dist.get_rank()\n"
        "mine = Compute([Layer('only', 1, 1.0, 1.0 + rank, 0, 0)], 1)\n"
        "assert slowest(mine).layers[0].backward == 2.0\n"
        "runs = [(2.0, 5.0, 2.0), (3.0, 3.0, 6.0)][rank]\n"
        "layer = slowest(mine._replace(runs=runs)).layers[0]\n"
        "assert layer.forward + layer.backward == 5.0, layer\n"
    )
    assert launch(2, program).code == 0


def test_one_rank_has_no_link():
    init_process_group()
    try:
        with pytest.raises(RuntimeError, match=r"\[measure_link\] one rank has no link"):
            measure_link()
    finally:
        destroy_process_group()
