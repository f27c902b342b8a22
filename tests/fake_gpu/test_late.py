"""What runs late on the stand-in, and is early only if somebody waits: `make gpu-fake`.

On a GPU these are races, which either side may win; here the late one always loses, so that each
test shows what a missing wait does. None of this has run on a GPU.
"""

import pytest

import norch

pytestmark = pytest.mark.gpu


@pytest.fixture
def side():
    """A stream beside the default one."""
    norch.cuda.synchronize()
    return norch.cuda.Stream()


def test_work_in_another_stream_is_late_unless_somebody_waits(side):
    x, other = norch.zeros(1000, device="cuda"), norch.cuda.Stream()
    norch.cuda.synchronize()
    with norch.cuda.stream(side):
        x.add_(1)
    with norch.cuda.stream(other):
        assert x.sum().item() == 0.0
        other.wait_stream(side)
        assert x.sum().item() == 1000.0


def test_a_copy_from_pinned_memory_is_left_to_the_stream(side):
    x = norch.ones(1000).pin_memory()
    with norch.cuda.stream(side):
        x.to("cuda")
        assert side.query()
        y = x.cuda(non_blocking=True)
        assert not side.query()
        z = norch.ones(1000).to("cuda", non_blocking=True)  # not pinned
        assert side.query()
        assert (y + z).sum().item() == 2000.0


def test_a_copy_to_pinned_memory_is_there_after_the_stream(side):
    with norch.cuda.stream(side):
        x = norch.full((3,), 4.0, device="cuda")
        out = norch.zeros(3).pin_memory()
        out.copy_(x, non_blocking=True)
        assert out.tolist() == [0.0] * 3
        side.synchronize()
        assert out.tolist() == [4.0] * 3
        out.fill_(0)
        out.copy_(x)
        assert out.tolist() == [4.0] * 3


@pytest.mark.parametrize(("record", "expected"), [(True, 2000.0), (False, 18000.0)])
def test_memory_of_one_stream_that_another_uses(side, record, expected):
    x = norch.full((1000,), 1.0, device="cuda")
    side.wait_stream(norch.cuda.current_stream())
    with norch.cuda.stream(side):
        y = x * 2
    if record:
        x.record_stream(side)
    del x
    others = [norch.full((1000,), 9.0, device="cuda") for _ in range(4)]
    norch.cuda.current_stream().synchronize()
    side.synchronize()
    assert len(others) == 4 and y.sum().item() == expected


def test_a_graph_is_replayed_in_the_stream_of_the_moment(side):
    x = norch.ones(1, device="cuda")
    g = norch.cuda.CUDAGraph()
    with norch.cuda.graph(g):
        y = x * 10
    g.replay()
    norch.cuda.synchronize()
    with norch.cuda.stream(side):
        x.fill_(5)
        g.replay()
    assert y.item() == 10.0
    norch.cuda.current_stream().wait_stream(side)
    assert y.item() == 50.0


def test_pinned_memory_of_a_graph_outlives_a_replay_under_way(side):
    y = norch.zeros(1000, device="cuda")
    norch.cuda.synchronize()
    g = norch.cuda.CUDAGraph()
    with norch.cuda.graph(g):
        y.copy_(norch.full((1000,), 2.0).pin_memory(), non_blocking=True)
    with norch.cuda.stream(side):
        g.replay()
    g.reset()
    others = [norch.full((1000,), 9.0).pin_memory() for _ in range(4)]
    side.synchronize()
    assert len(others) == 4 and y.sum().item() == 2000.0


def test_each_priority_has_its_streams_and_a_capture_has_another():
    low = [norch.cuda.Stream(priority=0) for _ in range(32)]
    high = [norch.cuda.Stream(priority=-1) for _ in range(32)]
    given = {s.cuda_stream for pair in zip(low, high, strict=True) for s in pair}
    assert len(given) == 64
    turns = [norch.cuda.Stream(priority=-(i % 2)).cuda_stream for i in range(64)]
    assert set(turns) == given
    g = norch.cuda.CUDAGraph()
    with norch.cuda.graph(g):
        assert norch.cuda.current_stream().cuda_stream not in given
