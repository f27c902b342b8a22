"""The caches: bounded, blind to offsets, and never a different answer."""

import importlib
import inspect
import pkgutil

import pytest
from hypothesis import given, strategies as st

import norch_strides
from norch_strides import (
    Layout,
    broadcast_to,
    contiguous,
    flip,
    permute,
    reshape,
    select,
    squeeze,
    transpose,
    unsqueeze,
    windows,
)
from norch_strides.cache import CACHE_SIZE


def cached_functions():
    found = {}
    for info in pkgutil.iter_modules(norch_strides.__path__):
        module = importlib.import_module(f"norch_strides.{info.name}")
        for name, value in inspect.getmembers(module):
            if hasattr(value, "cache_parameters") and value.__module__ == module.__name__:
                found[f"{info.name}.{name}"] = value
    return found


def test_there_are_caches_and_all_are_bounded():
    caches = cached_functions()
    assert "rearrange._permute" in caches and "broadcast.broadcast_strides" in caches
    assert {fn.cache_parameters()["maxsize"] for fn in caches.values()} == {CACHE_SIZE}


def test_a_full_cache_stays_within_its_bound():
    fill = cached_functions()["layout._contiguous"]
    for size in range(CACHE_SIZE + 100):
        contiguous((size, 1, 1, 1, 1))
    assert fill.cache_info().currsize == CACHE_SIZE


VIEWS = {
    "permute": lambda x: permute(x, range(len(x.shape))[::-1]),
    "transpose": lambda x: transpose(x, 0, -1),
    "squeeze": squeeze,
    "unsqueeze": lambda x: unsqueeze(x, -1),
    "flip": lambda x: flip(x, range(len(x.shape))),
    "reshape": lambda x: reshape(x, (-1, 1)) if 0 not in x.shape else None,
    "broadcast_to": lambda x: broadcast_to(x, (2, *x.shape)),
    "windows": lambda x: windows(x, 0, min(1, *x.shape, 1)),
}


@pytest.mark.parametrize("name", VIEWS)
@given(layout=..., by=st.integers(1, 9))
def test_cached_and_uncached_agree(name, layout: Layout, by):
    for fn in cached_functions().values():
        fn.cache_clear()
    first = VIEWS[name](layout)
    again = VIEWS[name](layout)
    moved = VIEWS[name](layout.shifted(by))
    assert first == again
    assert moved == (None if first is None else first.shifted(by))


def test_offsets_stay_out_of_the_keys():
    cache = cached_functions()["rearrange._transpose"]
    cache.cache_clear()
    table = contiguous((50, 4, 6))
    for row in range(50):
        assert transpose(select(table, 0, row), 0, 1) == Layout((6, 4), (1, 6), 24 * row)
    assert cache.cache_info().currsize == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda good: contiguous((True, 2) if not good else (1, 2)),
        lambda good: reshape(contiguous((2,)), (True, 2) if not good else (1, 2)),
        lambda good: broadcast_to(contiguous((1,)), (True,) if not good else (1,)),
    ],
)
def test_true_equals_one_but_never_ends_up_in_a_layout(call):
    for fn in cached_functions().values():
        fn.cache_clear()
    assert {type(size) for size in call(False).shape} == {int}
    assert {type(size) for size in call(True).shape} == {int}
