"""Ranks in a page of chapter 6: Pythons in workers that send each other messages, from a file.

What the cells print must be what processes under MPI printed, which the notebooks hold. The pages
are opened as a double click opens them, and nothing comes from elsewhere.
"""

import json
import time
from pathlib import Path

import pytest
from lessons import processes
from live_page import NEEDED, PAGE, Live, nothing_outside
from notebooks import IGNORED, cells, expected, happened

CHAPTERS = PAGE.parent
MESSAGES = (Path(__file__).parent / "rank_messages.py").read_text(encoding="utf-8")
TEACH = cells("chapters/06_ddp")[0].code  # the command %%ranks
LONGEST = 400  # seconds; ends only a hang, after the limit of ranks
PARTS = ["06_ddp"]
PARTS += [pytest.param(one, marks=pytest.mark.slow) for one in ("06_fsdp", "06_parallel")]
FIRST = 6  # the first cell of 06_ddp that begins with it
TRAINED = """%%ranks {ranks}
import norch
import norch.distributed as dist
from norch import nn

dist.init_process_group()
norch.manual_seed(dist.get_rank())
x, y = (norch.arange(32.0).reshape(16, 2) * 7 % 5 - 2), norch.arange(16.0).reshape(16, 1) % 3
model = nn.parallel.DistributedDataParallel(
    nn.Sequential(nn.Linear(2, 300), nn.Tanh(), nn.Linear(300, 1))
)
optimizer = norch.optim.SGD(model.parameters(), lr=0.01)
mine = slice(dist.get_rank(), None, dist.get_world_size())
for _ in range(5):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x[mine]), y[mine]).backward()
    optimizer.step()
for p in model.parameters():
    print(f"rank {{dist.get_rank()}}: {{p.detach().flatten()[:4].tolist()}}")
"""
# Which ranks were told to begin, and which Pythons were ended.
COUNTED = """
window.started = new Set();
window.ended = new Set();
const { postMessage, terminate } = Worker.prototype;
Worker.prototype.postMessage = function (message, more) {
  if (message.do === "rank") started.add(this);
  postMessage.call(this, message, more);
};
Worker.prototype.terminate = function () {
  ended.add(this);
  terminate.call(this);
};
0"""
WITHOUT_WAITING = """
window.Blob = class extends Blob {
  constructor(parts, given) {
    const isWorker = given?.type === "text/javascript";
    super(isWorker ? ["delete WebAssembly.Suspending;", ...parts] : parts, given);
  }
};
0"""
pytestmark = NEEDED


class Kernel:
    """The Python of a page's cells, asked without its buttons."""

    def __init__(self, page, chapter, needs="norchLive.needs"):
        self.page = page
        page.show(CHAPTERS / f"{chapter}.html")
        start = f"norchLive.python(() => {{}}, {needs})"
        self.wait(f"{start}.then((one) => {{ window.kernel = one; return {{}}; }})")
        self.chapter = chapter

    def wait(self, promise):
        """Return what a promise brings; a browser's own limit for one answer is shorter."""
        self.page.run(
            f"window.told = null; {promise}.then((value) => {{ window.told = value; }}, "
            "(error) => { window.told = { error: error.message }; }); 0"
        )
        until = time.monotonic() + LONGEST
        while (told := self.page.run("window.told")) is None:
            assert time.monotonic() < until, "no answer"
            time.sleep(0.05)
        return told

    def run(self, code, number=1):
        """Run a cell; return what it told on its way, and what it found."""
        asked = {"do": "cell", "code": code, "name": f"<cell {number}>"}
        asked["page"] = f"chapters/{self.chapter}"
        told = self.wait(
            "(async () => { const shown = []; const hear = (one) => { shown.push(one); }; "
            f"const found = await kernel.ask({json.dumps(asked)}, hear); "
            "return { shown, found }; })()"
        )
        return told["shown"], told["found"]

    def printed(self, code):
        """Run a cell that raises nothing; return its lines."""
        shown, found = self.run(code)
        assert "error" not in found, found["error"]
        return "".join(one["line"] + one["end"] for one in shown).splitlines()


