"""A DataLoader loses no sample in silence: StopIteration, short answers, what is no index."""

import itertools

import numpy as np
import pytest

import norch_autograd as norch
from norch_nn.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    Sampler,
    Subset,
    TensorDataset,
)

pytestmark = pytest.mark.usefixtures("forked_workers")

WORKERS = [0, 2]
COUNT = 12


def stop():
    """An iterator is over, and nobody thought of that."""
    return next(iter(()))


class Items(Dataset):
    """0 to 11; some of it is over at 5."""

    def __init__(self, stops_at=None):
        self.stops_at = stops_at

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        return stop() if index == self.stops_at else index


class AtOnce(Items):
    """Several samples in one call, which is over where 5 is among them."""

    def __getitems__(self, indices):
        return stop() if 5 in indices else list(indices)


class Whole(Items):
    """A whole batch in one call."""

    def __getbatch__(self, indices):
        return stop() if 5 in indices else norch.tensor(indices)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(COUNT))


class Pinned(int):
    """A sample whose memory cannot be pinned."""

    def pin_memory(self):
        return stop()


def over_at_5(batch):
    return stop() if batch == 5 or (isinstance(batch, list) and 5 in batch) else batch


STOPS = {
    "a dataset": (Items(5), {"batch_size": 2}, r"dataset\[5\]"),
    "a dataset without batches": (Items(5), {"batch_size": None}, r"dataset\[5\]"),
    "with a collate_fn": (Items(5), {"batch_size": 2, "collate_fn": list}, r"dataset\[5\]"),
    "a part": (Subset(Items(5), range(3, 8)), {"batch_size": 2}, r"dataset\[2\]"),
    "datasets in a row": (ConcatDataset([Items(), Items(5)]), {"batch_size": 4}, r"dataset\[17\]"),
    "several at once": (AtOnce(), {"batch_size": 2}, r"__getitems__\(\[4, 5\]\)"),
    "a part of several": (Subset(AtOnce(), range(12)), {"batch_size": 3}, r"\(\[3, 4, 5\]\)"),
    "a whole batch": (Whole(), {"batch_size": 2}, r"__getbatch__\(\[4, 5\]\)"),
    "collate": (Items(), {"batch_size": 2, "collate_fn": over_at_5}, r"collate_fn of \[4, 5\]"),
    "collate of one": (Items(), {"batch_size": None, "collate_fn": over_at_5}, "sample 5"),
    "collate in a stream": (Stream(), {"batch_size": 2, "collate_fn": over_at_5}, "batch 2"),
    "of each in a stream": (Stream(), {"batch_size": None, "collate_fn": over_at_5}, "sample 5"),
    "any order": (Items(5), {"batch_sampler": [[1, 5], [3]]}, r"dataset\[5\]"),
}


@pytest.mark.parametrize("num_workers", WORKERS)
@pytest.mark.parametrize("case", STOPS)
def test_stop_iteration_names_its_place(case, num_workers):
    dataset, options, place = STOPS[case]
    batches = []
    with pytest.raises(RuntimeError, match=place + " raised StopIteration"):
        for batch in DataLoader(dataset, num_workers=num_workers, **options):
            batches.append(batch)
    assert len(batches) < COUNT


@pytest.mark.parametrize("num_workers", WORKERS)
def test_a_stream_goes_to_its_end_and_no_further(num_workers):
    class Again(IterableDataset):
        """Begins anew where another next() is tried after the end."""

        def __iter__(self):
            self.left = [0, 1, 2]
            return self

        def __next__(self):
            if not self.left:
                self.left = [0, 1, 2]
                raise StopIteration
            return self.left.pop(0)

    for size, drop, each in ((2, False, [[0, 1], [2]]), (2, True, [[0, 1]]), (4, True, [])):
        loader = DataLoader(Again(), size, drop_last=drop, num_workers=num_workers)
        batches = itertools.islice(loader, 20)
        assert sorted(b.tolist() for b in batches) == sorted(each * max(num_workers, 1))


def test_a_sampler_that_begins_anew_where_iter_is_called():
    class Again(Sampler):
        def __iter__(self):
            self.left = [0, 1, 2, 3]
            return self

        def __next__(self):
            if not self.left:
                raise StopIteration
            return self.left.pop(0)

    loader = DataLoader(Items(), 2, sampler=Again())
    assert [b.tolist() for b in itertools.islice(loader, 9)] == [[0, 1], [2, 3]]
    for size, expected in ((2, [[2, 3]]), (None, [1, 2, 3])):
        loader = DataLoader(Items(), size, sampler=Again())
        next(iter(loader))
        loader.load_state_dict(loader.state_dict())
        left = itertools.islice(loader, 9)
        assert [getattr(batch, "tolist", lambda b=batch: b)() for batch in left] == expected


def test_a_batch_that_is_the_word_end_ends_nothing():
    loader = DataLoader(Stream(), None, collate_fn=lambda x: "end", num_workers=1)
    assert list(loader) == ["end"] * COUNT


