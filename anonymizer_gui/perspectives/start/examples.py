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
    Example(
        "adult",
        N_("Adult"),
        N_("30\u202f162 records · 10 columns"),
        N_(
            "People of a census. Nine columns could link a record to other data; the weekly "
            "working hours must not be learned."
        ),
    ),
    Example(
        "hospital",
        N_("Hospital"),
        N_("13 records · 6 columns"),
        N_("A table small enough to follow every record by eye. Religion and disease are both sensitive."),
    ),
    Example(
        "clinic",
        N_("Clinic"),
        N_("2\u202f000 records · 8 columns"),
        N_("Invented patients with visit dates, postal codes, a diagnosis and a length of stay."),
    ),
)
DEMO, CLINIC = EXAMPLES[0], EXAMPLES[2]


def example_at(path: Path) -> Example | None:
    """Return the example with this recipe."""
    return next((example for example in EXAMPLES if example.path == path), None)
