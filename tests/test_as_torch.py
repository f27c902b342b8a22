"""norch.as_torch(): libraries that import torch run on norch, and nothing of it stays.

Each test is a process of its own, because what was imported cannot be forgotten. torchdiffeq and
torchmetrics would install PyTorch beside themselves, so `make test` does without them; where they
are installed with --no-deps, they are tried.
"""

import os
import subprocess
import sys
import textwrap
from importlib.util import find_spec

import pytest


def shown(text, **names):
    """Run a program in a fresh interpreter; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=600,  # ends only a hang
        env={**os.environ, **names},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def library(name):
    return pytest.mark.skipif(find_spec(name) is None, reason=f"{name} is not installed")


# ---- How it works --------------------------------------------------------------------------------


def test_names_lead_to_norchs_own_modules():
    text = """
    import norch
    import norchvision
    with norch.as_torch():
        import torch
        import torch.nn.functional as F
        import torchvision.transforms as T
        from torch import nn, zeros
        from torch.autograd.profiler import profile
        from torch.linalg import norm
        from torch.utils.data import DataLoader
        from torchvision import datasets
    print(F is norch.nn.functional, nn is norch.nn, T is norchvision.transforms)
    print(DataLoader is norch.utils.data.DataLoader, zeros is norch.zeros, norm(zeros(2)).item())
    print(torch.Tensor is norch.Tensor, datasets is norchvision.datasets, torch.__name__)
    print(nn.__spec__.name, F.__spec__.name, nn.__name__, set(dir(norch)) <= set(dir(torch)))
    """
    assert shown(text) == [
        "True True True",
        "True True 0.0",
        "True True torch",
        "norch.nn norch.nn.functional norch.nn True",
    ]


def test_the_version_is_pytorchs_and_norchs_own_stays():
    text = """
    from importlib.metadata import PackageNotFoundError, version
    import norch
    own = norch.__version__
    with norch.as_torch():
        import torch
        from torch.version import __version__
        print(torch.__version__, __version__, version("torch"), norch.__version__ == own)
        try:
            version("torchvision")
        except PackageNotFoundError as error:
            print(error)
    print(norch.version.__version__ == own)
    """
    first, second, third = shown(text)
    assert first == "2.13.0 2.13.0 2.13.0 True" and "torchvision" in second and third == "True"


def test_what_norch_does_not_have_is_missing_in_pythons_words():
    text = """
    import norch
    with norch.as_torch():
        import torch
        lines = "import torch.fx", "from torch import nothing", "torch.nothing", "import torchy"
        for line in lines:
            try:
                exec(line)
            except (ImportError, AttributeError) as error:
                print(type(error).__name__, error)
    """
    assert shown(text) == [
        "ModuleNotFoundError No module named 'torch.fx'",
        "ImportError cannot import name 'nothing' from 'torch' (unknown location)",
        "AttributeError module 'norch' has no attribute 'nothing'",
        "ModuleNotFoundError No module named 'torchy'",
    ]


def test_torchvision_can_be_left_out():
    text = """
    from importlib.util import find_spec
    import norch
    norch.as_torch(torchvision=False)
    try:
        import torchvision
    except ModuleNotFoundError as error:
        print(error.name)
    import torch, torchvision_of_nobody
    """
    with pytest.raises(AssertionError, match="No module named 'torchvision_of_nobody'"):
        shown(text)
    assert shown(text.replace(", torchvision_of_nobody", "")) == ["torchvision"]


def test_nothing_stays_after_the_block_and_blocks_nest():
    text = """
    import sys
    import norch
    found = list(sys.meta_path)
    with norch.as_torch():
        with norch.as_torch():
            import torch.nn
        import torch.utils.data
    print(sys.meta_path == found, [n for n in sys.modules if n.split(".")[0].startswith("torch")])
    try:
        with norch.as_torch():
            import torchvision.transforms
            1 / 0
    except ZeroDivisionError:
        print([n for n in sys.modules if n.split(".")[0].startswith("torch")])
    norch.as_torch()
    import torch
    print(torch.ones(1).item(), norch.__spec__.name, norch.nn.__spec__.name)
    """
    assert shown(text) == ["True []", "[]", "1.0 norch norch.nn"]


def test_it_is_off_unless_called():
    code = "import norch, sys; print('torch' in sys.modules, 'importlib.metadata' in sys.modules)"
    assert shown(code) == ["False False"]


def test_it_refuses_where_torch_is_imported(tmp_path):
    (tmp_path / "torch.py").write_text("")
    text = """
    import norch, torch
    try:
        norch.as_torch()
    except RuntimeError as error:
        print(error)
    print(torch.__file__.endswith("torch.py"))
    """
    message, kept = shown(text, PYTHONPATH=str(tmp_path))
    assert message.startswith("[as_torch] torch itself is imported already") and kept == "True"


# ---- Libraries -----------------------------------------------------------------------------------


@library("einops")
def test_einops():
    """It asks for torch when it meets a kind of tensor first, so it is called while norch is on."""
    text = """
    import norch
    norch.as_torch()
    from einops import einsum, pack, rearrange, reduce, repeat
    from einops.layers.torch import Rearrange, Reduce
    x = norch.arange(24.0).reshape(2, 3, 4).requires_grad_()
    y = rearrange(x, "a b (c d) -> (a d) c b", d=2)
    print(norch.equal(y, x.reshape(2, 3, 2, 2).permute(0, 3, 2, 1).reshape(4, 2, 3)))
    print(norch.equal(reduce(x, "a b c -> b", "max"), x.amax((0, 2))))
    print(norch.equal(repeat(x, "a b c -> a (b 2) c"), x.repeat_interleave(2, 1)))
    print(norch.allclose(einsum(x, x, "a b c, a d c -> a b d"), x @ x.mT))
    print(pack([x, x], "* b c")[0].shape == (4, 3, 4))
    nn = norch.nn
    turn, mean = Rearrange("a b c -> a c b"), Reduce("a c b -> a", "mean")
    model = nn.Sequential(turn, nn.Linear(3, 5), mean)
    model(x).sum().backward()
    print(x.grad.shape == x.shape)
    """
    assert shown(text) == ["True"] * 6


@library("torchinfo")
def test_torchinfo():
    text = """
    import norch
    with norch.as_torch():
        from torchinfo import summary
    nn = norch.nn
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 26 * 26, 10))
    found = summary(model, input_size=(2, 1, 28, 28), verbose=0)
    print(found.total_params, found.total_mult_adds, found.total_param_bytes)
    """
    assert shown(text) == ["27090 108180 108360"]


SKORCH = """
import pickle, tempfile
import norch
norch.as_torch()
import numpy as np
from sklearn.model_selection import GridSearchCV
from skorch import NeuralNetClassifier
from torch import nn

