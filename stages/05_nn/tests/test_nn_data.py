"""Datasets, samplers, collate and the DataLoader."""

import itertools
from collections import namedtuple

import numpy as np
import pytest

import norch_autograd as norch
from norch_nn.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Subset,
    TensorDataset,
    default_collate,
    default_convert,
)


class Squares(Dataset):
    """Sample i is (i as a float tensor, i * i as an int)."""

    def __len__(self):
        return 10

    def __getitem__(self, index):
        if not 0 <= index < 10:
            raise IndexError(index)
        return norch.tensor([float(index)]), index * index


class Stream(IterableDataset):
    """0 to 4."""

    def __iter__(self):
        return iter(range(5))


def numbers(loader):
    return [batch.tolist() for batch in loader]


def tensors(count=10):
    """A dataset of two tensors, the first one transposed in memory."""
    x = norch.arange(2 * count).reshape(2, count).transpose(0, 1)
    return TensorDataset(x, norch.arange(count))


# ---- datasets ------------------------------------------------------------------------------------


def test_tensor_dataset():
    data = tensors()
    x, y = data[3]
    assert (x.tolist(), y.item(), len(data)) == ([3, 13], 3, 10)
    x, y = data.__getbatch__([4, 1, 4])
    assert x.tolist() == [[4, 14], [1, 11], [4, 14]] and y.tolist() == [4, 1, 4]
    with pytest.raises(IndexError):
        data[10]
    with pytest.raises(IndexError):
        data.__getbatch__([10])


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: TensorDataset(norch.zeros(2), norch.zeros(3)), AssertionError, r"\(2,\), \(3,\)"),
        (lambda: TensorDataset(), AssertionError, "shapes none"),
        (lambda: TensorDataset(norch.tensor(1.0)), AssertionError, r"shapes \(\)"),
        (lambda: ConcatDataset([]), AssertionError, "at least one dataset"),
        (lambda: ConcatDataset([Stream()]), TypeError, "no index"),
        (lambda: ConcatDataset([[1]])[1], IndexError, "index 1 is out of range for 1"),
        (lambda: Dataset()[0], NotImplementedError, r"\[Dataset\] has no __getitem__"),
        (lambda: iter(IterableDataset()), NotImplementedError, "has no __iter__"),
        (lambda: iter(Sampler()), NotImplementedError, "has no __iter__"),
        (lambda: RandomSampler([1], num_samples=0), ValueError, "above 0, not 0"),
        (lambda: BatchSampler([1], 0, False), ValueError, r"\[BatchSampler\] batch_size must be"),
        (lambda: BatchSampler([1], 2.0, False), ValueError, "not 2.0"),
        (lambda: BatchSampler([1], 2, "no"), ValueError, "drop_last must be True or False"),
    ],
)
def test_bad_datasets_and_samplers(action, error, message):
    with pytest.raises(error, match=message):
        action()


