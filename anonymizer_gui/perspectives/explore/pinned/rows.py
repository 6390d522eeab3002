"""Rows of the table of pinned nodes and applied releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonymizer_gui.models.node_name import NamedNode, node_name
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.widgets.texts_table import Cell, Heading
from engine.numbers import DASH, as_exact_count, as_percent, as_saved_moment
from engine.privacy import Requirement
from engine.privacy.measured_text import limit_text
from engine.project.pins_and_runs import Choice, Pin, Run
from engine.words import _

Entry = Pin | Run


def entries_of(pins: Sequence[Pin], runs: Sequence[Run]) -> tuple[Entry, ...]:
    """Return the pins in order, the releases fixed at the top, then the others, the latest first."""
    latest = tuple(reversed(runs))
    held = [run for run in latest if run.is_pinned]
    return (*pins, *held, *(run for run in latest if not run.is_pinned))


def settings_words(requirement: Requirement) -> str:
    """Return a requirement in one line: "k = 5 · l = 3 · t = 0.20 · limit 5 %"."""
    parts = [f"{model.symbol} = {limit_text(model)}" for model in requirement.models]
    if requirement.sampling is not None:
        return " · ".join([*parts, requirement.sampling.details])
    return " · ".join(
        [
            *parts,
            _("limit {suppression_limit}").format(
                suppression_limit=as_percent(requirement.suppression_limit)
            ),
        ]
    )


def choice_name(choice: Choice) -> str:
    """Name the node of a choice by what it generalizes, or return that it has none."""
    return _("levels vary by record") if choice.node is None else node_name(choice.node, choice.columns)


def headings() -> list[Heading]:
    """Return the headings of the table."""
    return [
        Heading(_("Entry")),
        Heading(_("Node")),
        Heading(_("Value"), True, _("Value of the utility metric")),
        Heading(_("Suppressed"), True, _("Suppressed records")),
        Heading(_("Settings")),
        Heading(_("Note")),
    ]


def row_of(
    entry: Entry, why_not: str, named: NamedNode | None = None, figures: Mapping[str, float] | None = None
) -> list[Cell]:
    """Return one line.

    Parameters
    ----------
    entry : Pin or Run
    why_not : str
        Why its node cannot be shown any more.
    named : NamedNode, optional
        Its name and levels in the present lattice.
    figures : mapping, optional
        Values of a pin, if they are known.
    """
    choice = entry.choice
    tone = "text_3" if why_not else "text"
    settings = settings_words(choice.requirement)
    name, glyph = (choice_name(choice), None) if named is None else (named.name, named.glyph)
    details = _levels_words(choice) if named is None else named.details
    known = figures if isinstance(entry, Pin) else entry.figures
    value, suppressed = (known or {}).get(choice.metric), (known or {}).get("suppressed")
    shown = DASH if value is None else f"{metric_name(choice.metric)} {metric_text(choice.metric)(value)}"
    why_none = _("Pinned with other settings; compare it to see its values") if isinstance(entry, Pin) else ""
    note = entry.note.split("\n")[0]
    return [
        _kind(entry),
        Cell(name, why_not or details, tone, is_strong=not why_not, glyph=glyph),
        Cell(shown, why_none if value is None else "", tone),
        Cell(DASH if suppressed is None else as_exact_count(suppressed), tone=tone),
        Cell(settings, settings, tone),
        Cell(note, entry.note, tone),
    ]


def _kind(entry: Entry) -> Cell:
    if isinstance(entry, Pin):
        return Cell(_("Pinned"), tone="text_2")
    day = as_saved_moment(entry.made_at)
    applied = _("Applied {day}").format(day=day)
    words = f"{entry.name}\n{applied}" if entry.name else applied
    if entry.is_pinned:
        return Cell(_("On top: {name}").format(name=entry.name or day), words, "text", is_strong=True)
    return Cell(entry.name or _("Applied {day}").format(day=day), words, "text" if entry.name else "text_2")


def _levels_words(choice: Choice) -> str:
    if choice.node is None:
        return ""
    return "\n".join(f"{name}: {level}" for name, level in zip(choice.columns, choice.node, strict=True))
