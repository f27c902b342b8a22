"""Mathematics as MathML, which current browsers set: no script, no fonts, no network.

A formula that cannot be written so, wholly or in a part, is a warning; `make book` stops at one.
"""

from html import escape

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

LOG = logging.getLogger(__name__)


def mathml(node: nodes.Element, display: str) -> str:
    """Return a formula as MathML."""
    formula = node.astext()
    if node.get("label"):
        LOG.warning("[book] formula %r: its number is not shown", formula, location=node)
    try:
        found = convert(formula, display=display)
    except Exception as wrong:  # the library has an error of its own for each kind of mistake
        LOG.warning("[book] formula %r: %s", formula, wrong, location=node)
        return f"<code>{escape(formula)}</code>"
    if "\\" in found:  # a command that the library does not know stays as it was typed
        LOG.warning("[book] formula %r: a command is not known", formula, location=node)
    return found


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
