"""The programs in the documents of the projects norch grew from run on norch, and print the same.

The documents (READMEs of CuPyTorch, MyTorch, PyNorch, PyTortto, and the article "Recreating PyTorch
from Scratch") are others' work and lie beside the checkout, in ../shared/seeds. Programs are taken
out of them when a test runs. `SLIPS` are the only changes besides imports: what PyTorch's semantics
demand, what was left out or misspelt, and sizes that would take minutes.
"""

import gzip
import math
import os
import re
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import seed_documents as seeds

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(
    not seeds.DOCUMENTS.is_dir(), reason="../shared/seeds, the documents, is not here"
)
LAUNCHER = ("-m", "norch.distributed.run", "--nproc_per_node", "2")
PLACES = [os.environ.get("NORCH_DATA", ""), ROOT.parent / "shared" / "data"]
LOSS = re.compile(r"loss: (\d+\.\d+)", re.IGNORECASE)

RUN = {
    "cupytorch": {0, 1},
    "mytorch": {0, 1, 2, 3, 4, 5, 6},
    "pynorch": {2, 3, 4, 5},
    "pytortto": {1, 2, 3, 4, 5},
}
NOT_RUN = {
    ("pynorch", 0): "a shell command",
    ("pynorch", 1): "shell commands",
    ("pynorch", 6): "a shell command; the launcher is used here as it says",
    ("pytortto", 0): "a shell command",
    ("pytortto", 6): "timing on a GPU",
    ("pytortto", 7): "what the timing printed",
}
# The article's other code is the inside of a library in C, CUDA and Python, which stages 2 to 5
# are, and ctypes without tensors.
ARTICLE_PROGRAMS = ["outline", "stride", "tour", "sum", "sum on a device", "training"]


def folders():
    """Where MNIST's own files may be."""
    return [folder for place in PLACES if place for folder in (Path(place), Path(place) / "mnist")]


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """The first 6,000 training and 1,000 test digits of MNIST."""
    name = "train-images-idx3-ubyte.gz"
    found = [folder for folder in folders() if (folder / name).is_file()]
    if not found:
        pytest.skip("MNIST is neither in $NORCH_DATA nor in ../shared/data")
    target = tmp_path_factory.mktemp("digits")
    for part, count in (("train", 6000), ("t10k", 1000)):
        for kind, shape in (("images-idx3", (count, 28, 28)), ("labels-idx1", (count,))):
            file = f"{part}-{kind}-ubyte.gz"
            content = gzip.decompress((found[0] / file).read_bytes())
            header = content[:4] + struct.pack(f">{len(shape)}I", *shape)
            kept = content[: len(header) + math.prod(shape)]
            (target / file).write_bytes(gzip.compress(header + kept[len(header) :], 1))
    return target


