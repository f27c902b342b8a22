"""Style sheets without what no page of the book can meet: rules, and variables.

`norch_light.py` gives the sheets of the theme and what stands in the pages. A rule stays where all
its elements, classes and identifiers are known; states and attributes are not looked at.
"""

import re
from pathlib import Path

import tinycss2

WORD = re.compile(r"[A-Za-z_][\w-]*")
ICON_FONT = re.compile(r"font-family:[^;}]*Font\s*Awesome")  # the pages have drawings instead
NESTED = {"media", "supports", "layer", "container"}  # at-rules that hold rules


def names(page: str) -> set[str]:
    """Return the elements, classes and identifiers of a page."""
    given = re.findall(r'\b(?:class|id)=(?:"([^"]*)"|([\w-]+))', page)
    return {*re.findall(r"<(\w[\w-]*)", page), *" ".join(sum(given, ())).split()}


def can_match(selector: str, words: set[str]) -> bool:
    """Say whether a page can have what a selector names: its classes, identifiers and elements."""
    named = re.sub(r":[\w-]+\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\]|::?[\w-]+", " ", selector)
    return all(one in words for one in WORD.findall(named))


def known_rules(sheet: str, words: set[str]) -> str:
    """Return a style sheet with the rules that something can meet."""
    return pruned(tinycss2.parse_stylesheet(sheet, True, True), words)


def pruned(rules: list, words: set[str]) -> str:
    """Return rules that something can meet, as text."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            chosen = [one for one in parts(rule.prelude) if can_match(one, words)]
            content = tinycss2.serialize(rule.content).strip()
            if chosen and not ICON_FONT.search(content):
                kept.append(f"{','.join(chosen)}{{{content}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword in NESTED and rule.content:
            inner = tinycss2.parse_rule_list(rule.content, True, True)
            if inside := pruned(inner, words):
                kept.append(f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inside}}}")
        elif rule.type not in ("comment", "whitespace"):
            kept.append(rule.serialize())
    return "\n".join(kept)


def parts(prelude: list) -> list[str]:
    """Return the selectors that a rule lists."""
    found: list[list] = [[]]
    for token in prelude:
        if token == ",":
            found.append([])
        else:
            found[-1].append(token)
    return [tinycss2.serialize(one).strip() for one in found]


def without_idle_variables(sheets: dict[Path, str], others: str) -> dict[Path, str]:
    """Leave out variables that nothing reads, and then those that only they have read."""
    used = set(re.findall(r"--[\w-]+", others))
    for text in sheets.values():
        used.update(re.findall(r"var\(\s*(--[\w-]+)", text))

    def kept(found: re.Match[str]) -> str:
        return found[0] if found[1] in used else ""

    declared = re.compile(r"""(?<![\w-])(--[\w-]+)\s*:(?:"[^"]*"|'[^']*'|[^;{}"'])*(?:;|(?=\}))""")
    fewer = {path: declared.sub(kept, text) for path, text in sheets.items()}
    return fewer if fewer == sheets else without_idle_variables(fewer, others)
