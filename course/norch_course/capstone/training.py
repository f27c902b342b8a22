"""Rung 8: the loop. It is handed images and labels, and returns a function that reads others.

The labels of the test images are compared when all predictions are in.
"""

from pathlib import Path
from typing import Any

from norch_course.capstone.confine import guarded, name_of, nothing_strange
from norch_course.capstone.digits import find
from norch_course.projects import NotYet

GOAL = 0.95  # of MNIST's 10,000 test images
SMALL_GOAL = 0.85  # of the 297 that norch carries; right answers reach 0.87 to 0.93
PART = 1000  # images for a prediction: an answer in plain Python has no room for all


def check(file: Path) -> str:
    """Train on what is here, predict, compare."""
    train = name_of(file, "train", "train(images, labels)")
    digits = find()
    predict = guarded(train, digits.train_images, digits.train_labels)
    if not callable(predict):
        raise NotYet(f"train returned {type(predict).__name__}", "return a function: predict.")
    size = len(digits.test_images) // len(digits.test_labels)
    parts = range(0, len(digits.test_labels), PART)
    images = [digits.test_images[at * size : (at + PART) * size] for at in parts]
    found = [one for part in images for one in predictions(predict, part, len(part) // size)]
    nothing_strange()
    right = sum(map(int.__eq__, found, digits.test_labels))
    share, goal = right / len(found), GOAL if digits.is_mnist else SMALL_GOAL
    kind = "of MNIST's {:,}" if digits.is_mnist else "of {} small digits (MNIST is not here)"
    words = f"{share:.1%} {kind.format(len(found))}"
    if share < goal:
        raise NotYet(words, f"at least {goal:.0%}: what does the loss do from step to step?")
    return words


def predictions(predict: Any, images: bytes, count: int) -> list[int]:
    """Return the digits that are read, a whole number for each image."""
    found = guarded(predict, images)
    try:
        numbers = [int(one) for one in found]
    except (TypeError, ValueError):
        raise NotYet("predict returned no digits", "a list: a whole number an image.") from None
    if len(numbers) != count:
        raise NotYet(f"{len(numbers)} digits for {count} images", "one for each image.")
    return numbers
