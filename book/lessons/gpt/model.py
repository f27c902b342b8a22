"""The trained GPT: the classes are those that chapter 7 shows, the numbers those of a file.

Called by train.py, which writes the file, by chapter 7 and by the tests. A file holds each table
of weights as whole numbers of 8 bits with a scale a row, what is not a table as it is, and the
letters; the page reads the same file. Nothing is trained here.
"""

import ast
import json
from pathlib import Path
from typing import NamedTuple

import norch
from norch import nn
from norch_autograd.more.nn.quantized import quantize_rows
from norch_nn.serialization.safetensors import deserialize, serialize

HERE = Path(__file__).resolve().parent
WEIGHTS = HERE / "weights.safetensors"
CHAPTER = HERE.parents[1] / "chapters" / "07_attention.ipynb"
CLASSES = ("class Attention(", "class Block(", "class GPT(")  # how the cells of them begin
CONTEXT, WIDTH, LAYERS, HEADS = 64, 80, 3, 4
SCALE = ".scale"


def classes() -> dict:
    """Run the classes of the chapter's cells that define a GPT, and nothing else of these cells."""
    names = {"norch": norch, "nn": nn, "F": nn.functional}
    for cell in json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and source.startswith(CLASSES):
            kept = [one for one in ast.parse(source).body if isinstance(one, ast.ClassDef)]
            exec(compile(ast.Module(kept, []), str(CHAPTER), "exec"), names)
    return names


def untrained(letters: str) -> nn.Module:
    """Return the chapter's GPT in the size of the file."""
    return classes()["GPT"](len(letters), CONTEXT, WIDTH, LAYERS, HEADS)


def save(model: nn.Module, path: Path, **told: str) -> None:
    """Write the weights, rounded, with some words: the letters among them."""
    told["heads"] = str(HEADS)
    tensors = {}
    for name, tensor in model.state_dict().items():
        if tensor.ndim == 2:
            tensors[name], tensors[name + SCALE] = quantize_rows(tensor)
        else:
            tensors[name] = tensor
    with path.open("wb") as file:
        file.writelines(serialize(tensors, told))


class Trained(NamedTuple):
    """A model, the letters it knows, and what was told of it when it was saved."""

    model: nn.Module
    letters: str
    told: dict[str, str]

    def encode(self, text: str) -> norch.Tensor:
        """Return the numbers of some letters: (1, time)."""
        return norch.tensor([[self.letters.index(letter) for letter in text]])


def load(path: Path = WEIGHTS) -> Trained:
    """Return the trained GPT; the reader's random numbers stay where they were."""
    with path.open("rb") as file:
        tensors, told = deserialize(file)
    state = {name: tensor for name, tensor in tensors.items() if not name.endswith(SCALE)}
    for name, tensor in state.items():
        if name + SCALE in tensors:
            state[name] = tensor.float() * tensors[name + SCALE][:, None]
    with norch.random.fork_rng():  # a model begins with random weights, and these are replaced
        model = untrained(told["letters"])
    model.load_state_dict(state)
    return Trained(model.eval(), told["letters"], told)
