"""The assembled package: its names, nothing heavy at import, no logic, every stage in use."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "norch" / "src").rglob("*.py"))
STAGES = (
    "norch_strides",
    "norch_cpu_ops",
    "norch_cuda",
    "norch_autograd",
    "norch_nn",
    "norch_ddp",
)
HEAVY = ("numpy", "cupy", "mpi4py", "matplotlib", "safetensors", "pytest")
SLOW_IN_PYTHON = ("ssl", "http", "email", "asyncio", "unittest", "multiprocessing", "subprocess")
MODULES = (
    "norch",
    "norch.accelerate",
    "norch.amp",
    "norch.autograd",
    "norch.autograd.function",
    "norch.autograd.functional",
    "norch.autograd.grad_mode",
    "norch.backends",
    "norch.backends.cpu",
    "norch.backends.cuda",
    "norch.backends.cudnn",
    "norch.backends.mkldnn",
    "norch.backends.mps",
    "norch.cpu",
    "norch.cuda",
    "norch.cuda.amp",
    "norch.distributed",
    "norch.distributed.checkpoint",
    "norch.distributed.parallel",
    "norch.distributed.run",
    "norch.distributions",
    "norch.distributions.bernoulli",
    "norch.distributions.categorical",
    "norch.distributions.distribution",
    "norch.distributions.kl",
    "norch.distributions.normal",
    "norch.distributions.uniform",
    "norch.jit",
    "norch.linalg",
    "norch.multiprocessing",
    "norch.nn",
    "norch.nn.attention",
    "norch.nn.functional",
    "norch.nn.init",
    "norch.nn.modules",
    "norch.nn.modules.utils",
    "norch.nn.parameter",
    "norch.nn.parallel",
    "norch.norchvision",
    "norch.norchvision.datasets",
    "norch.norchvision.transforms.functional",
    "norch.optim",
    "norch.optim.lr_scheduler",
    "norch.optim.optimizer",
    "norch.optim.swa_utils",
    "norch.strides",
    "norch.testing",
    "norch.utils",
    "norch.utils.data",
    "norch.utils.data.dataloader",
    "norch.utils.data.dataset",
    "norch.utils.data.sampler",
    "norch.utils.data.distributed",
    "norch.version",
    "norchvision",
    "norchvision.datasets",
    "norchvision.models.resnet",
    "norchvision.transforms.functional",
    "norchvision.utils",
)
LISTED = {
    "norch": (
        "Tensor Generator Size device dtype float32 float64 int64 int32 uint8 bool tensor zeros "
        "ones full arange rand randn randint randperm manual_seed cat stack add mul matmul exp "
        "as_torch softmax no_grad enable_grad set_grad_enabled is_grad_enabled save load "
        "set_num_threads get_num_threads memory_stats"
    ),
    "norch.nn": (
        "Module Parameter Linear ReLU Sigmoid Tanh Flatten Identity Dropout Sequential "
        "CrossEntropyLoss MSELoss functional init parallel"
    ),
    "norch.jit": "script ignore unused export is_scripting",
    "norch.nn.attention": "sdpa_kernel SDPBackend",
    "norch.version": "__version__ cuda hip",
    "norch.nn.functional": "linear relu softmax cross_entropy mse_loss",
    "norch.nn.parallel": "DistributedDataParallel",
    "norch.nn.modules.utils": "_single _pair _triple _ntuple",
    "norch.nn.modules.batchnorm": "BatchNorm2d _BatchNorm",
    "norch.nn.modules.conv": "Conv2d _ConvNd",
    "norch.nn.modules.loss": "MSELoss _Loss _WeightedLoss",
    "norch.nn.parameter": "Parameter Buffer",
    "norch.optim.optimizer": "Optimizer",
    "norch.utils.data.sampler": "Sampler SubsetRandomSampler",
    "norch.utils.data.dataset": "Dataset random_split",
    "norch.autograd.functional": "jacobian hessian",
    "norch.testing": "assert_close",
    "norch.optim": "SGD Adam AdamW Optimizer lr_scheduler",
    "norch.autograd": "grad gradcheck backward Function Variable",
    "norch.utils.data": (
        "Dataset TensorDataset DataLoader Subset random_split distributed dataloader"
    ),
    "norch.utils.data.distributed": "DistributedSampler",
    "norch.norchvision": "datasets models transforms utils",
    "norch.norchvision.datasets": "MNIST",
    "norch.norchvision.transforms": "Compose ToTensor Normalize Reshape",
    "norch.distributed": (
        "init_process_group is_initialized get_rank get_world_size barrier broadcast all_reduce "
        "reduce all_gather gather scatter reduce_scatter send recv destroy_process_group ReduceOp "
        "DistributedSampler ring_all_reduce"
    ),
    "norch.cpu": "Array blas empty_cache instruction_set memory_stats set_num_threads",
    "norch.cuda": "is_available device_count",
    "norch.strides": "Layout StridedArray broadcast_shapes contiguous reshape",
}


def python(code, **names):
    """Run code in a fresh interpreter, with additional names in the environment."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=600,  # ends only a hang
        env={**os.environ, **names},
        check=False,
    )


