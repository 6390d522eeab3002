"""Sections of a report and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from engine.findings.base import Analysis, all_analyses
from engine.findings.blocks import Block
from engine.monitor import Monitor
from engine.report.sections import (
    data,
    decision,
    models,
    purpose,
    reason,
    requirement,
    risks,
    search,
    summary,
    suppressed,
    transformation,
    unchanged,
    utility,
    verification,
)
from engine.words import N_, _


@dataclass(frozen=True)
class SectionKind:
    """Section of a report that is not the findings of one analysis; omitted if it has no blocks.

    A section for the public is built only from publishable values; nothing is added that would have to be
    removed later.

    Attributes
    ----------
    report_place : int
        Position among the sections, in ascending order.
    key, name : str
        Key in files, and English title.
    blocks : callable
        Returns the blocks for a `ReportInput`, or for a `ReportedRelease` if only releases have them.
    is_of_releases : bool
        Whether files anonymized elsewhere have no such section.
    is_of_settings : bool
        Whether its public form follows from the settings alone. No other section is published if records
        are drawn at random: differential privacy covers only the released file.
    is_page : bool
        Whether it is a page of its own, before the appendix.
    foot : callable
        Returns what is written at the foot of its page.
    """

    report_place: int
    key: str
    name: str
    blocks: Callable[[Any, Monitor], Iterable[Block]]
    is_of_releases: bool = False
    is_of_settings: bool = False
    is_page: bool = False
    foot: Callable[[Any], str] = lambda _material: ""

    @property
    def title(self) -> str:
        """Title in the language of the report."""
        return _(self.name)


SECTIONS = (
    SectionKind(
        1,
        "decision",
        N_("Decision"),
        decision.blocks,
        is_of_settings=True,
        is_page=True,
        foot=decision.rests_on,
    ),
    SectionKind(
        2, "reason", N_("Why this release, and not another"), reason.blocks, is_of_releases=True, is_page=True
    ),
    SectionKind(10, "purpose", N_("Readers of this report"), purpose.blocks, is_of_settings=True),
    SectionKind(20, "summary", N_("In short"), summary.blocks),
    SectionKind(
        25,
        "differential_privacy",
        N_("Differential privacy"),
        requirement.random_draw,
        is_of_releases=True,
        is_of_settings=True,
    ),
    SectionKind(30, "data", N_("The data"), data.blocks),
    SectionKind(40, "roles", N_("Roles of the columns"), data.roles),
    SectionKind(50, "hierarchies", N_("Hierarchies"), transformation.hierarchies, is_of_releases=True),
    SectionKind(
        55,
        "questionnaire",
        N_("Situation and thresholds"),
        requirement.situation,
        is_of_releases=True,
        is_of_settings=True,
    ),
    SectionKind(
        60, "requirement", N_("Requirement"), requirement.blocks, is_of_releases=True, is_of_settings=True
    ),
    SectionKind(70, "search", N_("Search"), search.blocks, is_of_releases=True),
    SectionKind(
        80,
        "transformation",
        N_("Transformation"),
        transformation.blocks,
        is_of_releases=True,
        is_of_settings=True,
    ),
    SectionKind(90, "suppressed", N_("Suppressed records"), suppressed.blocks, is_of_releases=True),
    SectionKind(95, "persons", N_("People"), suppressed.people),
    SectionKind(
        97, "attackers", N_("Attackers who know some columns"), risks.by_known_columns, is_of_releases=True
    ),
    SectionKind(98, "earlier", N_("Earlier releases"), risks.beside_earlier, is_of_releases=True),
    SectionKind(100, "models", N_("Values of all privacy models"), models.blocks),
    SectionKind(105, "unchanged", N_("Columns released unchanged"), unchanged.blocks),
    SectionKind(110, "risks", N_("Re-identification risk"), risks.blocks),
    SectionKind(112, "survey", N_("Survey weights"), risks.by_weights),
    SectionKind(116, "wildcards", N_("Wildcards"), risks.with_wildcards),
    SectionKind(120, "attacks", N_("Attacks"), models.attacks),
    SectionKind(140, "utility", N_("Utility"), utility.blocks),
    SectionKind(160, "verification", N_("Verification record"), verification.blocks, is_of_releases=True),
    SectionKind(170, "reproduction", N_("How to reproduce it"), purpose.reproduction, is_of_settings=True),
)


def in_order() -> list[SectionKind | Analysis]:
    """Return all sections in report order, with the analyses that have their own section."""
    analyses = [kind() for kind in all_analyses() if kind.report_place is not None]
    return sorted([*SECTIONS, *analyses], key=lambda kind: kind.report_place or 0)
