"""What only a published book needs, and what every copy says about itself.

`make book BOOK_URL=https://example.org/norch/` adds a sitemap, a page for addresses that do not
exist, and absolute addresses for search engines and previews. Without an address the book is
read from files: then nothing of this is made. The foot of every page names version and commit.
"""

import os
import re
import subprocess
import tomllib
from html import escape
from urllib.parse import urlsplit

from docutils import nodes
from norch_times import ROOT
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

PREVIEW = "_static/preview.png"
ENOUGH, SHOWN = 80, 200  # characters of a description
NO_PAGE = """<h1>No page here</h1>
<p>The book has no page at this address. It may have moved: the list of pages and the search
know where things are now, or <a href="{start}">start at the beginning</a>.</p>"""
ONLINE = ("sphinx_sitemap", "notfound.extension")


def address(text: str) -> str:
    """Return the address of the book with a slash at its end; nothing where there is none."""
    parts = urlsplit(text)
    if text and (parts.scheme not in ("http", "https") or not parts.netloc):
        raise ConfigError(f"[book] BOOK_URL is {text!r}; expected such as https://a.org/norch/")
    return f"{text.rstrip('/')}/" if text else ""


def made_from() -> str:
    """Name the version, and the commit where git knows it."""
    project = tomllib.loads((ROOT / "norch" / "pyproject.toml").read_text(encoding="utf-8"))
    asked = ["git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD"]
    try:
        found = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        found = ""
    return f"norch {project['project']['version']}" + (f", commit {found}" if found else "")


def opening(page: nodes.document) -> str:
    """Return the sentences that a page begins with: enough, and no more than is shown of them."""
    found = ""
    for one in page.findall(nodes.paragraph):
        if isinstance(one.parent, nodes.section) and len(found) < ENOUGH:
            for sentence in re.split(r"(?<=[.?!])\s+", " ".join(one.astext().split())):
                if len(found) + len(sentence) >= SHOWN:
                    return found.strip()
                found += f"{sentence} "
    return found.strip()


def describe(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    """Let a page describe itself by its first sentences."""
    words = escape(opening(doctree)) if doctree else ""
    if words:
        context["meta"] = {**(context["meta"] or {}), "og:description": words}
        context["metatags"] += f'<meta name="description" content="{words}" />\n'


def configure(app: Sphinx, config: Config) -> None:
    """Write the address into the settings of those who need it."""
    url = address(os.environ.get("BOOK_URL", ""))
    config.html_baseurl = config.ogp_site_url = url
    config.ogp_site_name = "norch"
    config.ogp_image = PREVIEW
    config.ogp_image_alt = "handwritten digits, and what a network of norch takes them for"
    config.ogp_social_cards = {"enable": False}
    config.html_theme_options = {**config.html_theme_options, "extra_footer": made_from()}
    if url:
        config.sitemap_url_scheme = "{link}"
        config.sitemap_excludes = ["404.html", "genindex.html", "search.html"]
        config.notfound_urls_prefix = urlsplit(url).path
        start = f"{urlsplit(url).path}{config.root_doc}.html"
        config.notfound_context = {"title": "No page here", "body": NO_PAGE.format(start=start)}


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.setup_extension("sphinxext.opengraph")
    for extension in ONLINE if address(os.environ.get("BOOK_URL", "")) else ():
        app.setup_extension(extension)
    app.connect("config-inited", configure, priority=100)
    app.connect("html-page-context", describe, priority=400)  # before opengraph
    return {"parallel_read_safe": True}