@pytest.mark.parametrize("name", MODULES)
def test_module_is_imported_by_its_name(name):
    result = python(f"import {name}")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("module", "name"), [(m, n) for m, ns in LISTED.items() for n in ns.split()]
)
def test_name_exists(module, name):
    assert hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize(
    ("stage", "module", "elsewhere"),
    [
        ("norch_strides", "norch.strides", ""),
        ("norch_cuda", "norch.cuda", "from_dlpack preferred_blas_library"),
        ("norch_autograd", "norch", "DType bool_ more ops"),
        ("norch_autograd.linalg", "norch.linalg", ""),
        ("norch_autograd.autograd", "norch.autograd", "checkpoint checkpoint_sequential"),
        ("norch_nn", "norch.nn", "save load amp optim data serialization"),
        ("norch_nn.functional", "norch.nn.functional", ""),
        ("norch_nn.init", "norch.nn.init", ""),
        ("norch_nn.amp", "norch.amp", ""),
        ("norch_extras.distributions", "norch.distributions", ""),
        ("norch_nn.optim", "norch.optim", ""),
        ("norch_nn.optim.lr_scheduler", "norch.optim.lr_scheduler", ""),
        ("norch_nn.data", "norch.utils.data", ""),
        ("norchvision", "norchvision", ""),
        ("norchvision.datasets", "norchvision.datasets", ""),
        ("norchvision.models", "norchvision.models", ""),
        ("norchvision.transforms", "norchvision.transforms", ""),
        ("norchvision.transforms.functional", "norchvision.transforms.functional", ""),
        ("norch_ddp", "norch.distributed", "DistributedDataParallel SyncBatchNorm"),
        ("norch_extras.accelerate", "norch.accelerate", ""),
        ("norch_ddp.model_parallel", "norch.distributed.parallel", ""),
    ],
)
def test_nothing_public_is_forgotten(stage, module, elsewhere):
    """What a stage makes public, norch offers; `elsewhere` lists what has another place."""
    offered = importlib.import_module(module)
    missing = [
        name for name in public_names(importlib.import_module(stage)) if not hasattr(offered, name)
    ]
    assert sorted(missing) == sorted(elsewhere.split())


def public_names(module):
    """`__all__`, or what the module's source imports under its own name (`x as x`)."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    tree = ast.parse(Path(module.__file__).read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return [alias.asname for node in imports for alias in node.names if alias.asname]


def modules_loaded_by(statement):
    """Return what a statement loads beyond the interpreter's own start."""
    code = f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    result = python(code)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


def test_importing_norch_loads_few_other_modules_and_none_that_is_heavy():
    """An import takes as long as its modules; the benchmark's row `import time` measures it."""
    loaded = modules_loaded_by("import norch")
    packages = {"norch", "norchvision", "norch_extras", *STAGES}
    ours = {name for name in loaded if name.partition(".")[0] in packages}
    most = 90 if sys.version_info < (3, 14) else 100  # which has more, smaller modules of its own
    assert len(loaded - ours) < most, sorted(loaded - ours)  # 8 are for sockets, where ranks meet
    assert not loaded & {*HEAVY, *SLOW_IN_PYTHON}


