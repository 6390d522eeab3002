"""Help pages generated from declarations of registered members: models, metrics, algorithms, analyses."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.params import describe
from engine.registry import Registry
from engine.words import N_, _


@dataclass(frozen=True)
class _Family:
    title: str
    about: str
    module: str
    registry: str
    shows: str  # action that opens the place of the members in the window
    package: str = ""  # package of the member modules, if not that of `module`


_FAMILIES: Mapping[str, _Family] = {
    "members-models": _Family(
        N_("Privacy models"),
        N_("Conditions that a release must meet. Add them in *Configure transformation*."),
        "engine.privacy.base",
        "privacy_models",
        "configure",
    ),
    "members-metrics": _Family(
        N_("Utility metrics"),
        N_("Measures that compare nodes; a smaller value is better."),
        "engine.utility.base",
        "utility_metrics",
        "configure",
    ),
    "members-builders": _Family(
        N_("Hierarchy builders"),
        N_("Rules that build the hierarchy of a column."),
        "engine.hierarchies.builders.base",
        "builders",
        "configure",
    ),
    "members-algorithms": _Family(
        N_("Search algorithms"),
        N_("Searches for a node that satisfies the requirement, under *Run > Search with an algorithm*."),
        "engine.search.base",
        "search_algorithms",
        "search_with",
    ),
    "members-recoding": _Family(
        N_("Recoding methods"),
        N_("Ways to make a more precise release, under *Run > Improve this release*."),
        "engine.recoding.base",
        "recoding_methods",
        "improve",
    ),
    "members-utility": _Family(
        N_("Analyses of utility"),
        N_("Cards of *Analyze utility*: what the release is still good for."),
        "engine.assessment.base",
        "utility_analyses",
        "utility",
        "engine.assessment.utility",
    ),
    "members-risk": _Family(
        N_("Analyses of risk"),
        N_("Cards of *Analyze risk*: what an attacker could still learn."),
        "engine.assessment.base",
        "risk_analyses",
        "risk",
        "engine.assessment.risk",
    ),
}
MEMBER_PAGES = tuple(_FAMILIES)


def family_of(name: str) -> Mapping[str, type[Any]]:
    """Return the members of a page by key, sorted by title."""
    family = _FAMILIES[name]
    members: Registry[Any] = getattr(importlib.import_module(family.module), family.registry)
    return dict(sorted(members.items(), key=lambda entry: entry[1].title.casefold()))


def member_link(kind: type[Any]) -> str | None:
    """Return the link to the paragraph of a member, or None for a class outside the families."""
    for page, family in _FAMILIES.items():
        package = family.package or family.module.rpartition(".")[0]
        if kind.__module__.startswith(f"{package}."):
            return f"{page}.md#{anchor_of(kind.title)}"
    return None


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading: lower case, with hyphens."""
    return re.sub(r"[^\w]+", "-", heading.casefold()).strip("-")


def member_page(name: str) -> str:
    """Return the page of a family in Markdown, one section per member."""
    family = _FAMILIES[name]
    sections = (_section(kind) for kind in family_of(name).values())
    shown = "[" + _("Show me") + f"](show:{family.shows})"
    return "\n\n".join([f"# {_(family.title)}", f"{_(family.about)} {shown}", *sections])


def _section(kind: type[Any]) -> str:
    said = getattr(kind, "summary", "") or _sentence(getattr(kind, "meaning", ""))
    more = [getattr(kind, field, "") for field in ("reading", "promise", "weakness")]
    parts = [f"## {kind.title}", said, *filter(None, more)]
    settings = [
        f"- **{descriptor.label or descriptor.name}**" + (f": {descriptor.help}" if descriptor.help else "")
        for descriptor in describe(kind)
    ]
    if settings:
        parts.append(_("Settings:") + "\n\n" + "\n".join(settings))
    if source := getattr(kind, "source", ""):
        parts.append(_("Source: {source}").format(source=source))
    return "\n\n".join(parts)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""
