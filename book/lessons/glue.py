"""Numbers for the prose: a cell keeps a number by name, and the text around it asks for that name.

`{glue:text}` in the text reads what `keep` has stored in the notebook, so that a sentence never
says another number than its cell. It does what `myst_nb.glue` does, without its dependencies.
"""

PREFIX = "application/papermill.record/"


def keep(name: str, words: object) -> None:
    """Store a number, or words, for the text around this cell; nothing is shown here."""
    from IPython.display import display

    scrap = {"name": name, "mime_prefix": PREFIX}
    display({f"{PREFIX}text/plain": str(words)}, metadata={"scrapbook": scrap}, raw=True)
