"""Write the program as of a step into a folder: `python -m steps 4.2 FOLDER`, run in `book/`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "course"))  # for norch_course.holes

from steps.programs import count, manifest, program


def main(arguments: list[str]) -> int:
    """Write the files, or say what the steps are."""
    if len(arguments) != 2:
        for step in manifest()[0]:
            print(f"{step.id}  {count(program(step.id)):5} lines  {step.title}")
        return 0
    try:
        files = program(arguments[0])
    except KeyError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    for path, text in files.items():
        place = Path(arguments[1]) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