class Net(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.hidden, self.out = nn.Linear(4, width), nn.Linear(width, 2)

    def forward(self, X):
        return self.out(self.hidden(X).relu()).softmax(-1)

norch.manual_seed(0)
X = np.random.default_rng(0).normal(size=(200, 4)).astype("float32")
y = (X[:, 0] > X[:, 1]).astype("int64")
net = NeuralNetClassifier(Net, max_epochs=10, lr=0.5, verbose=0, iterator_train__shuffle=True)
print(net.fit(X, y).score(X, y) > 0.9, net.predict_proba(X[:3]).shape)
search = GridSearchCV(net, {"lr": [1e-6, 0.5], "module__width": [10]}, cv=2, scoring="accuracy")
print(search.fit(X, y).best_params_)
again = pickle.loads(pickle.dumps(net))
with tempfile.TemporaryDirectory() as folder:
    net.save_params(f_params=folder + "/net")
    fresh = NeuralNetClassifier(Net).initialize()
    fresh.load_params(f_params=folder + "/net")
print([np.array_equal(each.predict(X), net.predict(X)) for each in (again, fresh)])
"""


@library("skorch")
def test_skorch():
    assert shown(SKORCH) == [
        "True (3, 2)",
        "{'lr': 0.5, 'module__width': 10}",
        "[True, True]",
    ]


@library("torchdiffeq")
def test_torchdiffeq():
    text = """
    import math
    import norch
    with norch.as_torch():
        from torchdiffeq import odeint, odeint_adjoint
    rate = norch.nn.Linear(1, 1, bias=False)
    with norch.no_grad():
        rate.weight.fill_(-0.5)
    class Decay(norch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rate = rate
        def forward(self, t, y):
            return self.rate(y)
    when, start = norch.tensor([0.0, 2.0]), norch.ones(1, 1)
    for solve in (odeint, odeint_adjoint):
        rate.zero_grad()
        end = solve(Decay(), start, when, method="dopri5")[-1]
        end.sum().backward()  # y = exp(w t), so dy/dw = t exp(w t)
        errors = end.item() - math.exp(-1), rate.weight.grad.item() - 2 / math.e
        print(max(map(abs, errors)) < 1e-4)
    """
    assert shown(text) == ["True", "True"]


@library("torchmetrics")
def test_torchmetrics():
    text = """
    import warnings
    import norch
    norch.as_torch(torchvision=False)
    with warnings.catch_warnings(action="ignore"):
        from torchmetrics import MeanMetric, MetricCollection
        from torchmetrics.classification import BinaryAUROC, MulticlassAccuracy, MulticlassF1Score
    said, right = norch.tensor([0, 1, 2, 1]), norch.tensor([0, 1, 1, 1])
    each = MetricCollection([MulticlassAccuracy(3, average="micro"), MulticlassF1Score(3)])
    for half in (slice(0, 2), slice(2, 4)):
        each.update(said[half], right[half])
    print({name: round(value.item(), 4) for name, value in each.compute().items()})
    print(BinaryAUROC()(norch.tensor([0.1, 0.6, 0.8, 0.3]), norch.tensor([0, 1, 1, 0])).item())
    print(MeanMetric()(norch.tensor([1.0, 2.0])).item())
    """
    assert shown(text) == [
        "{'MulticlassAccuracy': 0.75, 'MulticlassF1Score': 0.6}",
        "1.0",
        "1.5",
    ]
