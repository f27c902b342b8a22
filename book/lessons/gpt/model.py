"""The trained GPT: the classes are those that chapter 7 shows, the numbers those of a file.

Called by train.py, which writes the file, by chapter 7 and by the tests. A file holds each table
of weights as whole numbers of 8 bits with a scale a row, what is not a table as it is, and the
letters; the page reads the same file. Nothing is trained here.
"""

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import norch
from norch import nn
from norch_autograd.more.nn.quantized import quantize_rows
from norch_nn.serialization.safetensors import from_file_content, to_file_content

HERE = Path(__file__).resolve().parent
WEIGHTS = HERE / "weights.safetensors"
CHAPTER = HERE.parents[1] / "chapters" / "07_attention.ipynb"
CLASSES = ("class Attention(", "class Block(", "class GPT(")
CONTEXT, WIDTH, LAYERS, HEADS = 64, 80, 3, 4
SCALE = ".scale"


def chapter() -> dict:
    """Run the chapter's cells that define a GPT; return what they define."""
    names = {"norch": norch, "nn": nn, "F": nn.functional}
    for cell in json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and source.startswith(CLASSES):
            with redirect_stdout(StringIO()):
                exec(source, names)
    return names


def untrained(letters: str) -> nn.Module:
    """Return the chapter's GPT in the size of the file."""
    return chapter()["GPT"](len(letters), CONTEXT, WIDTH, LAYERS, HEADS)


def save(model: nn.Module, path: Path, **told: str) -> None:
    """Write the weights, rounded, with some words: the letters among them."""
    told["heads"] = str(HEADS)
    tensors = {}
    for name, tensor in model.state_dict().items():
        if tensor.ndim == 2:
            tensors[name], tensors[name + SCALE] = quantize_rows(tensor)
        else:
            tensors[name] = tensor
    path.write_bytes(to_file_content(tensors, told))


class Trained(NamedTuple):
    """A model, the letters it knows, and what was told of it when it was saved."""

    model: nn.Module
    letters: str
    told: dict[str, str]

    def encode(self, text: str) -> norch.Tensor:
        """Return the numbers of some letters: (1, time)."""
        return norch.tensor([[self.letters.index(letter) for letter in text]])


def load(path: Path = WEIGHTS) -> Trained:
    """Return the trained GPT."""
    tensors, told = from_file_content(path.read_bytes())
    state = {name: tensor for name, tensor in tensors.items() if not name.endswith(SCALE)}
    for name, tensor in state.items():
        if name + SCALE in tensors:
            state[name] = tensor.float() * tensors[name + SCALE][:, None]
    model = untrained(told["letters"])
    model.load_state_dict(state)
    return Trained(model.eval(), told["letters"], told)