def test_samplers():
    assert list(SequentialSampler([7, 8])) == [0, 1]
    assert list(BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    assert len(BatchSampler(range(5), 2, True)) == 2 and len(BatchSampler(range(5), 2, False)) == 3
    many = list(RandomSampler(range(3), num_samples=7))
    assert sorted(many[:3]) == sorted(many[3:6]) == [0, 1, 2] and len(many) == 7
    drawn = list(RandomSampler(range(3), replacement=True, num_samples=100))
    assert len(drawn) == 100 and set(drawn) == {0, 1, 2}


def test_concat_and_subset():
    data = Squares() + Squares()
    assert len(data) == 20 and data[13][1] == 9 and data[-1][1] == 81
    part = Subset(data, [13, 2])
    assert [part[i][1] for i in range(len(part))] == [9, 4]


# ---- samplers ------------------------------------------------------------------------------------


def test_a_random_sampler_draws_as_it_goes():
    """10^10 draws cost nothing until they are asked for: makemore counts steps, not epochs."""
    endless = RandomSampler(range(5), replacement=True, num_samples=int(1e10))
    assert len(endless) == 10**10
    norch.manual_seed(3)
    first = list(itertools.islice(endless, 70))
    norch.manual_seed(3)
    draws = iter(endless)
    again = [(next(draws), norch.rand(1))[0] for _ in range(70)]
    assert first == again, "what the script draws between two batches is another stream"
    loader = DataLoader(list(range(5)), 4, sampler=endless, num_workers=1)
    assert next(iter(loader)).shape == (4,)


# ---- collate -------------------------------------------------------------------------------------


def test_int_labels():
    labels = default_collate([1, 2**40])
    assert labels.dtype == norch.int64 and labels.tolist() == [1, 2**40]


def test_collate_by_type():
    Pair = namedtuple("Pair", "x y")
    assert default_collate([1.5, 2.0]).dtype == norch.float64
    assert default_collate([True, False]).dtype == norch.bool_
    assert default_collate(["a", "b"]) == ["a", "b"]
    pair = default_collate([Pair(1, 2), Pair(3, 4)])
    assert isinstance(pair, Pair) and pair.y.tolist() == [2, 4]
    nested = default_collate([{"a": (1, norch.ones(2))}, {"a": (2, norch.zeros(2))}])
    assert nested["a"][0].tolist() == [1, 2] and tuple(nested["a"][1].shape) == (2, 2)


def test_collate_numpy():
    np = pytest.importorskip("numpy")
    batch = default_collate([np.arange(3), np.arange(3)])
    assert batch.dtype == norch.int64 and tuple(batch.shape) == (2, 3)


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        ([norch.zeros(2), norch.zeros(3)], RuntimeError, r"\[\(2,\), \(3,\)\]: pad them"),
        ([(1, 2), (1,)], RuntimeError, "samples of one length"),
        ([None], TypeError, "samples of type NoneType cannot be joined"),
    ],
)
def test_collate_refuses(batch, error, message):
    with pytest.raises(error, match=message):
        default_collate(batch)


# ---- DataLoader ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({"batch_size": 4}, [4, 4, 2]),
        ({"batch_size": 4, "drop_last": True}, [4, 4]),
        ({}, [1] * 10),
        ({"batch_size": 20}, [10]),
        ({"batch_sampler": [[0, 1, 2], [5]]}, [3, 1]),
        ({"batch_size": 2, "sampler": [9, 8, 7]}, [2, 1]),
        ({"batch_size": 3, "shuffle": True}, [3, 3, 3, 1]),
    ],
)
@pytest.mark.parametrize("data", [Squares(), tensors(), Subset(tensors(), range(10))])
def test_batch_sizes(data, options, sizes):
    loader = DataLoader(data, **options)
    batches = list(loader)
    assert [len(y) for _, y in batches] == sizes and len(loader) == len(sizes)
    assert all(
        isinstance(batch, list) and y.dtype == norch.int64 for batch in batches for y in [batch[1]]
    )


def test_the_fast_path_gives_what_the_slow_one_gives():
    data = tensors()
    nested = Subset(Subset(data, list(range(9, -1, -1))), [0, 2, 4, 6])
    fast = list(DataLoader(nested, batch_size=3))
    slow = list(DataLoader(nested, batch_size=3, collate_fn=default_collate))
    assert [[t.tolist() for t in b] for b in fast] == [[t.tolist() for t in b] for b in slow]
    assert fast[0][1].tolist() == [9, 7, 5]


def test_the_fast_path_makes_one_call_a_batch():
    class Counted(TensorDataset):
        calls = 0

        def __getitem__(self, index):
            raise AssertionError("a sample was fetched alone")

        def __getbatch__(self, indices):
            Counted.calls += 1
            return super().__getbatch__(indices)

    assert len(list(DataLoader(Counted(norch.zeros(10, 2)), batch_size=5))) == 2
    assert Counted.calls == 2


def test_getitems_of_pytorch_is_used():
    class Fetcher(Squares):
        def __getitems__(self, indices):
            return [-i for i in indices]

    assert numbers(DataLoader(Fetcher(), batch_size=5)) == [
        [0, -1, -2, -3, -4],
        [-5, -6, -7, -8, -9],
    ]


def test_a_loader_that_shuffles_once():
    norch.manual_seed(0)
    loader = DataLoader(list(range(50)), batch_size=50, shuffle=True)
    first, second = numbers(loader)[0], numbers(loader)[0]
    assert first != second and sorted(first) == sorted(second) == list(range(50))
    norch.manual_seed(0)
    assert numbers(loader)[0] == first


