"""Pinned nodes and applied releases, stored next to a project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from engine.lattice import Node
from engine.numbers import as_exact_count, as_general
from engine.params import plain_values_of
from engine.privacy import Requirement
from engine.project.recipe.section import Section
from engine.project.recipe.settings import written
from engine.words import _, ngettext

_MOST_TEXT = 10_000  # characters of a name or a note


@dataclass(frozen=True)
class Choice:
    """A node with its requirement and metric.

    Attributes
    ----------
    columns : tuple of str
        Quasi-identifying columns, in the order of the node's levels.
    node : tuple of int or None
        None for a recoding that did not start from a node.
    metric : str
        Key of the utility metric.
    """

    columns: tuple[str, ...]
    node: Node | None
    requirement: Requirement
    metric: str = "loss"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        models = [{"model": model.key, **plain_values_of(model)} for model in self.requirement.models]
        return {
            "columns": list(self.columns),
            "node": None if self.node is None else list(self.node),
            "privacy": models,
            **written(self.requirement),
            "metric": self.metric,
        }

    @classmethod
    def from_json(cls, section: Section) -> Self:
        """Read what `to_json` wrote.

        Raises
        ------
        RecipeError
            The values are not a valid choice.
        """
        # Imported here: they load every family of members, which the window starts without.
        from engine.project.recipe.reading import read_requirement
        from engine.utility import utility_metrics

        return cls(
            section.texts("columns"),
            _node(section),
            read_requirement(section),
            section.one_of("metric", _("utility metric"), utility_metrics, "loss"),
        )


@dataclass(frozen=True)
class Pin:
    """A choice that the user pinned.

    Attributes
    ----------
    note : str
        The user's note on it.
    """

    choice: Choice
    note: str = ""

    @property
    def node(self) -> Node | None:
        return self.choice.node


@dataclass(frozen=True)
class Run:
    """A release that was applied.

    Attributes
    ----------
    made_at : str
        Local date and time, ISO 8601 with minutes.
    figures : mapping of str to number or None
        `records`, `suppressed`, `classes`, `k` (None if no record is kept), the values of metrics under their
        keys, that of the choice among them, and `l.` and `t.` with the name of a sensitive column.
    method : str
        Key of the recoding method; empty for a node.
    name : str
        The user's name for it.
    is_pinned : bool
        Whether the user pinned it.
    settings : str
        The recipe of the release; empty if it was not stored.
    """

    choice: Choice
    made_at: str
    figures: Mapping[str, float | None] = field(default_factory=dict)
    method: str = ""
    note: str = ""
    name: str = ""
    is_pinned: bool = False
    settings: str = ""

    @property
    def node(self) -> Node | None:
        return self.choice.node


@dataclass(frozen=True)
class ProjectState:
    """State that a project file stores next to the project.

    Attributes
    ----------
    applied : tuple of int or None
        Node whose release is the current one.
    selected : tuple of int or None
        Node that the user selected.
    runs : tuple of Run
        Oldest first.
    """

    applied: Node | None = None
    selected: Node | None = None
    runs: tuple[Run, ...] = ()
    pins: tuple[Pin, ...] = ()


def pins_to_json(pins: Sequence[Pin]) -> list[dict[str, Any]]:
    """Return plain JSON values."""
    return [{**pin.choice.to_json(), "note": pin.note} for pin in pins]


def pins_from_json(values: Sequence[Any], file: str) -> tuple[Pin, ...]:
    """Read pins; raise `RecipeError` if one cannot be read."""
    sections = [
        _section(file, _("pinned node {n}").format(n=number), value) for number, value in enumerate(values, 1)
    ]
    return tuple(Pin(Choice.from_json(section), _text(section, "note")) for section in sections)


def runs_to_json(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return plain JSON values."""
    return [
        {
            **run.choice.to_json(),
            "made_at": run.made_at,
            "figures": dict(run.figures),
            "method": run.method,
            "note": run.note,
            **({"name": run.name} if run.name else {}),
            **({"pinned": True} if run.is_pinned else {}),
            **({"settings": run.settings} if run.settings else {}),
        }
        for run in runs
    ]


def runs_from_json(values: Sequence[Any], file: str) -> tuple[Run, ...]:
    """Read applied releases; raise `RecipeError` if one cannot be read."""
    runs = []
    for number, value in enumerate(values, 1):
        section = _section(file, _("applied release {n}").format(n=number), value)
        figures = section.get("figures", dict, {})
        if not all(_is_figure(figure) for figure in figures.values()):
            raise section.wrong("figures", _("a mapping from names to numbers"))
        texts = (_text(section, key) for key in ("made_at", "method", "note", "name"))
        made_at, method, note, name = texts
        runs.append(
            Run(
                Choice.from_json(section),
                made_at,
                dict(figures),
                method,
                note,
                name,
                section.get("pinned", bool, False),
                section.get("settings", str, ""),
            )
        )
    return tuple(runs)


def _section(file: str, name: str, value: Any) -> Section:
    section = Section(file, name, value if isinstance(value, dict) else {})
    if not section.values:
        raise section.error(_("{title}: the entry is empty.").format(title=section.title))
    return section


def _text(section: Section, key: str) -> str:
    text: str = section.get(key, str, "")
    return text[:_MOST_TEXT]


def _is_figure(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _node(section: Section) -> Node | None:
    value = section.values.get("node")
    if value is None:
        return None
    is_node = isinstance(value, list) and all(type(level) is int and level >= 0 for level in value)
    if not is_node or len(value) != len(section.texts("columns")):
        raise section.wrong("node", _("a level for every column"))
    return tuple(value)


@dataclass(frozen=True)
class SpentBudget:
    """Sum over releases of one table.

    Attributes
    ----------
    n_releases : int
        Different releases under differential privacy.
    """

    n_releases: int
    epsilon: float
    delta: float

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Self:
        """Return the sum of applied releases; one that was applied again counts once."""
        different = {(run.choice.requirement, run.node, run.settings): run for run in runs}.values()
        models = [model for run in different if (model := run.choice.requirement.sampling) is not None]
        return cls(len(models), sum(m.epsilon for m in models), sum(m.delta for m in models))

    def words(self) -> str:
        """Return the sum in a sentence; empty without a release under differential privacy."""
        if not self.n_releases:
            return ""
        return ngettext(
            "{n} release under differential privacy: ε = {epsilon}, δ = {delta}",
            "{n} releases under differential privacy, if all are published: ε = {epsilon}, δ = {delta}",
            self.n_releases,
        ).format(
            n=as_exact_count(self.n_releases),
            epsilon=as_general(self.epsilon, 4),
            delta=as_general(self.delta, 4),
        )
