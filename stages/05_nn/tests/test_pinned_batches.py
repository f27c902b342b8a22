"""DataLoader(pin_memory=True): pinned batches where there is a GPU, a warning elsewhere."""

from typing import NamedTuple

import pytest

import norch_autograd as norch
import norch_cuda
import norch_nn as nn


class Pair(NamedTuple):
    x: norch.Tensor
    name: str


class Own:
    """A batch that pins itself."""

    pinned = False

    def pin_memory(self):
        self.pinned = True
        return self


def batches(collate=None, **options):
    data = [(norch.ones(2) * i, i) for i in range(4)]
    return list(nn.data.DataLoader(data, 2, collate_fn=collate, pin_memory=True, **options))


def test_without_a_gpu_it_warns_and_pins_nothing(monkeypatch):
    asked = []
    monkeypatch.setattr(norch_cuda, "is_available", lambda: bool(asked.append(0)))
    loader = nn.data.DataLoader([(norch.ones(2), i) for i in range(4)], 2, pin_memory=True)
    with pytest.warns(UserWarning, match=r"\[DataLoader\] pin_memory=True pins nothing") as warned:
        found = [*loader, *loader]
    assert [y.tolist() for _, y in found] == [[0, 1], [2, 3]] * 2
    assert not any(x.is_pinned() for x, _ in found)
    assert len(asked) == 1 and [each.filename for each in warned] == [__file__]


@pytest.mark.gpu
@pytest.mark.parametrize("workers", [0, 1])
def test_batches_are_pinned(workers):
    if not norch_cuda.is_available():
        pytest.skip("no CUDA GPU with CuPy on this machine")
    for number, (x, y) in enumerate(batches(num_workers=workers)):
        assert x.is_pinned() and y.is_pinned()
        assert (
            x.cuda(non_blocking=True)[:, 0].tolist() == y.tolist() == [2 * number, 2 * number + 1]
        )


@pytest.mark.gpu
def test_tensors_are_pinned_wherever_they_are_in_a_batch():
    if not norch_cuda.is_available():
        pytest.skip("no CUDA GPU with CuPy on this machine")
    x = norch.ones(2)
    mixed = {"pair": Pair(x, "a"), "list": [x, 3], "tuple": (x, None), "own": Own()}
    found = batches(lambda samples: mixed)[0]
    assert isinstance(found["pair"], Pair) and found["pair"].x.is_pinned()
    assert found["pair"].name == "a" and found["list"][0].is_pinned() and found["list"][1] == 3
    assert found["tuple"][0].is_pinned() and found["tuple"][1] is None and found["own"].pinned
