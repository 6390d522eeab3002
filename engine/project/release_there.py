"""A release that the place of the records writes itself, verified by what is read back from there."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from engine.errors import ExportError, VerificationError
from engine.monitor import Monitor, PartMonitor
from engine.project.claims import has_header, release_claim
from engine.project.deciding import refuse_undecided
from engine.project.project import Project
from engine.project.sampled import refuse_uncovered
from engine.project.stored import refuse_unstreamed, refuse_without_records
from engine.recoding import Release
from engine.recoding.ruled import rule_of
from engine.scratch import scratch_folder
from engine.sources.base import Target, WritesItself
from engine.table.options import PARQUET, ExportOptions, bytes_of
from engine.table.remote import RemoteColumn, changed_remotely
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
    project : Project
    release : Release
    place : str
        A path or address as the cluster understands it.
    monitor : Monitor
    options : ExportOptions

    Raises
    ------
    InputError
        A column has no role, or the folder has files.
    ExportError
        The settings are not possible there, or the table has changed since it was opened.
    VerificationError
        What was read back does not have the claimed properties; the message names the folder.
    """
    refuse_undecided(project)
    refuse_uncovered(project)
    refuse_without_records(project)
    refuse_unstreamed(options)
    for name in project.table.names:
        if (rule := rule_of(project, name)) is not None:
            rule.refuse_unready(name)
    options.refuse_impossible()
    source = project.remote
    assert source is not None, "asked for records that are elsewhere"
    assert isinstance(source, WritesItself), "asked for a place that writes"
    assert release.stored is not None, "records that are elsewhere are planned"
    if source.fingerprint(monitor) != source.state:
        raise changed_remotely()
    vocabulary = {c.name: c.vocabulary for c in project.table.columns if isinstance(c, RemoteColumn)}
    delimiter = options.delimiter or project.options.delimiter or ","
    target = Target(place, options, delimiter, has_header(options, project.options))
    source.write(release.stored.plan, vocabulary, target, PartMonitor(monitor, 0, 2))
    verdict = _judged(project, release, source, target, PartMonitor(monitor, 1, 2))
    if not verdict.ok:
        if source.fingerprint(monitor) != source.state:
            raise ExportError(
                _("The table changed while it was written to '{place}'.").format(place=place),
                hint=_("Remove that folder, read the table again and release it anew."),
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
    assert release.stored is not None
    if not source.is_fetched:
        return _counted_there(project, release, source, target, monitor)
    with scratch_folder("judging", project.options.scratch) as folder:
        original, written = folder / "original.parquet", folder / "released.parquet"
        names = [column.name for column in release.stored.columns]
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
        claim = replace(claim, original_encoding="", has_header=True, taken=())
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

    assert release.stored is not None
    names = [column.name for column in release.stored.columns]
    with source.both_there(target, names, PartMonitor(monitor, 0, 10)) as both:
        claim = release_claim(
            project,
            release,
            _NOWHERE / "original.parquet",
            _NOWHERE / "released.parquet",
            replace(target.options, kind=PARQUET),
            monitor=PartMonitor(monitor, 1, 10),
        )
        claim = replace(claim, original_encoding="", has_header=True, taken=())
        return judges.verify(claim, PartMonitor(monitor, 2, 10).step, place=Cluster(both))
