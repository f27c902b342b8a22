"""Makes the built pages light: each is left with what it shows, nothing of what only others show.

When all pages are written, the theme's icon font becomes inline drawings (`norch_icons.py`),
scripts go from pages that have nothing for them, rules that no page can meet from the style sheets
(`norch_sheets.py`), and what drawings repeat is written once. What a reader sees stays as it was.
"""

import re
import shutil
from collections import Counter
from pathlib import Path

import norch_icons
import norch_sheets
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

# What must stand in a page for a script of the theme to have anything to do there.
NEEDED = {
    "design-tabs": r'class="sd-tab-set',
    "togglebutton": r'class="(?:(?:[^"]* )?toggle[ "]|'
    r'(?=[^"]*\badmonition\b)(?=(?:[^"]* )?dropdown[ "]))',
    "clipboard.min": r'class="highlight',
    "copybutton": r'class="highlight',
    "all.min": "$.",  # the icon font's: `norch_icons` draws
    "sphinx-thebe": "$.",  # Thebe runs cells on a server: nowhere here
    "bootstrap": "$.",  # opens a menu of two entries (`one_download` needs none), follows scrolling
}
OURS = re.compile(r'(?:customElements\.define\("|document\.querySelectorAll\("\.)([\w-]+)')
# Pages that borrow from another page's script: a name of the library opens where it is linked to.
LENDERS = {"digit_reader": "network-trainer", "library": "library"}
LENT = {"controls": "norchControls", "gpt": "norchGPT"}  # scripts that others use: with these
EVERYWHERE = {  # what every page has something for, and what only its own page asks for
    *("documentation_options", "doctools", "sphinx_highlight", "print", "scrolled", "here"),
    *("sphinx-book-theme", "pydata-sphinx-theme"),
    *("search", "search_index", "digit_network", "steps"),
}
OFTEN = 4  # a style that a page has as often as this is written once
SCRIPT = 100_000  # bytes; what is larger is a pack of a page that runs
GONE = ("vendor/fontawesome", "locales")  # of `_static`: nothing asks for them now


def wanted(static: Path) -> dict[str, str]:
    """Return for each script what must stand in a page that loads it."""
    found = dict(NEEDED)
    for script in static.glob("*.js"):
        marks = OURS.findall(script.read_text(encoding="utf-8"))
        if marks and script.stem not in NEEDED:
            marks.append(LENDERS.get(script.stem, marks[0]))
            found[script.stem] = "|".join(rf'<{one}\b|class="[^"]*\b{one}\b' for one in marks)
    for lent, name in LENT.items():
        uses = re.compile(rf"\b{name}\b")
        users = [one.stem for one in static.glob("*.js") if uses.search(one.read_text("utf-8"))]
        found[lent] = "|".join(found[one] for one in users if one != lent)
    return found


def without_idle_scripts(text: str, needs: dict[str, str]) -> str:
    """Leave out scripts that find nothing in this page, and what they would be told."""

    def kept(found: re.Match[str]) -> str:
        stem = Path(found["src"].partition("?")[0]).name.removesuffix(".js")
        is_placed = stem in EVERYWHERE or "_static/live/" in found["src"]  # where it is needed
        if stem not in needs and not is_placed:
            raise ExtensionError(f"[book] norch_light does not know which pages need {stem}.js")
        return found[0] if is_placed or re.search(needs[stem], text) else ""

    text = re.sub(r'<script\b[^>]*\bsrc="(?P<src>[^"]+)"[^>]*></script>\s*', kept, text)
    if not re.search(needs["togglebutton"], text):
        text = re.sub(r"<script>(?:let toggle|var togglebutton)[^<]*</script>\s*", "", text)
    idle = r'<link\b[^>]*(?:fontawesome|sphinx-thebe|bootstrap\.js|as="font")[^>]*>\s*'
    return re.sub(idle, "", text)


def one_download(text: str) -> str:
    """Put the page's source in the place of the menu that offers it: printing is the browser's."""
    menu = r'<div class="dropdown dropdown-download-buttons">.*?href="([^"]+)".*?</ul>\s*</div>'
    link = r'<a class="btn btn-sm" href="\1" download title="Download this page" aria-label='
    link += r'"Download this page"><i class="fas fa-download"></i></a>'
    return re.sub(menu, link, text, flags=re.DOTALL)


def with_names(text: str) -> str:
    """Give what the theme leaves nameless a name for those who hear a page, and no second one."""
    folded = (
        r'(<a class="[^"]*reference internal" href="[^"]*">([^<]*)</a><details\b[^>]*>)<summary>'
    )
    text = re.sub(folded, r'\1<summary aria-label="Pages of: \2">', text)
    text = text.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    return re.sub(
        r'(<button class="btn search-button-field[^>]*?) aria-label="Search"', r"\1", text
    )


def plain_tokens(sheet: str) -> set[str]:
    """Return the kinds of tokens that have the colour of a name in every theme."""
    colours: dict[str, list[str]] = {}
    for kind, style in re.findall(r"\.highlight \.(\w+) \{ (.*?) \}", sheet):
        colours.setdefault(kind, []).append(style)
    return {kind for kind in colours if colours[kind] == colours["n"]}


