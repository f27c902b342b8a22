"""What an editor shows around a hole in C++: the function that the answer stands in.

norch_live.py asks for exercises of stage 2. Nothing is parsed: in these sources a function begins
in the first column, after an empty line or the end of another, and ends with a brace in it.
"""


def around(text: str, begin: int, end: int) -> tuple[str, str]:
    """Return what stands in the function before the line `begin` (from 1), and behind `end`."""
    lines = text.splitlines()
    first = begin - 1
    while not _begins(lines, first):
        first -= 1
    last = next(number for number in range(end, len(lines)) if lines[number].startswith("}"))
    return "\n".join(lines[first : begin - 1]), "\n".join(lines[end : last + 1])


def _begins(lines: list[str], number: int) -> bool:
    """Tell whether a function, or the words above it, begins with a line."""
    line, above = lines[number], lines[number - 1]
    is_apart = not above or above.startswith(("}", "namespace", "using", "#"))
    return bool(line) and not line.startswith((" ", "}", "#")) and is_apart