@pytest.fixture
def run(tmp_path):
    """Run a program; return what it printed."""

    def start(text, slips=(), *, before="", after="", launcher=(), data=tmp_path):
        script = tmp_path / "program.py"
        text = seeds.with_expectations(seeds.with_norch(seeds.mend(text, slips)))
        script.write_text(seeds.PRELUDE + before + text + after)
        done = subprocess.run(
            [sys.executable, *launcher, str(script)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "NORCH_DATA": str(data), "NORCH_NUM_THREADS": "1"},
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return start


def block(name, *numbers):
    found = seeds.blocks(name)
    return "".join(found[number] for number in numbers)


# ---- Every piece is known ------------------------------------------------------------------------


@pytest.mark.parametrize("name", RUN)
def test_every_code_block_is_run_or_has_a_reason(name):
    left_out = {number for document, number in NOT_RUN if document == name}
    assert not RUN[name] & left_out
    assert sorted(RUN[name] | left_out) == list(range(len(seeds.blocks(name))))


def test_every_program_of_the_article_is_known():
    assert len(seeds.starts(seeds.article(), "import (torch|norch)")) == len(ARTICLE_PROGRAMS)


# ---- Tensors and gradients -----------------------------------------------------------------------


def test_cupytorch_four_gradients(run):
    assert run(block("cupytorch", 0)).count("as printed") == 1


def test_pytortto_an_expression_of_many_functions(run):
    assert run(block("pytortto", 1)).count("as printed") == 3


def test_mytorch_a_square(run):
    slips = [
        (r", device=cuda:0", ""),  # not the device of these tests
        (r"^(?=\[)", "# "),  # results that stand bare in the program
    ]
    assert run(block("mytorch", 1), slips).count("as printed") == 2
    assert "tensor([1., 2., 3.]" in run(block("mytorch", 2), after="print(tensor)\n")


def test_mytorch_relu_of_known_operations(run):
    """The manual branch is the inside of MyTorch; examples/first_steps.py has a Function."""
    before = "import numpy as cp\nfrom norch import Tensor\n"
    after = """
x = Tensor([-2.0, 0.5, 3.0], requires_grad=True)
relu(x, auto=True).square().sum().backward()
y = x.detach().requires_grad_()
norch.relu(y).square().sum().backward()
print(norch.equal(x.grad, y.grad), y.grad)
"""
    assert "True tensor([0., 1., 6.])" in run(block("mytorch", 0), before=before, after=after)


def test_pynorch_a_product(run):
    slips = [
        (r'\.to\("cuda"?\)', ""),  # a copy on a device is no leaf and gets no .grad
        (r"\.backward$", ".backward()"),  # it was named, not called
    ]
    after = "assert norch.equal(x1.grad, norch.ones(2, 2) @ x2.detach().T)\nprint(x2.grad)\n"
    shown = run(block("pynorch", 2), slips, after=after)
    assert [float(n) for n in re.findall(r"\d\.", shown)] == [7, 3, 7, 3, 4, 4, 6, 6]


# ---- Layers --------------------------------------------------------------------------------------


def test_pynorch_a_model(run):
    after = "print(MyModel())\nprint(tuple(MyModel()(norch.rand(5, 1)).shape))\n"
    shown = run(block("pynorch", 3), after=after)
    assert "(fc1): Linear(in_features=1, out_features=10, bias=True)" in shown and "(5, 1)" in shown


CONVOLUTION = [
    (r"\(128,", "(8,"),  # a smaller batch
    (r"(weight|bias)\.copy\(\)", r"tt.tensor(\1)"),  # in PyTorch .data is a tensor
]
# y is linear in x and in the weight; the gradients are those of this convolution in NumPy, because
# sum(dx v) is sum(grad conv(v)) for every v.
PLAIN_CONVOLUTION = """
def conv(x, w):
    x = np.pad(x.astype("d"), ((0, 0), (0, 0), (2, 2), (3, 3)))
    out = np.zeros((len(x), 16, 66, 23))
    for c in range(16):
        for i in range(3):
            for j in range(2):
                window = x[:, c // 8 * 2 :][:, :2, i : i + 66, 2 * j : 2 * j + 67 : 3]
                out[:, c] += np.einsum("nchw,c->nhw", window, w[c, :, i, j])
    return out

v, u = np.random.randn(*data.shape), np.random.randn(*weight.shape)
print(np.allclose(y.detach().numpy(), conv(data, weight) + bias[:, None, None], atol=1e-4))
for mine, plain in [
    ((x.grad.numpy() * v).sum(), (grad * conv(v, weight)).sum()),
    ((m.weight.grad.numpy() * u).sum(), (grad * conv(data, u)).sum()),
]:
    print(bool(np.isclose(mine, plain, rtol=1e-3, atol=0.1)))
print(np.allclose(m.bias.grad.numpy(), grad.sum((0, 2, 3)), rtol=1e-3, atol=1e-2))
"""


def test_pytortto_a_convolution_with_every_option(run):
    shown = run(
        block("pytortto", 2, 3),
        CONVOLUTION,
        before="import numpy\nnumpy.random.seed(0)\n",
        after=PLAIN_CONVOLUTION,
    )
    assert shown.split() == ["True"] * 4


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
def test_pytortto_the_convolution_is_pytorchs(run):
    slips = [*CONVOLUTION, (r"^import torch$", "torch = __import__('torch')")]
    assert run(block("pytortto", 2, 3, 4, 5), slips).count("as printed") == 4


def test_mytorch_a_convolutional_net(run):
    slips = [(r"(?<=conv2 = nn.Conv2d\(in_channels=)3", "32")]  # the first one makes 32 channels
    after = """
class Whole(ConvNet):  # its forward was left to the reader
    def forward(self, x):
        x = self.drop1(norch.relu(self.bn1(self.conv1(x))))
        return self.drop2(norch.relu(self.bn2(self.conv2(x))))

model = Whole()
features = model(norch.randn(4, 3, 32, 32))
features.square().mean().backward()
print(tuple(features.shape), tuple(model.conv1.weight.grad.shape))
"""
    assert "(4, 32, 8, 8) (32, 3, 3, 3)" in run(block("mytorch", 4), slips, after=after)


def test_mytorch_attention(run):
    slips = [
        (r"Softmax\(\)", "Softmax(dim=-1)"),  # PyTorch's layer is told its axis when it is made,
        (r"(?<=scores), dim=-1", ""),  # not when it is called
        (r"\bdropout_p=", "p="),  # PyTorch's name
    ]
    after = """
model = Attention(8, 2).eval()
x = norch.randn(3, 5, 8)
causal = norch.full((5, 5), float("-inf")).triu(1)
whole, start = model(x, causal), model(x[:, :3], causal[:3, :3])
print(tuple(whole.shape), norch.allclose(whole[:, :3], start, atol=1e-6))
q, k, v = (
    proj(x).reshape(3, 5, 2, 4).transpose(1, 2)
    for proj in (model.q_proj, model.k_proj, model.v_proj)
)
read = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
print(norch.allclose(whole, model.out_proj(read.transpose(1, 2).reshape(3, 5, 8)), atol=1e-6))
"""
    assert run(block("mytorch", 5), slips, after=after).split("\n")[:2] == [
        "(3, 5, 8) True",
        "True",
    ]


# ---- Training on digits --------------------------------------------------------------------------

ACCURACY = """
model.eval()
test_digits = norch.norchvision.datasets.MNIST.splits()[1]
with norch.no_grad():
    right = model(test_digits.data.reshape(-1, 784).float() / 255).argmax(1) == test_digits.targets
print(f"accuracy {right.float().mean().item():.4f}")
"""


def accuracy(shown):
    """The last accuracy that a program printed."""
    return float(re.findall(r"accuracy (\d\.\d+)", shown)[-1])


def losses(shown):
    return [float(loss) for loss in LOSS.findall(shown)]


def test_cupytorch_digits(run, digits):
    before = """
import gzip, os
import numpy as np

def read_idx(path):
    content = gzip.decompress(path.read_bytes())
    pixels = np.frombuffer(content[4 + 4 * content[3] :], np.uint8)
    numbers = norch.tensor(pixels)
    return numbers.long() if content[3] == 1 else numbers.reshape(-1, 28, 28).float() / 255
"""
    slips = [
        (r"\bpass$", "return read_idx(path)"),  # left to the reader
        (r"'\.\./datasets/MNIST'", "os.environ['NORCH_DATA']"),  # the data are there
        (r"% 500\b", "% 100"),  # a tenth of the digits: report more often
        (r"/= 500\b", "/= 100"),
    ]
    shown = run(block("cupytorch", 1), slips, before=before, after=ACCURACY, data=digits)
    found = losses(shown)
    assert len(found) == 30 and found[-1] < found[0] / 3 and accuracy(shown) > 0.85


def test_mytorch_digits_with_loading_processes(run, digits):
    before = """
from types import SimpleNamespace
from norch.norchvision.datasets import MNIST
from tqdm import tqdm

args = SimpleNamespace(batch_size=64, lr=1e-3, epochs=6)  # a command line that is not shown
"""
    slips = [
        (r"self\.fc1 =", "super().__init__(); self.fc1 ="),  # PyTorch demands it
        (r'"../../data"', "None"),  # the data are found by $NORCH_DATA
        (r"\.astype\(cp\.float32\)", ".float()"),  # NumPy's word
        (r"mytorch\.Tensor\(labels\)", "norch.tensor(labels)"),  # Tensor makes floats
        (r"auto=False", ""),  # in norch a switch for all operations: norch.autograd.composite()
        (r"^        \.\.\.$", "        eval_loss.append(loss.item())"),  # left to the reader
    ]
    after = 'print(f"loss: {np.mean(eval_loss):.4f}, below that of guessing: 2.3026")\n' + ACCURACY
    shown = run(block("mytorch", 3), slips, before=before, after=after, data=digits)
    assert shown.count("Training Epoch") == 6
    assert losses(shown)[0] < 1.2 and accuracy(shown) > 0.6


PYNORCH_DIGITS = [
    (r"(?<=^epochs = )10", "4"),  # minutes
    (r"\[-1, 784, 1\]", "[784]"),  # samples are rows
    (r"loss\[0\]", "loss.item()"),  # a loss has no dimensions
]


def test_pynorch_digits(run, digits):
    slips = [*PYNORCH_DIGITS, (r'"cuda"', '"cpu"')]  # these tests need no GPU
    found = losses(run(block("pynorch", 4), slips, data=digits))
    assert len(found) == 4 and found[-1] < found[0]


def test_pynorch_digits_in_two_processes(run, digits):
    slips = [*PYNORCH_DIGITS, (r"(?<=device = )local_rank", '"cpu"')]  # no GPU
    shown = run(block("pynorch", 5), slips, launcher=LAUNCHER, data=digits)
    found = losses(shown)
    assert "Rank 0/2" in shown and "Rank 1/2" in shown
    assert len(found) == 4 and found[-1] < found[0]


@pytest.mark.parametrize("launcher", [(), LAUNCHER], ids=["alone", "two processes"])
def test_mytorch_accelerator(run, digits, launcher):
    before = """
import numpy as np
import norch as mytorch
from norch.norchvision.datasets import MNIST
from norch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

NUM_EPOCHS, train_loss = 1, []
test_digits = MNIST.splits()[1]
testloader = DataLoader(
    TensorDataset(test_digits.data.reshape(-1, 784).float() / 255, test_digits.targets), 64
)
"""
    slips = [
        (
            r"ReLU\(\)",
            "ReLU(); self.drop2, self.fc4 = nn.Dropout(0.1), nn.Linear(10, 10)",
        ),  # unmade
        (r'"../../data"', "None"),  # the data are found by $NORCH_DATA
        (r"mytorch\.Tensor\(labels\)", "norch.tensor(labels)"),  # Tensor makes floats
    ]
    after = """
model.eval()
right = 0
for images, labels in testloader:
    with norch.no_grad():
        right += accelerator.gather_for_metrics(model(images).argmax(1) == labels).sum().item()
accelerator.print(f"accuracy {right / len(test_digits):.4f}")
curve = norch.cat([loss.reshape(-1) for loss in train_loss])
accelerator.print(f"falls: {curve[-20:].mean().item() < curve[:20].mean().item() / 2}")
"""
    shown = run(
        block("mytorch", 6), slips, before=before, after=after, launcher=launcher, data=digits
    )
    assert shown.count("(fc2): Linear") == 1, "only the main process prints"
    assert "falls: True" in shown and accuracy(shown) > 0.8


# ---- The article ---------------------------------------------------------------------------------


def test_article_the_outline_is_no_program():
    lines = seeds.article()
    start = seeds.starts(lines, "import torch")[0]
    text = seeds.indent(seeds.until(lines, start, seeds.PROSE))
    assert "for x, y in ..." in text
    with pytest.raises(SyntaxError):
        compile(text, "outline", "exec")


def test_article_strides_views_and_memory(run):
    lines = seeds.article()
    start = seeds.starts(lines, "import torch")[1]
    text = seeds.indent(seeds.until(lines, start, re.compile("//")))
    slips = [
        (r"\.storage\(\)\.nbytes\(\)", ".nbytes"),  # norch has no storages
        (r"^(?!print)([\w.]+\(.*\))(?=\n#)", r"print(\1)"),  # a result that only a prompt shows
    ]
    assert run(text, slips).count("as printed") == 19


def test_article_sums(run):
    lines = seeds.article()
    here, there = seeds.starts(lines, "import norch")[:2]
    text = seeds.indent(seeds.until(lines, here, seeds.PROSE))
    assert run(text).count("as printed") == 1
    slips = [(r'"cuda"', "norch.device('cuda' if norch.cuda.is_available() else 'cpu')")]
    text = seeds.indent(seeds.until(lines, there, seeds.PROSE))
    assert "4., 4., 4." in run(text, slips, after="print(result)\n")


def test_article_gradients(run):
    lines = seeds.article()
    start = next(i for i, line in enumerate(lines) if line.startswith("x = torch.tensor"))
    text = "import torch\n" + seeds.indent(seeds.until(lines, start, seeds.PROSE))
    assert run(text).count("as printed") == 2


def test_article_training_prints_the_ten_losses(run):
    """Its layers draw their weights with Python's generator; examples/sin2.py has one like them."""
    lines = seeds.article()
    start = seeds.starts(lines, "import norch")[2]
    text = seeds.indent(seeds.until(lines, start, seeds.PROSE))
    before = f"import sys\nsys.path.insert(0, {str(ROOT / 'examples')!r})\nimport sin2\n"
    slips = [
        (r"nn\.Linear", "sin2.ColumnLinear"),  # the article's own layer, not PyTorch's
        (r'"cuda"', '"cpu"'),  # these tests need no GPU
        (r"loss\[0\]", "loss.item()"),  # a loss has no dimensions
    ]
    shown = run(text, slips, before=before)
    assert shown.count("as printed") == 1 and len(losses(shown)) == 10


# ---- The test's own rules ------------------------------------------------------------------------


def test_a_slip_that_is_gone_is_an_error():
    with pytest.raises(AssertionError, match="nothing is left of the slip"):
        seeds.mend("a = 1", [("b", "c")])


@pytest.mark.parametrize(
    ("line", "holds"),
    [("1.25", True), ("1.2499", False), ("2", False), ("1.25, 1", False), ("True", False)],
)
def test_a_result_that_differs_is_noticed(run, line, holds):
    program = f"print(1.25)\n# [{line}]\n"
    if holds:
        assert "as printed" in run(program)
    else:
        with pytest.raises(AssertionError):
            run(program)
