"""Write the program as of a step into a folder: `python -m steps 4.2 FOLDER`, run in `book/`."""

import sys
from pathlib import Path

from steps.programs import manifest, program


def main(arguments: list[str]) -> int:
    """Write the files, or say what the steps are."""
    if len(arguments) != 2:
        for step in manifest()[0]:
            lines = sum(text.count("\n") for text in program(step.id).values())
            print(f"{step.id}  {lines:5} lines  {step.title}")
        return 0
    for path, text in program(arguments[0]).items():
        place = Path(arguments[1]) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
