"""Train examples/mnist.py in the page, with the reader's answers in the library; then read digits.

The page calls `train` once, in a Python that has imported nothing of norch's library yet, and
`read` for every drawing after it. On the way the page is told kinds of news, each with a JSON text.
Nothing here knows an element of the page, nor computes what the example computes.
"""

import functools
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from norch_course import lines, mine
from norch_course.catalog import Course, load
from norch_course.holes import find_hole
from norch_course.start import put_in_front
from norch_course.workbook import Answer

ROOT = Path(__file__).resolve().parents[1] if __file__.startswith("/norch/") else Path("/norch")
DATA = ROOT / "build" / "book" / "mnist"  # the pack `mnist` brings its four files
OFTEN = 0.1  # seconds between two news of the loss
Tell = Callable[[str, str], None]  # what kind of news, and its JSON
trained: dict[str, Any] = {}  # the network that `read` asks


class Told(io.TextIOBase):
    """A standard output whose lines the page is told."""

    def __init__(self, tell: Tell) -> None:
        self.tell, self.rest = tell, ""

    def write(self, text: str) -> int:
        """Tell the lines that are whole."""
        *whole, self.rest = (self.rest + text).split("\n")
        for line in whole:
            self.tell("line", json.dumps(line))
        return len(text)


class Bar:
    """What mnist.py takes for a tqdm: it tells the mean loss of the epoch so far."""

    def __init__(self, tell: Tell, total: int, desc: str, **_: object) -> None:
        self.tell, self.total, self.title = tell, total, desc
        self.seen, self.last, self.postfix = 0, 0.0, {"loss": "", "acc": ""}

    def set_postfix(self, loss: str, acc: str, refresh: bool) -> None:
        """Take what stands behind the bar."""
        self.postfix = {"loss": loss, "acc": acc}

    def update(self, count: int) -> None:
        """Count images; tell it some times a second."""
        self.seen += count
        if time.perf_counter() - self.last > OFTEN or self.seen == self.total:
            self.last = time.perf_counter()
            news = {"title": self.title, "seen": self.seen, "total": self.total}
            self.tell("loss", json.dumps({**news, "loss": float(self.postfix["loss"])}))

    def close(self) -> None:
        """Leave nothing behind."""


def usable(course: Course, answers: dict[str, str]) -> dict[str, Answer]:
    """Return the answers that a page can put into the library: those in Python."""
    found = {}
    for exercise in course.exercises:
        if exercise.id in answers and exercise.suffix == ".py":
            text = exercise.reference
            hole = find_hole(text, exercise.suffix, exercise.id)
            found[exercise.id] = Answer(hole._replace(body=answers[exercise.id]), False, None)
    return found


def use(answers: dict[str, str], tell: Tell) -> lines.Watch:
    """Put answers in front of the library's own lines, as `make mnist MINE=1` does."""
    watch = lines.Watch()
    if answers:
        course = load(ROOT)
        found = usable(course, answers)
        folder = mine.build(course, found)
        for name in [one for one in sys.modules if is_library(one)]:
            del sys.modules[name]  # stage 1 may be there already, without the answers
        put_in_front(folder, mine.packages(folder), watch)
        titles = {id: course.find(id).title for id in found}
        left = [id for id in answers if id not in found]
        tell("answers", json.dumps({"used": titles, "left": left}))
    return watch


def is_library(module: str) -> bool:
    """Say whether a module is the library's, which an answer may change."""
    top = module.partition(".")[0]
    return top.startswith("norch") and top != "norch_course"


def ran(watch: lines.Watch) -> dict[str, list[int]]:
    """Return for each answer how many of its lines ran, and how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[lines.NOTES] = folder
        watch.leave()
        return {id: [len(one) for one in both] for id, both in lines.read(Path(folder)).items()}


def arguments(mnist: Any, given: dict[str, Any]) -> Any:
    """Return the example's options: its defaults, but for what the reader chose."""
    out = tempfile.mkdtemp()
    words = ["--model", given["model"], "--epochs", str(given["epochs"]), "--out", out]
    sys.argv = ["mnist.py", *words]
    return mnist.parse_arguments()


def data(datasets: Any, most: int) -> tuple[Any, Any]:
    """Return MNIST, or the digits that norch carries; of either the first ones where that is asked."""
    parts = datasets.MNIST.splits(DATA if DATA.is_dir() else None, download=False)
    for part in parts if most else ():
        part.data, part.targets = part.data[:most], part.targets[:most]
    return parts


def train(given: dict[str, Any], tell: Tell) -> str:
    """Train as the example does; return as JSON what came of it.

    `given` has model, epochs, answers ({id: body}) and images (the most to take, 0 for all).
    """
    watch = use(given["answers"], tell)
    sys.path[:0] = [str(ROOT / folder) for folder in ("examples", "book")]
    import mnist
    from figures import front
    from lessons import digits

    import norch

    mnist.tqdm = functools.partial(Bar, tell)
    with redirect_stdout(Told(tell)), redirect_stderr(Told(tell)):
        parser, args = arguments(mnist, given)
        norch.set_num_threads(1)
        norch.manual_seed(args.seed)
        model = mnist.MODELS[args.model]()
        train_data, test_data = data(mnist.datasets, given["images"])
        counts = {"images": len(train_data), "tests": len(test_data)}
        tell("data", json.dumps({**counts, "mnist": train_data.source != "embedded"}))
        history, accuracy = mnist.learn(model, train_data, test_data, args, parser)
    trained["model"], trained["normalized"] = model, mnist.normalized
    shown = front.digits(digits.shown(model, test_data))._repr_html_()
    found = {"history": history, "accuracy": accuracy, "digits": shown, "ran": ran(watch)}
    return json.dumps(found)


def read(given: dict[str, Any], tell: Tell) -> str:
    """Return the ten scores of one image, 784 bytes, as JSON."""
    import norch

    image = norch.tensor(list(given["pixels"]), dtype=norch.uint8).reshape(1, 28, 28)
    trained["model"].eval()
    with norch.no_grad():
        return json.dumps(trained["model"](trained["normalized"](image))[0].tolist())
