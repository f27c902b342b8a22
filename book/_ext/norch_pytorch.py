"""The page of PyTorch's documentation that tells of a name which norch has, too.

The reference links to it. Which name is told of where stands in pytorch_pages.toml; norch's own
names have no page there. Nothing is fetched and nothing of PyTorch is imported.
"""

import tomllib
from pathlib import Path

LIST = Path(__file__).with_name("pytorch_pages.toml")
PAGES = tomllib.loads(LIST.read_text(encoding="utf-8"))
OWN_PAGES, FUNCTIONAL = (PAGES[one].split() for one in ("own_pages", "functional"))
SILENT = {module: names.split() for module, names in PAGES["silent"].items()}


def page(module: str, name: str) -> str | None:
    """Return the address of what PyTorch tells of a name of norch; None where it tells nothing."""
    if name in SILENT.get(module, []):
        return None
    if module.startswith("norchvision"):
        folder = "models/generated" if module == "norchvision.models" else "generated"
        theirs = f"torchvision{module.removeprefix('norchvision')}.{name}"
        return f"{PAGES['vision']}{folder}/{theirs}.html"
    if f"{module}.{name}" in PAGES["elsewhere"]:
        return PAGES["pytorch"] + PAGES["elsewhere"][f"{module}.{name}"]
    if module == "norch" and name in FUNCTIONAL:
        module = "norch.nn.functional"
    theirs = f"torch{module.removeprefix('norch')}.{name}"
    if module in PAGES["one_page"]:
        return f"{PAGES['pytorch']}{PAGES['one_page'][module]}.html#{theirs}"
    return f"{PAGES['pytorch']}generated/{theirs}.html" if module in OWN_PAGES else None


def their_name(address: str, name: str) -> str:
    """Return what an address tells of, `torch.nn.Conv2d`; a section of a page tells of `name`."""
    found = address.partition("#")[2] or address.rpartition("/")[2].removesuffix(".html")
    return found if found.startswith("torch") else f"torch {name}"
