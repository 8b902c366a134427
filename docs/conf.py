"""The documentation site. To build it into build/site, with warnings as errors:

    pip install -e '.[docs]'
    sphinx-build -W --keep-going docs build/site

The build needs no network. The pages are plain Markdown, readable on a code host too.
"""

import re
import sys
from pathlib import Path

from pygments.lexers import GDScriptLexer
from pygments.token import Name
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent / "extensions"))

from repository_links import source_of

import fixsync
from bindings import api, names

project = "fixsync"
author = "the fixsync authors"
project_copyright = author
release = version = fixsync.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.linkcode",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "command_help",
    "data_docstrings",
    "header_reference",
    "python_reference",
    "repository_links",
]
exclude_patterns = ["extensions"]
smartquotes = False  # most quotation marks are in code
highlight_language = "none"
myst_heading_anchors = 3
myst_url_schemes = {
    "http": None,
    "https": None,
    "repository": None,
}  # repository is for repository_links
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div:not(.highlight-text) > div.highlight > pre"

linkcode_resolve = source_of

# Every name in the C reference must resolve. In the Python reference, types of other packages and
# other text in backquotes need not.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r".*"), ("c:identifier", r"u?int\d+_t")]
default_role = "py:obj"
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autoclass_content = "both"
autodoc_type_aliases = {"Shape": "fixsync.Shape"}
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"fixsync {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_search_summary = False  # a page opened from a file cannot fetch others
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5fa5", "color-brand-content": "#0b5fa5"},
    "dark_css_variables": {"color-brand-primary": "#7cb8ff", "color-brand-content": "#7cb8ff"},
}


def _add_missing_pages(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Adds the pages that index.md does not name to its last list."""
    if docname == "index":
        listed = set(re.findall(r"^[\w-]+$", source[0], re.MULTILINE))
        pages = {path.stem for path in Path(__file__).parent.glob("*.md")}
        rest = "".join(f"{page}\n" for page in sorted(pages - listed - {"index"}))
        before, mark, after = source[0].rpartition(":hidden:\n\n")
        source[0] = before + mark + rest + after


def _add_names(app: Sphinx, docname: str, source: list[str]) -> None:
    """Adds the tables of names to names.md."""
    if docname == "names":
        app.env.note_reread()
        source[0] += names.page(names.read_names(api.read()))


class _Godot4Lexer(GDScriptLexer):
    """GDScript with annotations, which Pygments does not know: `@export`."""

    tokens = GDScriptLexer.tokens | {
        "root": [(r"@\w+", Name.Decorator), *GDScriptLexer.tokens["root"]]
    }


def setup(app: Sphinx) -> None:
    app.add_lexer("gdscript", _Godot4Lexer)
    app.connect("source-read", _add_missing_pages)
    app.connect("source-read", _add_names)
