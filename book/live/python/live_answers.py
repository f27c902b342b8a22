"""The reader's answers as the folder `workbook/` that `make check` takes, and the way back.

The page asks for both: it has the bodies of the holes, the course has the files around them. What
comes from outside is read as the course reads a learner's file; a file that is none is named.
"""

import io
import json
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from norch_course.catalog import CourseError, Exercise, load
from norch_course.holes import splice
from norch_course.workbook import LARGEST, answer_to, stub_text

ROOT = Path("/norch")
Files = Mapping[str, bytes]  # by their names, as a browser or an archive gives them
NO_WORKBOOK = (
    "this is not such a folder: none of its files has the place of one of the course, such as {}"
)


def by_file() -> dict[str, list[Exercise]]:
    """Return the exercises of each file of a workbook, by its path in `workbook/`."""
    found: dict[str, list[Exercise]] = {}
    for one in load(ROOT).exercises.values():
        found.setdefault(one.stub.relative_to(ROOT / "workbook").as_posix(), []).append(one)
    return found


def folder(bodies: Mapping[str, str]) -> bytes:
    """Return an archive with `workbook/`: each file in which one of the bodies stands."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, exercises in by_file().items():
            first = exercises[0]
            mine = {one.id: bodies[one.id] for one in exercises if one.id in bodies}
            text = splice(stub_text(first), mine, first.suffix)
            if text.split() == stub_text(first).split():
                continue
            info = zipfile.ZipInfo(f"workbook/{name}", time.localtime()[:6])
            info.external_attr = 0o644 << 16
            archive.writestr(info, text, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def unpacked(files: Files) -> Iterator[tuple[str, bytes]]:
    """Yield the files, those of archives too, as far as an answer may be that large."""
    for name, data in files.items():
        if not name.lower().endswith(".zip"):
            yield name, bytes(data)
            continue
        try:
            with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
                for info in archive.infolist():
                    if info.file_size <= LARGEST and not info.is_dir():
                        yield f"{name}/{info.filename}", archive.read(info)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
            raise CourseError(f"[course] {name} is no archive that can be read: {error}") from None


def place(name: str, wanted: str) -> bool:
    """Tell whether a file of this name is the one at `wanted` in a workbook."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    tail = PurePosixPath(wanted).parts
    before = parts[: -len(tail)]
    return parts[-len(tail) :] == tail and before[-1:] != ("stages",)  # those are the library's


def read(exercises: list[Exercise], data: bytes) -> tuple[dict[str, str], list[str]]:
    """Return the answers of one file by their exercises, and what is wrong with it."""
    bodies, said = {}, []
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, exercises[0].stub.name)
        path.write_bytes(data)
        for one in exercises:
            try:
                answer = answer_to(one, path)
            except CourseError as error:
                said.append(str(error).removeprefix("[course] ").replace(f"{name}/", ""))
                continue
            if not answer.is_stub:
                bodies[one.id] = answer.hole.body
    return bodies, list(dict.fromkeys(said))


def answers(files: Files) -> str:
    """Return what stands in a folder or archive, as JSON: bodies by exercise, and sentences."""
    known = by_file()
    bodies, said, count = {}, [], 0
    try:
        given = dict(unpacked(files))
    except CourseError as error:
        return json.dumps({"bodies": {}, "said": [str(error).removeprefix("[course] ")]})
    inside = {name: data for name, data in given.items() if "workbook" in name.split("/")}
    for wanted, exercises in known.items():
        names = [name for name in inside or given if place(name, wanted)]
        if names:
            found, wrong = read(exercises, given[min(names, key=len)])
            bodies |= found
            said += wrong
            count += 1
    return json.dumps(
        {"bodies": bodies, "said": said if count else [NO_WORKBOOK.format(f"workbook/{wanted}")]}
    )