def test_shuffling_follows_its_generator_and_no_other():
    def order():
        generator = norch.Generator().manual_seed(7)
        return numbers(DataLoader(list(range(20)), 20, shuffle=True, generator=generator))

    norch.manual_seed(0)
    first = order()
    norch.manual_seed(1)
    assert order() == first


def test_a_loader_that_continues_mid_epoch_after_break():
    loader = DataLoader(list(range(6)), batch_size=2)
    for batch in loader:
        assert batch.tolist() == [0, 1]
        break
    assert numbers(loader) == [[0, 1], [2, 3], [4, 5]]
    outer = [(a.tolist(), b.tolist()) for a in loader for b in loader]
    assert len(outer) == 9


def test_streams():
    assert numbers(DataLoader(Stream(), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert numbers(DataLoader(Stream(), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert list(DataLoader(Stream(), batch_size=None)) == [0, 1, 2, 3, 4]
    with pytest.raises(TypeError):
        len(DataLoader(Stream()))


def test_without_batching_samples_pass_as_they_are():
    loader = DataLoader(Squares(), batch_size=None)
    assert len(loader) == 10 and [y for _, y in loader] == [i * i for i in range(10)]


def test_collate_fn_and_empty_dataset():
    assert list(DataLoader(Squares(), 5, collate_fn=len)) == [5, 5]
    assert list(DataLoader([])) == [] and len(DataLoader([])) == 0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"prefetch_factor": 2}, ValueError, "prefetch_factor needs workers"),
        ({"persistent_workers": True}, ValueError, "persistent_workers needs workers"),
        ({"multiprocessing_context": "fork"}, ValueError, "context needs workers"),
        ({"num_workers": 1, "multiprocessing_context": "thread"}, ValueError, "not 'thread'"),
        ({"num_workers": 1, "multiprocessing_context": 3}, TypeError, "or a context .*, not 3"),
        ({"num_workers": 1, "prefetch_factor": 0}, ValueError, "prefetch_factor must be above 0"),
        ({"timeout": -1}, ValueError, "timeout must be 0 or more seconds, not -1"),
        ({"num_workers": -1}, ValueError, "num_workers must be 0 or more"),
        ({"shuffle": True, "sampler": [0]}, ValueError, "sampler and shuffle"),
        ({"batch_sampler": [[0]], "batch_size": 2}, ValueError, "batch_sampler decides"),
        ({"batch_size": None, "drop_last": True}, ValueError, "turns batching off"),
        ({"batch_size": 0}, ValueError, "batch_size must be a whole number above 0, not 0"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        DataLoader(Squares(), **options)


def test_nothing_cannot_be_shuffled():
    with pytest.raises(ValueError, match=r"num_samples must be .* above 0, not 0"):
        DataLoader([], shuffle=True)


def test_a_stream_has_no_sampler():
    with pytest.raises(ValueError, match="decides its own order"):
        DataLoader(Stream(), shuffle=True)


def test_an_error_in_a_sample_passes_through():
    with pytest.raises(IndexError):
        list(DataLoader(Squares(), sampler=[0, 10]))


def test_what_the_samplers_were_made_from_stays():
    loader = DataLoader(range(6), batch_size=2)
    for name in ("batch_size", "drop_last", "sampler", "batch_sampler", "dataset"):
        with pytest.raises(ValueError, match=f"{name} cannot change afterwards"):
            setattr(loader, name, 5)
    assert loader.in_order and len(loader) == 3


def test_single_samples_in_random_order():
    assert sorted(DataLoader(range(4), batch_size=None, shuffle=True)) == [0, 1, 2, 3]


def test_a_subset_asks_for_many_samples_at_once():
    class Rows:
        def __getitem__(self, index):
            return index

        def __getitems__(self, indices):
            asked.append(indices)
            return indices

    asked = []
    assert Subset(Rows(), [5, 7, 9]).__getitems__([0, 2]) == [5, 9] and asked == [[5, 9]]
    assert Subset("abc", [2, 0]).__getitems__([1]) == ["a"]


def test_arrays_of_texts():
    words = np.array(["a", "b"])
    assert default_convert({"w": words})["w"] is words
    with pytest.raises(TypeError, match="cannot become tensors"):
        default_collate([words])
