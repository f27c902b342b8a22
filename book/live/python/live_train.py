"""Train examples/mnist.py in the page, with the reader's answers in the library; then read digits.

The page calls `train` once, in a Python that has imported nothing of norch's library yet, and
`read` for every drawing after it: JSON in, JSON out, and on the way news, a kind and its JSON each.
Nothing here knows an element of the page, and the example computes all that is told.
"""

import functools
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from norch_course import lines, mine
from norch_course.catalog import Course, load
from norch_course.holes import find_hole
from norch_course.start import put_in_front
from norch_course.workbook import Answer

ROOT = Path("/norch")
DATA = ROOT / "build" / "book" / "mnist"  # where the pack `mnist` brings its four files
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
    for id, one in course.exercises.items():
        if id in answers and one.suffix == ".py":
            hole = find_hole(one.reference, one.suffix, id)
            found[id] = Answer(hole._replace(body=answers[id]), False, None)
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


def ran(watch: lines.Watch, answers: Iterable[str]) -> dict[str, list[int]]:
    """Return for each answer how many of its lines ran, and how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[lines.NOTES] = folder
        watch.leave()
        found = lines.read(Path(folder))  # of all holes in these packages, the reader's and others
    return {id: [len(one) for one in found[id]] for id in answers if id in found}


def arguments(mnist: Any, given: dict[str, Any]) -> Any:
    """Return the example's options: its defaults, but for what the reader chose."""
    out = tempfile.mkdtemp()
    words = ["--model", given["model"], "--epochs", str(given["epochs"]), "--out", out]
    sys.argv = ["mnist.py", *words]
    return mnist.parse_arguments()


def data(datasets: Any, most: int) -> tuple[Any, Any]:
    """Return MNIST, or the digits that norch carries; of either at most so many."""
    parts = datasets.MNIST.splits(DATA if DATA.is_dir() else None, download=False)
    for part in parts if most else ():
        part.data, part.targets = part.data[:most], part.targets[:most]
    return parts


def train(given: str, tell: Tell) -> str:
    """Train as the example does; return what came of it.

    `given` has model, epochs, answers ({id: body}) and images (the most to take, 0 for all).
    """
    chosen = json.loads(given)
    watch = use(chosen["answers"], tell)
    sys.path[:0] = [str(ROOT / folder) for folder in ("examples", "book")]
    import mnist  # not before the answers are in front
    from figures import front
    from lessons import digits

    mnist.tqdm = functools.partial(Bar, tell)
    with redirect_stdout(Told(tell)), redirect_stderr(Told(tell)):
        parser, args = arguments(mnist, chosen)
        mnist.norch.set_num_threads(1)
        mnist.norch.manual_seed(args.seed)
        model = mnist.MODELS[args.model]()
        train_data, test_data = data(mnist.datasets, chosen["images"])
        counts = {"images": len(train_data), "tests": len(test_data)}
        tell("data", json.dumps({**counts, "mnist": train_data.source != "embedded"}))
        history, accuracy = mnist.learn(model, train_data, test_data, args, parser)
    trained["model"], trained["example"] = model, mnist
    shown = front.digits(digits.shown(model, test_data))._repr_html_()
    return json.dumps(
        {
            "history": history,
            "accuracy": accuracy,
            "digits": shown,
            "ran": ran(watch, chosen["answers"]),
        }
    )


def read(given: str, tell: Tell) -> str:
    """Return the ten scores of one image, a list of 784 bytes."""
    mnist = trained["example"]
    image = mnist.norch.tensor(json.loads(given), dtype=mnist.norch.uint8).reshape(1, 28, 28)
    trained["model"].eval()
    with mnist.norch.no_grad():
        return json.dumps(trained["model"](mnist.normalized(image))[0].tolist())
