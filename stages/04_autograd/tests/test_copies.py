"""deepcopy, copy and pickle: tensors that share memory share it again, and nothing else does."""

import copy
import io
import pickle
import sys
import threading

import pytest

import norch_autograd as norch

DTYPES = [
    norch.float32,
    norch.float64,
    norch.float16,
    norch.bfloat16,
    norch.int64,
    norch.int32,
    norch.uint8,
    norch.bool_,
]


def pickled(obj):
    return pickle.loads(pickle.dumps(obj))


def pickled_old(obj):
    return pickle.loads(pickle.dumps(obj, protocol=0))


WAYS = [copy.deepcopy, pickled, pickled_old]

BASE = norch.arange(24).view(2, 3, 4)
VIEWS = {
    "other shape": lambda x: x.view(24),
    "transposed": lambda x: x.transpose(0, 2),
    "slice": lambda x: x[1, ::2, 1:],
    "row": lambda x: x[1, 2],
    "element": lambda x: x[1, 1, 1],
    "expanded": lambda x: x[0, 0].expand(5, 4),
    "windows": lambda x: x.view(-1).unfold(0, 4, 1),
    "as_strided": lambda x: x.as_strided((3, 3), (2, 5), 1),
    "empty": lambda x: x[:, 3:],
    "detached": lambda x: x.detach(),
    "data": lambda x: x.data,
    "itself": lambda x: x,
    "bits": lambda x: x.view(norch.float64),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("view_first", [False, True])
def test_views_of_one_storage_share_it_again(way, view, view_first):
    x = BASE.clone()
    pair = [view(x), x] if view_first else [x, view(x)]
    a, b = (way(pair)[::-1]) if view_first else way(pair)
    expected = view(x)
    assert (b.tolist(), b.shape, b.stride(), b.storage_offset(), b.dtype) == (
        expected.tolist(),
        expected.shape,
        expected.stride(),
        expected.storage_offset(),
        expected.dtype,
    )
    assert a.array.shares_storage(b.array) and not a.array.shares_storage(x.array)
    a.fill_(7)
    assert b.tolist() == view(a).tolist()
    assert x.tolist() == BASE.tolist()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_and_layout(way, dtype):
    whole = (norch.arange(12).view(3, 4) % 5).to(dtype)
    reversed_ = norch.from_numpy(whole.to(norch.float32).numpy()[::-1, ::-2]).to(dtype)
    for x in (whole, whole.T, whole[1:, ::2], reversed_, whole[:0], norch.tensor(1).to(dtype)):
        back = way(x)
        assert (back.dtype, back.shape, back.tolist()) == (dtype, x.shape, x.tolist())


@pytest.mark.parametrize("way", WAYS)
def test_a_numpy_view_with_negative_strides_keeps_its_neighbour(way):
    np = pytest.importorskip("numpy")
    numbers = np.arange(6.0)
    x = norch.from_numpy(numbers[::-1])
    back, row = way([x, x[2:]])
    back.zero_()
    assert row.tolist() == [0] * 4 and numbers[5] == 5


@pytest.mark.parametrize("way", WAYS)
def test_different_storages_stay_apart(way):
    a, b = way([norch.zeros(2), norch.zeros(2)])
    a.fill_(1)
    assert b.tolist() == [0, 0]
    empty, other = way([norch.empty(0), norch.empty(0, 3)])
    assert (empty.shape, other.shape) == ((0,), (0, 3))


@pytest.mark.parametrize("way", WAYS)
def test_the_same_tensor_is_one_object_again(way):
    x = norch.ones(2, requires_grad=True)
    a, b = way((x, x))
    assert a is b and a.requires_grad and a.is_leaf


def test_two_pickles_are_apart_and_each_tells_the_values_of_its_time():
    x, file = norch.zeros(2), io.BytesIO()
    pickler = pickle.Pickler(file)
    pickler.dump(x)
    x.fill_(1)
    other = pickle.dumps([x, x.view(2, 1)])
    assert pickle.loads(file.getvalue()).tolist() == [0, 0]
    assert pickle.loads(other)[1].tolist() == [[1], [1]]


def test_threads_that_pickle_one_storage_do_not_meet():
    x, found = norch.arange(1000), []
    views = [x[i:] for i in range(50)]

    def run():
        back = pickled(views)
        found.append(all(back[0].array.shares_storage(view.array) for view in back))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


@pytest.mark.parametrize("way", WAYS)
def test_a_device_is_kept(way):
    x = norch.arange(6, device="cuda-sim").view(2, 3)
    column, back = way([x[:, 1], x])
    assert str(back.device) == "cuda-sim" and back.array.shares_storage(column.array)
    back.fill_(7)
    assert column.tolist() == [7, 7] and x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_shallow_copy_shares_the_memory():
    x = norch.zeros(2)
    copy.copy(x).fill_(1)
    assert x.tolist() == [1, 1]


def test_gradients_are_copied_by_deepcopy_and_left_out_by_pickle():
    x = norch.zeros(2, requires_grad=True)
    x.grad = norch.ones(2)
    deep, grad = copy.deepcopy([x, x.grad])
    assert deep.grad is grad and grad is not x.grad
    assert pickled(x).grad is None


class Named(norch.Tensor):
    """A subclass with attributes."""


@pytest.mark.parametrize("way", WAYS)
def test_a_subclass_keeps_its_attributes(way):
    x = Named([1.0])
    x.names, x.view_of_it, x.me = ["a"], x.detach(), x
    back = way(x)
    assert back.me is back
    assert type(back) is Named and back.names == ["a"] and back.names is not x.names
    assert back.array.shares_storage(back.view_of_it.array)


def test_what_has_a_history_is_not_copied():
    with pytest.raises(RuntimeError, match=r"\[deepcopy\] only leaves"):
        copy.deepcopy(norch.ones(2, requires_grad=True) * 2)


def test_a_storage_says_where_it_is_and_how_large():
    x = norch.ones(4, 5)
    part = x[1:, 2:].untyped_storage()
    assert part is x.untyped_storage() and part.data_ptr() == x.data_ptr()
    assert part.nbytes() == len(part) == 80 < sys.getsizeof(part)
    assert norch.ones(4, 5).untyped_storage().data_ptr() != part.data_ptr()
    assert not x.is_mps
