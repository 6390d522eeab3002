"""Input of a report, and the engine call that writes it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from anonymizer_gui.session.session import Session
from anonymizer_gui.session.written_release import Written
from engine.errors import ExportError
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.project import Project
from engine.words import _

if TYPE_CHECKING:
    from engine.findings.settings import ReportSettings
    from engine.recoding import Release
    from engine.report import SearchFacts
    from engine.report.material.reported import ReportInput

Material = Callable[["ReportSettings", Monitor], "ReportInput"]
"""Returns what a report describes, read when it is written."""


def search_facts(session: Session) -> SearchFacts | None:
    """Return how much of the lattice was searched for the applied release; None if unknown."""
    from engine.report import SearchFacts

    release, profile = session.applied.release, session.results.profile
    if release is None or profile is None or session.applied.stale_text or session.shown.is_preview:
        return None
    scored, total = profile.n_scored, profile.problem.lattice.n_nodes
    if release.node is None or release.node != session.results.optimum:
        return SearchFacts("none", scored, total, given=release.node)
    return SearchFacts("optimal" if session.results.is_optimum_proved else "best_known", scored, total)


def of_release(
    project: Project, release: Release, search: SearchFacts | None, written: Written | None, folder: Path
) -> Material:
    """Return the material of a release; its recipe is shown as a file in `folder` would have it.

    The material raises `ExportError` if the released file changed after its verification.
    """

    def material(settings: ReportSettings, _monitor: Monitor) -> ReportInput:
        from engine.assessment import Subject
        from engine.report import ReportedRelease

        if written is not None and not written.is_on_cluster:
            _refuse_changed(written)
        verification = None if written is None else written.verification
        return ReportedRelease(Subject(project, release), settings, search, verification, folder)

    return material


def write(
    material: Material, settings: ReportSettings, path: Path, monitor: Monitor = SILENT, *, overwrite: bool
) -> bool:
    """Write a report; return False for an existing file that may not be replaced.

    Raises
    ------
    ExportError
        The file cannot be written, or what it describes has changed.
    """
    from engine.report import refuse_report_ending, report_of, write_report

    refuse_report_ending(path)
    found = material(settings, monitor)
    if os.path.lexists(path) and not overwrite:
        return False
    write_report(report_of(found, PartMonitor(monitor, 0, 2)), path, PartMonitor(monitor, 1, 2))
    return True


def _refuse_changed(written: Written) -> None:
    from engine.report.material.facts import FileMark

    if FileMark.of(written.path) != written.verification.file:
        raise ExportError(
            _("'{name}' changed since it was verified.").format(name=written.path.name),
            hint=_("Export the release again: the report identifies the file by its verified checksum."),
            file=str(written.path),
        )
