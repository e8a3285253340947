"""The memory of a policy, chosen on validation targets split by split.

Splits of one graph share targets: what is a test target of one is a validation target of another.
A choice that pooled splits would be made on test targets; each split therefore chooses for itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from garden.experiments.report.intervals import pooled
from garden.experiments.run.jobs import ContenderSpec, Training
from garden.strategies.registry import RULES

CHOSEN = "memory chosen on validation"
Result = Mapping[str, Any]


def chosen_label(validation: Result) -> str:
    """The contender with the least validation ratio, the first of several.

    Args:
        validation: What came of a comparison on one split's validation targets.
    """
    return pooled([validation]).best()


def with_chosen(test: Result, validation: Result, label: str = CHOSEN) -> dict[str, Any]:
    """A split's test outcomes and, under one more label, those of the contender it chose.

    Args:
        test: Outcomes on test targets, the contenders of ``validation`` among them.
        validation: Outcomes on validation targets of the same split.
        label: What the chosen contender is called.
    """
    contenders = dict(test["contenders"])
    contenders[label] = contenders[chosen_label(validation)]
    return {**test, "contenders": contenders}


def with_every_memory(training: Training) -> tuple[ContenderSpec, ...]:
    """Trellis with each rule of memory, the contenders that validation chooses among."""
    return tuple(ContenderSpec(f"trellis+{memory}", training, memory) for memory in RULES)


def choices_in_words(validations: Iterable[Result]) -> str:
    """Which memories the splits chose, and how many of them each where they differ.

    Args:
        validations: Outcomes on validation targets, a split each.
    """
    labels = [chosen_label(one).partition("+")[2] for one in validations]
    count = Counter(labels)
    if len(count) == 1:
        return labels[0]
    return ", ".join(f"{name} {times}" for name, times in count.most_common())
