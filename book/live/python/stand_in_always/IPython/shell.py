"""The one notebook of a page: the commands that its cells registered."""

from collections.abc import Callable

Magic = Callable[[str, str], object]


class Shell:
    """What `get_ipython` returns."""

    def __init__(self) -> None:
        self.magics: dict[str, Magic] = {}

    def register_magic_function(
        self, function: Magic, kind: str = "cell", name: str | None = None
    ) -> None:
        """Call a function for a cell that begins with `%%` and its name."""
        if kind != "cell":
            raise NotImplementedError(f"a page has commands for whole cells only, not of {kind!r}")
        self.magics[name or function.__name__] = function

    def run_cell_magic(self, name: str, line: str, cell: str) -> object:
        """Give a cell's text to the function of its command."""
        if name not in self.magics:
            raise NameError(f"this page has no command %%{name}")
        return self.magics[name](line, cell)


shell = Shell()


def get_ipython() -> Shell:
    """Return the notebook."""
    return shell
