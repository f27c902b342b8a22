"""Every public name of norch has a case in the tables, or stands here with the reason why not."""

import ast

import cases_forms
import cases_functional
import cases_layers
import cases_modules
import cases_optim
import cases_pointwise
import cases_programs
import cases_refused
import cases_shapes
import cases_training
import pytest
from signatures import PLACES, found, public

ELSEWHERE = {
    "its own tests": {
        "": (
            "Tensor Function autograd load save return_types draw_graph dtype "
            "memory_stats get_num_threads set_num_threads get_rng_state set_rng_state seed "
            "default_generator set_default_dtype set_printoptions no_grad enable_grad "
            "set_grad_enabled inference_mode grad gradcheck gradgradcheck autocast "
            "get_autocast_dtype is_autocast_enabled initial_seed "
            "from_dlpack is_anomaly_enabled is_anomaly_check_nan_enabled "
            "get_default_device set_default_device use_deterministic_algorithms "
            "are_deterministic_algorithms_enabled get_float32_matmul_precision "
            "set_float32_matmul_precision compile "
            "as_torch qint8"
        ),
        "Tensor": (
            "backward register_hook register_post_accumulate_grad_hook retain_grad retains_grad "
            "untyped_storage is_mps "
            "requires_grad_ detach_ data_ptr storage_offset stride grad grad_fn is_leaf output_nr "
            "requires_grad data device dtype cuda is_cuda numpy refresh_view pin_memory "
            "record_stream"
        ),
        "nn": "RNNBase RNNCellBase SyncBatchNorm",
        "utils": "summary remove_weight_norm rnn clip_grad_value_",
        "optim": "Optimizer",
        "sched": "LRScheduler",
        "data": "Dataset IterableDataset Sampler WorkerInfo DistributedSampler",
        "amp": "GradScaler autocast get_autocast_dtype is_autocast_enabled",
    },
    "norch's own, PyTorch has nothing of the name": {
        "": "cross_entropy linear one_hot double float half int long",
        "Tensor": "array base hooks node views",
        "optim": "Lion",
        "utils": "KVCache sample_token",
    },
}
PLACE_OF = {"nn": "nn", "F": "F", "t": "", "L": "sched"}


def texts():
    """Return every expression of the tables."""
    for cases in (
        cases_pointwise.POINTWISE,
        cases_pointwise.EDGE_CASES,
        cases_shapes.SHAPE_CASES,
        cases_shapes.CREATION,
        cases_functional.FUNCTIONAL,
        cases_modules.MODULES,
        cases_forms.FORMS,
        cases_refused.REFUSED,
    ):
        yield from (text for text, _ in cases)
    yield from cases_programs.PROGRAMS + cases_layers.PROGRAMS + cases_training.PROGRAMS
    yield from (f"t.optim.{text}" for text in cases_optim.OPTIMIZER_CASES)
    yield from (f"t.optim.lr_scheduler.{text}" for text in cases_optim.SCHEDULER_CASES)


def names_in(text):
    """Return the dotted names that an expression uses: ("F.relu"), and ".add" for a method."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            chain = [node.attr]
            while isinstance(node.value, ast.Attribute):
                node = node.value
                chain.append(node.attr)
            head = node.value.id if isinstance(node.value, ast.Name) else ""
            yield ".".join([head, *reversed(chain)])


@pytest.fixture(scope="module")
def used():
    return {name for text in texts() for name in names_in(text)}


WHERE = {
    "": ("t",),
    "Tensor": ("", *"xyzwvc"),
    "nn": ("nn", "t.nn"),
    "F": ("F",),
    "init": ("nn.init",),
    "utils": ("nn.utils",),
    "optim": ("t.optim",),
    "sched": ("t.optim.lr_scheduler", "L"),
    "data": ("t.utils.data",),
    "amp": ("t.amp",),
}


@pytest.mark.parametrize("place", WHERE)
def test_every_public_name_has_a_case(place, used):
    excused = {name for group in ELSEWHERE.values() for name in group.get(place, "").split()}
    heads = ("t.", "nn.", "F.", "L.")
    methods = {name.rpartition(".")[2] for name in used if not name.startswith(heads)}
    known = {f"{head}.{name}" for head in WHERE[place] for name in public(place)} & used
    covered = {name.rpartition(".")[2] for name in known} | (
        methods if place == "Tensor" else set()
    )
    module = found(PLACES[place][0])
    missing = [
        name
        for name in public(place)
        if name not in covered | excused and not is_module(getattr(module, name))
    ]
    assert not missing, f"no case for {' '.join(missing)}"


def is_module(value):
    return type(value).__name__ == "module"
