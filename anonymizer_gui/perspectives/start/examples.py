"""Example projects that come with the program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.shipped import resources_path
from engine.words import N_


@dataclass(frozen=True)
class Example:
    """Recipe of an example, with its description."""

    key: str
    name: str
    facts: str
    text: str

    @property
    def path(self) -> Path:
        return resources_path() / "examples" / self.key / "recipe.toml"


EXAMPLES = (
    Example("hospital", N_("Hospital"), N_("30 nodes"), N_("13 records that you can follow by eye")),
    Example(
        "clinic",
        N_("Clinic"),
        N_("864 nodes"),
        N_("2\u202f000 invented patients with dates, postal codes and a diagnosis"),
    ),
    Example(
        "adult",
        N_("Adult"),
        N_("12\u202f960 nodes"),
        N_("30\u202f162 records of a census: what do their working hours reveal?"),
    ),
)
DEMO, CLINIC = EXAMPLES[2], EXAMPLES[1]


def example_at(path: Path) -> Example | None:
    """Return the example with this recipe."""
    return next((example for example in EXAMPLES if example.path == path), None)
