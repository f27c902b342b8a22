"""Mathematics as MathML, which every browser sets by itself: no script, no fonts, no network.

A formula that cannot be written so stops the build, since warnings are errors.
"""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

LOG = logging.getLogger(__name__)


def mathml(node: nodes.Element, display: str) -> str:
    """Return a formula as MathML."""
    try:
        return convert(node.astext(), display=display)
    except Exception as wrong:  # the library has an error of its own for each kind of mistake
        LOG.warning("[book] formula %r: %s", node.astext(), wrong, location=node)
        return f"<code>{node.astext()}</code>"


def inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula in a line."""
    self.body.append(f'<span class="math">{mathml(node, "inline")}</span>')
    raise nodes.SkipNode


def block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula that stands alone."""
    self.body.append(f'<div class="math">{mathml(node, "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True}
