"""The weights of the small GPT of chapter 7, as a script beside the pages of the built book.

A page opened as a file may load scripts alone, so the committed file travels in one, in base64;
`_static/gpt_heads.js` asks for it when a reader does. Nothing is computed here, and no page that
is only read loads it.
"""

from base64 import b64encode
from pathlib import Path

from sphinx.application import Sphinx

WEIGHTS = Path(__file__).resolve().parents[1] / "lessons" / "gpt" / "weights.safetensors"
SCRIPT = "gpt_weights.js"


def script() -> str:
    """Return the weights as a script."""
    return f'window.norchGPTWeights = "{b64encode(WEIGHTS.read_bytes()).decode()}";\n'


def write_script(app: Sphinx, failure: Exception | None) -> None:
    """Put the script beside those of the pages."""
    if not failure and app.builder.format == "html":
        (Path(app.outdir) / "_static" / SCRIPT).write_text(script(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.connect("build-finished", write_script)
    return {"parallel_read_safe": True}
