"""Sphinx configuration: furo, MyST notebooks, docstrings; built offline, warnings are errors."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE / "_extensions")]

import garden

project = "garden"
author = "The garden authors"
version = release = garden.__version__
copyright = "The garden authors, MIT licence"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "mathml",
]
exclude_patterns = ["_build", "**/.ipynb_checkpoints", "jupyter_execute"]
nitpicky = False
default_role = "code"

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
autodoc_inherit_docstrings = False
toc_object_entries_show_parents = "hide"
autosummary_generate = True
napoleon_numpy_docstring = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"garden {version}"
html_static_path = ["_static"]
html_css_files = ["garden.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5394", "color-brand-content": "#0b5394"},
    "dark_css_variables": {"color-brand-primary": "#8ec5ff", "color-brand-content": "#8ec5ff"},
    "navigation_with_keys": True,
}
copybutton_exclude = ".linenos, .gp, .go"


def keep_colons(_app, kind, _name, _object, _options, lines):
    """Napoleon takes what stands before a colon in a field's docstring for its type: it is none."""
    if kind in ("attribute", "property"):
        lines[:0] = ["..", ""]  # an empty comment, which has no colon


def keep_bars(_app, _kind, _name, _object, _options, lines):
    """A size such as |N(t)| in a docstring is no substitution of reStructuredText."""
    is_literal = False
    for number, line in enumerate(lines):
        if line.strip():
            is_literal = line.startswith(" ") and is_literal
            if not is_literal:
                lines[number] = BARS.sub(lambda found: found[1] or "\\|" + found[2] + "\\|", line)
            is_literal = is_literal or line.rstrip().endswith("::")


BARS = re.compile(r"(`+[^`]*`+)|\|(\S[^|`]*?)\|")  # what stands in back-ticks stays


def setup(app):
    """Read docstrings of fields as sentences, and bars as bars."""
    app.connect("autodoc-process-docstring", keep_colons, priority=400)
    app.connect("autodoc-process-docstring", keep_bars, priority=400)
