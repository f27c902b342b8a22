"""Prints the line with which `make` refuses a goal, a stage or a variable that it does not know.

The Makefile calls this while it reads itself, before anything runs: `goals.py KIND WORD KNOWN...`.
It runs on any Python 3, installs nothing and decides nothing: the Makefile has already refused.
"""

import difflib
import sys


def nearest(word: str, known: "list[str]") -> str:
    """Return the known word most like `word`, by spelling."""
    return max(known, key=lambda candidate: difflib.SequenceMatcher(None, word, candidate).ratio())


def refuse_goal(word: str, known: "list[str]") -> str:
    """Return the refusal of an unknown goal, or of a word meant for the goal that stands beside it.

    After `for`, `known` may name that goal: one that takes a stage or an exercise.
    """
    goals, _, beside = " ".join(known).partition(" for ")
    if word.replace(".", "", 1).isdigit():
        return refuse_number(word, beside)
    meant = nearest(word, goals.split())
    if beside and not difflib.get_close_matches(word, [meant]):
        return f"[make] {beside} does not know '{word}': for example '{example(beside)}'"
    return (
        f"[make] there is no goal '{word}'; did you mean 'make {meant}'?"
        " (make help lists the goals)"
    )


def example(goal: str) -> str:
    """Return how a goal that takes a stage or an exercise is called."""
    return f"make {goal} {3 if goal in ('test-stage', 'project') else 1.6}"


def refuse_number(word: str, beside: str = "") -> str:
    """Return the refusal of a number without its goal, or of a stage that does not exist."""
    stage = word.partition(".")[0]
    if stage in ("1", "2", "3", "4", "5", "6") and stage != word:
        return f"[make] '{word}' alone is no goal; did you mean 'make check {word}'?"
    if word in ("1", "2", "3", "4", "5", "6"):
        return f"[make] '{word}' alone is no goal; did you mean 'make test-stage {word}'?"
    if word == "7" and not beside:
        return "[make] '7' alone is no goal; did you mean 'make project 7'?"
    shown = example(beside or "test-stage")
    if beside == "project":
        return f"[make] there is no project {word}: projects are 1 to 7, for example '{shown}'"
    return f"[make] there is no stage {stage}: stages are 1 to 6, for example '{shown}'"


def refuse_stage(word: str, known: "list[str]") -> str:
    """Return the refusal of a stage that is missing or does not exist."""
    if not word:
        goal = known[0]
        needed = "number, 1 to 7" if goal == "project" else "stage, 1 to 6"
        return f"[make] {goal} needs a {needed}: 'make {goal} 3' or 'make {goal} N=3'"
    what = "project" if known[-1] == "7" else "stage"
    return f"[make] there is no {what} {word}: {what}s are {known[0]} to {known[-1]}"


def refuse_processes(word: str, known: "list[str]") -> str:
    """Return the refusal of a number of processes that is none."""
    return f"[make] PROCESSES={word} must be a whole number, 1 to 64: 'make mnist PROCESSES=4'"


def refuse_path(word: str, known: "list[str]") -> str:
    """Return the refusal of a path through the exercises that does not exist."""
    if "/" in word:
        return (
            f"[make] PATH={word} is given to make, where PATH means a path through the exercises"
            f" ({', '.join(known)}): to say where programs are, write it before make"
        )
    return (
        f"[make] there is no path '{word}'; did you mean 'make next PATH={nearest(word, known)}'?"
        f" (paths: {', '.join(known)})"
    )


def refuse_venv(word: str, known: "list[str]") -> str:
    """Return the refusal of a folder whose name make or a shell would read as something else."""
    return (
        f"[make] VENV={word} cannot be used: a name of letters, digits and _ . / ~ @ + - is needed,"
        " for example VENV=.venv313"
    )


def refuse_exercise(word: str, known: "list[str]") -> str:
    """Return the refusal of a goal that needs an exercise and got none."""
    return f"[make] {word} needs an exercise: 'make {word} 1.6' (make progress lists them)"


def refuse_variable(word: str, known: "list[str]") -> str:
    """Return the refusal of a variable that no recipe reads."""
    return (
        f"[make] no goal reads the variable '{word}'; did you mean '{nearest(word, known)}'?"
        f" (known: {' '.join(known)})"
    )


def main() -> None:
    """Print the refusal that the command line asks for."""
    kind, word, *known = sys.argv[1:]
    refusals = {
        "goal": refuse_goal,
        "stage": refuse_stage,
        "exercise": refuse_exercise,
        "processes": refuse_processes,
        "path": refuse_path,
        "venv": refuse_venv,
        "variable": refuse_variable,
    }
    print(refusals[kind](word, known))


if __name__ == "__main__":
    main()
