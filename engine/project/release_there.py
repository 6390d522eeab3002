"""A release that the place of the records writes itself, verified by reading it back."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from engine.errors import ExportError, VerificationError
from engine.monitor import Monitor, PartMonitor
from engine.project.claims import has_header, release_claim
from engine.project.project import Project
from engine.project.refusals import refuse_unstreamed, refuse_without_records
from engine.recoding import Release
from engine.records.options import PARQUET, ExportOptions, bytes_of
from engine.records.remote import Target, WritesItself, changed_remotely, vocabularies
from engine.scratch import scratch_folder
from engine.verification import Limits, Verdict, verify
from engine.words import _

_NOWHERE = Path(os.devnull)  # folder of files that the cluster has


def writes_itself(project: Project) -> bool:
    """Return whether a release is written where the records are, and not on this machine."""
    return isinstance(project.remote, WritesItself)


def release_there(
    project: Project, release: Release, place: str, monitor: Monitor, options: ExportOptions
) -> Verdict:
    """Have a release written into a folder that the cluster reaches, and verify it.

    Parameters
    ----------
    place : str
        A path or address as the cluster understands it.

    Raises
    ------
    InputError
        The folder has files.
    ExportError
        The settings are not possible there, or the table has changed since it was opened.
    VerificationError
        The release read back does not have the claimed properties; the message names the folder.
    """
    refuse_without_records(project)
    refuse_unstreamed(options)
    source = project.remote
    assert source is not None, "asked for records that are elsewhere"
    assert isinstance(source, WritesItself), "asked for a place that writes"
    if source.fingerprint(monitor) != source.state:
        raise changed_remotely()
    delimiter = options.delimiter or project.options.delimiter or ","
    target = Target(place, options, delimiter, has_header(options, project.options))
    source.write(release.written.plan, vocabularies(project.table), target, PartMonitor(monitor, 0, 2))
    verdict = _judged(project, release, source, target, PartMonitor(monitor, 1, 2))
    if not verdict.ok:
        if source.fingerprint(monitor) != source.state:
            raise ExportError(
                _("The table changed while it was written to '{place}'.").format(place=place),
                hint=_("Remove that folder, read the table again and release it again."),
            )
        raise VerificationError(
            _("The written folder '{place}' does not have the claimed properties: {problems}").format(
                place=place, problems=" ".join(verdict.problems)
            ),
            hint=_(
                "Remove that folder and do not use it. This is a bug in the program: keep the project and "
                "report it."
            ),
        )
    return verdict


def _judged(
    project: Project, release: Release, source: WritesItself, target: Target, monitor: Monitor
) -> Verdict:
    """Verify what another session reads there, original and release: on this machine unless they are many."""
    if not source.is_fetched:
        return _counted_there(project, release, source, target, monitor)
    with scratch_folder("judging", project.options.scratch) as folder:
        original, written = folder / "original.parquet", folder / "released.parquet"
        names = [column.name for column in release.written.columns]
        source.read_back(target, names, original, written, PartMonitor(monitor, 0, 3))
        claim = release_claim(
            project,
            release,
            original,
            written,
            replace(target.options, kind=PARQUET),
            monitor=PartMonitor(monitor, 1, 3),
        )
        # the columns of the copy are those of the table, whatever they are called on the cluster
        claim = replace(claim, original=replace(claim.original, encoding="", has_header=True, taken=()))
        limits = Limits(records=0, folder=folder)
        if project.options.memory:
            limits = replace(limits, memory=bytes_of(project.options.memory))
        return verify(claim, PartMonitor(monitor, 2, 3).step, limits)


def _counted_there(
    project: Project, release: Release, source: WritesItself, target: Target, monitor: Monitor
) -> Verdict:
    """Have another session of the cluster count the original and the release; no record comes here."""
    from engine.verification import judges  # loads pandas, so only when needed
    from engine.verification.tables.cluster import Cluster

    names = [column.name for column in release.written.columns]
    with source.both_there(target, names, PartMonitor(monitor, 0, 10)) as both:
        claim = release_claim(
            project,
            release,
            _NOWHERE / "original.parquet",
            _NOWHERE / "released.parquet",
            replace(target.options, kind=PARQUET),
            monitor=PartMonitor(monitor, 1, 10),
        )
        claim = replace(claim, original=replace(claim.original, encoding="", has_header=True, taken=()))
        return judges.verify(claim, PartMonitor(monitor, 2, 10).step, place=Cluster(both))
