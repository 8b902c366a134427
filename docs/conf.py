"""The documentation site. To build it into build/site, where any warning is an error:

    pip install -e '.[docs]'
    sphinx-build -W --keep-going docs build/site

It takes no network. The pages are plain Markdown, to be read on a code host as well.
"""

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parent / "extensions"))

import fixsync

project = "fixsync"
author = "the fixsync authors"
project_copyright = author
release = version = fixsync.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "header_reference",
    "repository_links",
]
exclude_patterns = ["extensions"]
smartquotes = False  # quotation marks belong to code more often than to prose
highlight_language = "none"
myst_heading_anchors = 3
myst_url_schemes = {"http": None, "https": None, "repository": None}  # the last is repository_links' own
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div:not(.highlight-text) > div.highlight > pre"

# Every type that a signature names is in the site, but for those of other packages. What stands in backquotes
# in a docstring is linked if it is a name of fixsync's, and code if not.
nitpicky = True
default_role = "py:obj"
nitpick_ignore_regex = [
    ("py:obj", r".*"),
    ("py:.*", r"(?!fixsync\b).*|fixsync\..*\._\w+"),
    ("c:identifier", r"u?int\d+_t"),
]
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"fixsync {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5fa5", "color-brand-content": "#0b5fa5"},
    "dark_css_variables": {"color-brand-primary": "#7cb8ff", "color-brand-content": "#7cb8ff"},
}


def _list_the_rest(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Adds the pages that index.md does not list to the end of its last list: none can be forgotten."""
    if docname == "index":
        listed = set(re.findall(r"^[\w-]+$", source[0], re.MULTILINE))
        pages = {path.stem for path in Path(__file__).parent.glob("*.md")} - {"index"}
        rest = "".join(f"{page}\n" for page in sorted(pages - listed))
        source[0] = re.sub(r"^```\s*\Z", lambda end: rest + end[0], source[0], flags=re.MULTILINE)


def setup(app: Sphinx) -> None:
    app.connect("source-read", _list_the_rest)