@pytest.fixture(scope="module")
def kernel(browser):
    """Return a Python that knows the command."""
    with browser.page() as page:
        one = Kernel(page, "06_ddp")
        one.printed(TEACH)
        yield one


@pytest.mark.long
@pytest.mark.parametrize("chapter", PARTS)
def test_cells_print_what_processes_printed(tab, chapter):
    kernel = Kernel(tab, chapter)
    for cell in cells(f"chapters/{chapter}"):
        shown, found = kernel.run(cell.code, cell.number)
        assert "error" not in found, (cell.number, found["error"])
        if not IGNORED & cell.tags:
            assert happened(shown, found) == expected(cell), cell.number
    nothing_outside(tab)


def test_two_and_four_ranks_train_as_one_process(kernel):
    alone = [
        json.loads(line.partition(": ")[2]) for line in kernel.printed(TRAINED.format(ranks=1))
    ]
    for ranks in (2, 4):
        lines = kernel.printed(TRAINED.format(ranks=ranks))
        assert len(lines) == ranks * len(alone)
        for line, right in zip(lines, alone * ranks, strict=True):
            assert json.loads(line.partition(": ")[2]) == pytest.approx(right, abs=1e-6), line


@pytest.mark.long
def test_every_message_arrives_as_between_processes(kernel):
    lines = processes.by_rank(processes.start("3", MESSAGES))
    assert kernel.printed(f"%%ranks 3\n{MESSAGES}") == lines


def test_a_rank_that_fails_ends_all_and_says_why(kernel):
    begin = "%%ranks 2\nimport norch.distributed as dist\ndist.init_process_group()\n"
    fails = "if dist.get_rank() == 1:\n    raise ValueError('so')\n"
    _, found = kernel.run(f"{begin}{fails}dist.barrier()")
    assert "rank 1 of 2 failed" in found["error"] and "ValueError: so" in found["error"]
    assert "line 4" in found["error"]
    _, found = kernel.run("%%ranks 2\nexit('enough')")
    assert "SystemExit: enough" in found["error"]
    _, found = kernel.run("%%ranks 9\nprint()")
    assert "room for 1 to 8 ranks" in found["error"]
    assert kernel.printed("%%ranks 2\nimport os\nprint('rank', os.environ['RANK'])") == [
        "rank 0",
        "rank 1",
    ]


def test_ranks_have_what_the_page_has_that_asks(page):
    """A page in a frame asks the page below it, which may need less for its own cells."""
    kernel = Kernel(page, "01_strides", '["course", "tensors", "library", "book"]')
    kernel.printed(TEACH)
    assert kernel.printed(cells("chapters/06_ddp")[FIRST - 1].code)[-1] == "rank 2: we are 3"


def test_stop_ends_all_ranks(tab):
    live = Live(tab, path=CHAPTERS / "06_ddp.html")
    tab.run(COUNTED)
    assert live.run_cell(FIRST).splitlines() == [f"rank {rank}: we are 3" for rank in range(3)]
    live.wait("started.size === 3 && ended.size === 3")
    live.click(f"Edit cell {FIRST}")
    live.write(f"Code of cell {FIRST}", "%%ranks 2\nwhile True:\n    pass")
    live.click(f"Run cell {FIRST}")
    live.wait("started.size === 5")
    live.click(f"Stop cell {FIRST}")
    live.is_idle()
    live.wait("ended.size === 6")  # the cells' own Python too
    live.click(f"Reset cell {FIRST}")
    assert live.run_cell(FIRST).startswith("rank 0: we are 3")
    nothing_outside(tab)


def test_a_browser_that_cannot_wait_shows_what_is_stored(tab):
    live = Live(tab, path=CHAPTERS / "06_ddp.html")
    tab.run(WITHOUT_WAITING)
    first, *lines = filter(None, live.run_cell(FIRST).splitlines())
    assert first.startswith("Ranks in a page need")
    assert lines == [f"rank {rank}: we are 3" for rank in range(3)]
    live.click(f"Edit cell {FIRST}")
    live.write(f"Code of cell {FIRST}", "%%ranks 2\nprint('rank 0')")
    assert live.run_cell(FIRST).startswith("RuntimeError: Ranks in a page need")
