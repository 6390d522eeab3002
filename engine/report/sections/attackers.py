"""Attackers who know some columns: the smallest class of each in the release."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.findings.blocks import Block, Figure, FigureColumn, FigureTable, Paragraph
from engine.monitor import SILENT, Monitor
from engine.privacy.attackers import AttackerModel
from engine.recoding import Release
from engine.report.material.reported import ReportedRelease
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.profile import LatticeProfile
from engine.words import _, ngettext


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield every set of columns that an attacker of the requirement knows."""
    release, disclosure = material.release, material.disclosure
    if not release.requirement.has_attackers:
        return
    monitor.step(0, 1, _("Counting classes of attackers"))
    counted = material.subject.counted.many
    columns = [
        FigureColumn("attacker", _("Attacker")),
        FigureColumn("known", _("Knows")),
        FigureColumn("asked", _("Required")),
        FigureColumn("reached", _("Smallest class"), counted),
    ]
    first, rounds = _at_first(release)
    if first:
        what = _("Before others were suppressed.")
        columns.append(FigureColumn("failing", _("Fail at first"), _("records"), what, is_internal=True))
    rows: list[tuple[Figure, ...]] = []
    for place, (model, known, reached) in enumerate(_reached(release)):
        row = (model.details, ", ".join(known), model.k, disclosure.count(reached))
        rows.append((*row, first[place]) if first else row)
    words = _(
        "Each attacker knows only some columns of a person. Every group of kept records that are equal "
        "in these columns is at least as large as required."
    )
    yield Paragraph(words)
    yield FigureTable("attackers", "", tuple(columns), rows)
    if rounds > 1 and not material.settings.is_public:
        words = ngettext(
            "Suppressed records made others fail: suppression was repeated {n} time.",
            "Suppressed records made others fail: suppression was repeated {n} times.",
            rounds - 1,
        )
        yield Paragraph(words.format(n=rounds - 1))


def _reached(release: Release) -> list[tuple[AttackerModel, tuple[str, ...], int | None]]:
    """Return every model and set with the size of its smallest class of kept records."""
    found: list[tuple[AttackerModel, tuple[str, ...], int | None]] = []
    for model in release.requirement.models:
        for known in model.sets(release.problem.names) if isinstance(model, AttackerModel) else ():
            groups = release.classes.known_by(known)
            assert groups is not None, "classes of a release tell their columns apart"
            sizes = groups.spread(groups.classes.sizes)[release.kept]
            assert isinstance(model, AttackerModel)
            found.append((model, known, int(np.min(sizes)) if len(sizes) else None))
    return found


def _at_first(release: Release) -> tuple[list[int], int]:
    """Return the records that fail at first per set, and the repetitions.

    Nothing if levels vary by record or cells are aggregates.
    """
    if release.node is None or release.recoding is not None or release.aggregates:
        return [], 0
    report = inspect_node(LatticeProfile(release.problem), release.node, release.requirement)
    return [own.records_missing for own in report.sets], report.rounds