@pytest.mark.parametrize("name", ["numpy", "unittest"])
def test_a_heavy_module_would_be_seen(name):
    assert name in modules_loaded_by(f"import {name}")


@pytest.mark.parametrize("stage", STAGES)
def test_break_a_stage_and_norch_breaks(stage):
    """No copies: with one stage made unimportable, norch cannot be imported."""
    result = python(f"import sys; sys.modules[{stage!r}] = None; import norch")
    assert result.returncode == 1
    assert stage in result.stderr


# The files that are about the assembled package as a whole, and can stand in no stage.
WIRING = [ROOT / "norch" / "src" / "norch" / name for name in ("left_out.py", "torch_alias.py")]
# How a module says of names that they are left out on purpose: nothing is forwarded.
ANSWERS = """if not TYPE_CHECKING:
    from norch.left_out import answers
    __getattr__ = answers({module!r}, {names!r})
    del answers"""


@pytest.mark.parametrize(
    "path", [p for p in SOURCES if p not in WIRING], ids=lambda p: str(p.relative_to(ROOT))
)
def test_norch_has_no_logic_of_its_own(path):
    """Docstring, imports, the version; and the two lines by which `python -m` starts."""
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree), "a module opens with what it is"
    for node in tree.body[1:]:
        assert isinstance(node, (ast.Import, ast.ImportFrom)) or is_wiring(node, path), (
            f"line {node.lineno}: {ast.unparse(node)[:80]}"
        )


def is_wiring(node, path):
    """`__all__` and the like, a constant of version.py, in run.py the call of main, or ANSWERS."""
    if isinstance(node, ast.Delete):
        return ast.unparse(node) == "del TYPE_CHECKING"
    if isinstance(node, ast.If) and ast.unparse(node.test) == "not TYPE_CHECKING":
        module, names = (ast.literal_eval(one) for one in node.body[1].value.args)
        return ast.unparse(node) == ANSWERS.format(module=module, names=names)
    if isinstance(node, ast.Assign) and path.name == "version.py":
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) in ("__all__", "__version__", "__path__") and not any(
            isinstance(part, (ast.Call, ast.Lambda)) for part in ast.walk(node.value)
        )
    return path.name == "run.py" and ast.unparse(node) == (
        "if __name__ == '__main__':\n    raise SystemExit(main())"
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_norch_imports_explicitly(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert "*" not in [alias.name for alias in node.names]


def test_one_name_is_one_object():
    import norch
    import norch.nn as nn
    import norch_autograd
    import norch_nn
    from norch.utils.data.dataloader import DataLoader

    assert norch.Tensor is norch_autograd.Tensor
    assert nn.Linear is norch_nn.Linear
    assert norch.utils.data.DataLoader is DataLoader


def test_a_long_path_leads_to_the_same_name():
    import norch.nn.parallel
    import norch.norchvision.transforms
    import norch.utils.data.dataloader
    import norch.utils.data.distributed

    assert norch.utils.data.dataloader.DataLoader is norch.utils.data.DataLoader
    assert norch.utils.data.distributed.DistributedSampler is norch.distributed.DistributedSampler
    assert norch.nn.parallel.DistributedDataParallel.__module__.startswith("norch_ddp")
    assert norch.norchvision.transforms.Reshape.__module__.startswith("norchvision")


def test_switches_that_scripts_set():
    """The lines many scripts open with: answered truthfully, settable, without an effect."""
    import norch
    import norch.backends.cudnn as cudnn

    norch.backends.cuda.matmul.allow_tf32 = True
    cudnn.benchmark, cudnn.deterministic = True, True
    assert norch.backends.cudnn.deterministic and norch.backends.cuda.matmul.allow_tf32
    assert not (norch.backends.mps.is_available() or norch.backends.mkldnn.is_available())
    assert norch.backends.cpu.get_cpu_capability() in {"AVX512", "AVX2", "DEFAULT"}


def test_one_generator_for_every_device():
    import norch

    norch.cuda.manual_seed_all(3)
    first = norch.rand(4)
    norch.manual_seed(3)
    assert norch.equal(first, norch.rand(4))