def test_a_workers_beginning_that_stops():
    loader = DataLoader(Items(), num_workers=2, worker_init_fn=lambda number: stop())
    with pytest.raises(RuntimeError, match=r"worker_init_fn\(0\) raised StopIteration"):
        list(loader)


def test_memory_that_cannot_be_pinned(monkeypatch):
    monkeypatch.setattr("norch_nn.data.dataloader._has_gpu", lambda: True)
    loader = DataLoader([1, 2], 2, collate_fn=lambda batch: [Pinned(x) for x in batch])
    assert list(loader) == [[1, 2]]
    loader = DataLoader([1, 2], 2, pin_memory=True, collate_fn=lambda b: [Pinned(x) for x in b])
    with pytest.raises(RuntimeError, match="pin_memory of a Pinned raised StopIteration"):
        list(loader)


@pytest.mark.parametrize("num_workers", WORKERS)
def test_too_few_samples_are_no_batch(num_workers):
    class Short(Items):
        def __getitems__(self, indices):
            return list(indices)[:1]

    with pytest.raises(RuntimeError, match=r"__getitems__\(\[0, 1\]\) gave 1 samples"):
        list(DataLoader(Short(), 2, num_workers=num_workers))


@pytest.mark.parametrize("num_workers", WORKERS)
def test_a_dataset_shorter_than_it_says_is_an_error(num_workers):
    class Short(Items):
        def __getitem__(self, index):
            return [0, 1, 2][index]

    with pytest.raises(IndexError):
        list(DataLoader(Short(), 2, num_workers=num_workers))


NO_INDICES = [None, True, 0.5, slice(0, 2), np.float64(1), np.bool_(True)]
NO_INDICES += [norch.tensor(True), norch.tensor(0.5)]


@pytest.mark.parametrize("num_workers", WORKERS)
@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("wrong", NO_INDICES, ids=repr)
def test_a_sampler_that_gives_no_index_is_refused(wrong, batched, num_workers):
    for dataset in (Items(), TensorDataset(norch.arange(COUNT)), norch.arange(COUNT)):
        options = {"batch_size": 2 if batched else None, "num_workers": num_workers}
        with pytest.raises(TypeError, match=r"the sampler gave .* which is no index"):
            list(DataLoader(dataset, sampler=[0, wrong], **options))


def test_keys_and_numbers_of_every_kind_are_indices():
    numbers = [0, np.int64(1), norch.tensor(2)]
    assert list(DataLoader([5, 6, 7], None, sampler=numbers)) == [5, 6, 7]
    assert list(DataLoader({"a": 1, "b": 2}, None, sampler="ba")) == [2, 1]
    rows = DataLoader(TensorDataset(norch.arange(4)), batch_sampler=norch.tensor([[3, 1]]))
    assert [batch[0].tolist() for batch in rows] == [[3, 1]]
    assert list(DataLoader([5, 6], batch_sampler=[iter([1, 0])], collate_fn=list)) == [[6, 5]]


def test_an_index_past_the_end_is_the_datasets_error():
    with pytest.raises(IndexError):
        list(DataLoader([1, 2], sampler=[99]))


@pytest.mark.parametrize("shuffle", ["x", "False", 2, [True]])
def test_shuffle_is_true_or_false(shuffle):
    with pytest.raises(ValueError, match="shuffle must be True or False"):
        DataLoader([1, 2], shuffle=shuffle)


@pytest.mark.parametrize("num_workers", WORKERS)
def test_a_subclass_that_changes_the_samples_is_asked(num_workers):
    """`__getbatch__` and `__getitems__` of a base know nothing of a subclass's `__getitem__`."""

    class Doubled(TensorDataset):
        def __getitem__(self, index):
            return super().__getitem__(index)[0] * 2

    class Tripled(Subset):
        def __getitem__(self, index):
            return super().__getitem__(index) * 3

    loader = DataLoader(Doubled(norch.arange(4)), 2, num_workers=num_workers)
    assert [batch.tolist() for batch in loader] == [[0, 2], [4, 6]]
    loader = DataLoader(Tripled([1, 2, 3], [2, 0]), 2, num_workers=num_workers)
    assert [batch.tolist() for batch in loader] == [[9, 3]]


@pytest.mark.parametrize("length", [0, 1])
def test_a_batch_sampler_is_not_asked_for_its_length(length):
    class Batches(list):
        def __len__(self):
            return length

    loader = DataLoader(Items(), batch_sampler=Batches([[3], [4, 5]]))
    assert [batch.tolist() for batch in loader] == [[3], [4, 5]]


@pytest.mark.parametrize("num_workers", WORKERS)
def test_a_sampler_that_is_over_early_just_ends(num_workers):
    class Few(Sampler):
        def __iter__(self):
            yield from (3, 1, 2)

        def __len__(self):
            return 10

    loader = DataLoader(Items(), 2, sampler=Few(), num_workers=num_workers)
    assert [batch.tolist() for batch in loader] == [[3, 1], [2]]
