"""Input of a report, and the engine call that writes it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anonymizer_gui.session.session import Session
from anonymizer_gui.session.written_release import Written
from engine.errors import ExportError
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.project import Project
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency.counted import Noun
    from engine.recoding import Release
    from engine.report import ReportContent, ReportedFile, ReportSettings, SearchFacts

Content = Callable[[Monitor], "ReportContent"]


@dataclass(frozen=True, eq=False)
class AboutRelease:
    """Applied release with its project and the search that found it."""

    project: Project
    release: Release
    search: SearchFacts | None
    written: Written | None


@dataclass(frozen=True, eq=False)
class AboutFile:
    """File anonymized elsewhere; `material` reads the input of its report."""

    path: Path
    counted: Noun
    material: Callable[[ReportSettings, Monitor], ReportedFile]


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


def write_about_release(
    about: AboutRelease, settings: ReportSettings, path: Path, monitor: Monitor = SILENT, *, overwrite: bool
) -> bool:
    """Write the report of a release; return False for an existing file that may not be replaced.

    Raises
    ------
    ExportError
        The file cannot be written, or the released file changed after its verification.
    """
    from engine.assessment import Subject
    from engine.report import ReportedRelease, refuse_report_ending, report_of_release

    refuse_report_ending(path)
    written = about.written
    verification = None if written is None else written.verification
    if written is not None and not written.is_on_cluster:
        _refuse_changed(written)
    subject = Subject(about.project, about.release)
    material = ReportedRelease(subject, settings, about.search, verification, path.parent)
    return _write(lambda part: report_of_release(material, part), path, monitor, overwrite=overwrite)


def write_about_file(
    about: AboutFile, settings: ReportSettings, path: Path, monitor: Monitor = SILENT, *, overwrite: bool
) -> bool:
    """Write the report of a file anonymized elsewhere, as `write_about_release` does."""
    from engine.report import refuse_report_ending, report_of_file

    refuse_report_ending(path)
    material = about.material(settings, monitor)
    return _write(lambda part: report_of_file(material, part), path, monitor, overwrite=overwrite)


def _write(content: Content, path: Path, monitor: Monitor, *, overwrite: bool) -> bool:
    from engine.report import write_report

    if os.path.lexists(path) and not overwrite:
        return False
    made = content(PartMonitor(monitor, 0, 2))
    write_report(made, path, PartMonitor(monitor, 1, 2))
    return True


def _refuse_changed(written: Written) -> None:
    from engine.report.material.facts import FileMark

    if FileMark.of(written.path) != written.verification.file:
        raise ExportError(
            _("'{name}' changed since it was verified.").format(name=written.path.name),
            hint=_("Export the release again: the report identifies the file by its verified checksum."),
            file=str(written.path),
        )