def without_plain_tokens(text: str, plain: set[str]) -> str:
    """Leave out marks around code that give it no colour."""

    def bare(found: re.Match[str]) -> str:
        return found[2] if found[1] in plain else f"<span class={found[1]}>{found[2]}</span>"

    text = re.sub(r'<span class="pre">([^<]*)</span>|<span></span>', r"\1", text)
    text = text.replace('<code class="docutils literal notranslate">', '<code class="literal">')
    return re.sub(r'<span class="(\w+)">([^<]*)</span>', bare, text)


def with_styles_once(text: str) -> str:
    """Give a name to each style that the drawings of a page repeat."""
    text = re.sub(r"var\((--[\w-]+), #\w+\)", r"var(\1)", text)  # norch.css has every colour
    text = re.sub(r"<rect [^>]*fill-opacity:0\.00[^>]*/>\n?", "", text)  # nothing is to be seen
    shapes = "rect|text|path|circle|line|polygon|ellipse|g"
    drawn = re.compile(rf'(<(?:{shapes})\b(?![^>]*\bclass=)[^>]*?) style="([^"]*)"')
    often = [
        one
        for one, times in Counter(found[1] for found in drawn.findall(text)).items()
        if times >= OFTEN
    ]
    names = {style: f"f{number}" for number, style in enumerate(often)}

    def named(found: re.Match[str]) -> str:
        return f'{found[1]} class="{names[found[2]]}"' if found[2] in names else found[0]

    rules = "".join(f":root .{name}.{name}{{{style}}}" for style, name in names.items())
    text = drawn.sub(named, text).replace("</head>", f"<style>{rules}</style></head>", 1)
    return re.sub(r"<(?:rect|text|circle|line|g) [^>]*>", unquoted, text)


def unquoted(shape: re.Match[str]) -> str:
    """Return a shape with numbers and names that stand without quotes, as HTML has them."""
    return re.sub(r'="([\w.-]+)"', r"=\1", shape[0]).replace("/>", " />")


def one_chevron(text: str) -> str:
    """Leave out the drawing in each fold's heading: `norch.css` draws one for all."""
    marker = r'(<span class="sd-summary-state-marker[^"]*">)<svg.*?</svg>'
    return re.sub(marker, r"\1", text, flags=re.DOTALL)


def without_needless_ends(text: str) -> str:
    """Leave out what HTML takes as said: that an item ends where the next one or the list does."""
    text = re.sub(r"</li>(?=<li\b|</ul>)", "", text)
    return re.sub(r"(</pre></div>)\n</div>\n", r"\1</div>", text)


def lighter(text: str, needs: dict[str, str], plain: set[str]) -> str:
    """Return a page without what it does not need."""
    text = norch_icons.drawn(with_names(one_download(without_idle_scripts(text, needs))))
    head, opening, body = text.partition("<body")
    body = without_needless_ends(without_plain_tokens(one_chevron(body), plain))
    return with_styles_once(head + opening + body)


def highlight_words_only(static: Path) -> None:
    """Keep Sphinx from marking what was searched for in the names of drawings: it would fail."""
    path, skipped = static / "sphinx_highlight.js", '"button, select, textarea'
    text = path.read_text(encoding="utf-8")
    if skipped not in text:
        raise ExtensionError(f"[book] {path.name} is not the one that was tried")
    path.write_text(text.replace(skipped, f"{skipped}, title, desc, style"), encoding="utf-8")


def finish_pages(out: Path) -> tuple[set[str], str]:
    """Rewrite the pages; return the names that stand in them, and the variables that they read."""
    static = out / "_static"
    needs, known, variables = wanted(static), {"html", "body", "root"}, []
    plain = plain_tokens((static / "pygments.css").read_text(encoding="utf-8"))
    for path in (one for one in out.rglob("*.html") if static not in one.parents):
        text = lighter(path.read_text(encoding="utf-8"), needs, plain)
        path.write_text(text, encoding="utf-8")
        known |= norch_sheets.names(text)
        variables += re.findall(r"--[a-z][\w-]+", text)
    return known, " ".join(variables)


def finish_sheets(static: Path, known: set[str], variables: str) -> None:
    """Rewrite the style sheets: pages know these names, and scripts whatever they mention."""
    scripts = [one for folder in (".", "scripts", "live") for one in static.glob(f"{folder}/*.js")]
    texts = [one.read_text(encoding="utf-8") for one in scripts if one.stat().st_size < SCRIPT]
    others = [*texts, variables, *(one.read_text("utf-8") for one in static.glob("live/*.css"))]
    words = known.union(*map(norch_sheets.WORD.findall, texts))
    paths = [*static.glob("*.css"), *static.glob("styles/*.css")]
    sheets = {one: norch_sheets.known_rules(one.read_text("utf-8"), words) for one in paths}
    for path, text in norch_sheets.without_idle_variables(sheets, "\n".join(others)).items():
        path.write_text(text, encoding="utf-8")


def finish(app: Sphinx, failure: Exception | None) -> None:
    """Rewrite what was built, when it is all there."""
    if failure or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    highlight_words_only(static)
    finish_sheets(static, *finish_pages(Path(app.outdir)))
    for name in GONE:
        shutil.rmtree(static / name, ignore_errors=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.connect("build-finished", finish, priority=900)  # after those that write a page
    return {"parallel_read_safe": True}
