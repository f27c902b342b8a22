"""Run the cells of a chapter in its page: one namespace, the value of the last line is shown."""

import linecache
import os
import sys
import traceback

from pyodide.code import eval_code

FOLDER = "/norch/book/chapters"
space: dict[str, object] = {"__name__": "__main__"}


def run(code: str, name: str) -> dict[str, str]:
    """Run a cell where notebooks run; return its last value as HTML or text, or its error."""
    os.makedirs(FOLDER, exist_ok=True)
    os.chdir(FOLDER)
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    try:
        value = eval_code(code, globals=space, filename=name)
        if value is None:
            return {}
        space["_"] = value
        html = getattr(value, "_repr_html_", None)
        return {"html": html()} if html else {"text": repr(value)}
    except BaseException as error:  # whatever a cell does, the next one runs
        frames = error.__traceback__
        while frames and frames.tb_frame.f_code.co_filename != name:
            frames = frames.tb_next
        return {"error": "".join(traceback.format_exception(type(error), error, frames))}
    finally:
        sys.stdout.flush()
