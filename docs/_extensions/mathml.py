"""Formulas as MathML, which browsers draw themselves: pages need no script from elsewhere."""

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

_LOG = logging.getLogger(__name__)


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, with its number where it has one."""
    translator.body.append(translator.starttag(node, "div", CLASS="formula"))
    translator.body.append(_mathml(node, as_block=True))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({node["number"]})</span>')
    translator.body.append("</div>")
    raise nodes.SkipNode


def _mathml(node: nodes.Element, as_block: bool) -> str:
    """The formula as MathML, or as it is written, with a warning."""
    text = node.astext().strip()
    try:
        return str(tex2mathml(text, as_block=as_block))
    except MathError as error:
        _LOG.warning("a formula cannot be drawn: %s", error, location=node)
        return f"<code>{text}</code>"


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the renderer known to Sphinx."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
