"""Export of a release: written, verified independently, and only then put in place."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from engine.errors import ExportError, TableError, VerificationError, nearest
from engine.files import atomic_folder, atomic_write, refuse_filled
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.pipeline.judging import judge_file, need_library
from engine.pipeline.writing import columns_to_write, record_writer, refuse_ending, write_release
from engine.project import Project
from engine.project.claims import changed_file
from engine.project.compile import refuse_changed_values
from engine.project.deciding import refuse_undecided
from engine.project.refusals import refuse_uncovered, refuse_unstreamed
from engine.project.release_there import release_there, writes_itself
from engine.recoding import Release
from engine.recoding.local import remade
from engine.recoding.ruled import rule_of
from engine.records.databases.address import login_given, table_at
from engine.records.disk.files import changed_while_read
from engine.records.disk.parts import write_parts
from engine.records.opening.files import read_csv
from engine.records.options import ExportOptions
from engine.records.remote import changed_remotely
from engine.verification import Verdict
from engine.words import _


def export_release(
    project: Project,
    release: Release,
    path: Path | str,
    monitor: Monitor = SILENT,
    options: ExportOptions | None = None,
    *,
    overwrite: bool = True,
    in_parts: bool = False,
) -> Verdict:
    """Write a release, verify the written file independently, and only then put it in place.

    Parameters
    ----------
    project : Project
        Project that the release was made with.
    path : Path or str
        The URL of a table makes a new one in SQLite or PostgreSQL, with the login of the environment. Of a
        table on a cluster: a folder that the cluster reaches, by its path or address there.
    options : ExportOptions, optional
        By default those of the project, with the kind of the file's ending.
    overwrite : bool
        Whether an existing file may be replaced.
    in_parts : bool
        Whether `path` is a folder, which gets files of some millions of records each and a manifest.

    Raises
    ------
    InputError
        A column has no role.
    ExportError
        The file cannot be written, exists and may not be replaced, or is the original table; or the original
        changed since it was read. The target is unchanged.
    VerificationError
        The written file does not have the claimed properties; the target is unchanged, except on a cluster.
    """
    options = options or project.export_to(path)
    refuse_undecided(project)
    refuse_uncovered(project)  # settings of the file may have changed since the release was made
    given = {name: rule_of(project, name) for name in project.table.names}
    rules = {name: rule for name, rule in given.items() if rule is not None}
    for name, rule in rules.items():
        rule.refuse_unready(name)
    options.refuse_impossible()
    by = _partition(project, release, options, in_parts=in_parts)
    if writes_itself(project):
        return release_there(project, release, str(path), monitor, options)
    address = table_at(path)
    path = Path(path) if address is None else Path(address.path if address.is_file else os.devnull)
    verdicts: list[Verdict] = []
    for rule in rules.values():
        for key in rule.paths.values():
            if os.path.realpath(path.parent) == os.path.realpath(os.path.dirname(key)):
                raise ExportError(
                    _("'{file}' would be in the same folder as the key '{key}'.").format(
                        file=path.name, key=Path(key).name
                    ),
                    hint=_(
                        "Choose another folder for the release, so that the key is not distributed with it."
                    ),
                    file=str(path),
                )
    if any(rule.paths for rule in rules.values()):
        # the files of these rules may have changed since the release was made
        refuse_changed_values(project, release.problem)
        release = remade(project, release)

    def refuse_existing() -> None:
        if in_parts:
            refuse_filled(path)
        elif address is None and not overwrite and os.path.lexists(path):
            raise ExportError(
                _("'{path}' already exists.").format(path=path),
                hint=_("Choose another name, or allow replacing it."),
                file=str(path),
            )

    refuse_existing()
    if project.file is not None and os.path.realpath(path) == os.path.realpath(project.file):
        raise ExportError(
            _("'{path}' is the original table.").format(path=path),
            hint=_("Choose another name for the release."),
            file=str(path),
        )
    if address is None and by is None:
        refuse_ending(path, options.kind, in_parts=in_parts)
    need_library(path, options.kind)
    if project.table.home is not None:
        refuse_unstreamed(options)
        _refuse_changed_source(project, monitor)

    def verify_written(written: Path) -> None:
        verdicts.append(judge_file(project, release, written, PartMonitor(monitor, 1, 2), options))
        if not verdicts[0].ok:
            _refuse_changed_source(project, monitor)
            raise VerificationError(
                _("The written file does not have the claimed properties: {problems}").format(
                    problems=" ".join(verdicts[0].problems)
                ),
                hint=_("Nothing was released. This is a bug in the program: keep the project and report it."),
            )
        refuse_existing()  # another program may have written one in the meantime

    writing = PartMonitor(monitor, 0, 2)
    if address is not None:
        from engine.records.databases.writing import table_written  # loads SQLite

        with table_written(address, login_given(address), verify_written, writing) as file:
            write_release(file, project, release, writing, options)
    elif in_parts:
        with atomic_folder(path, verify_written) as folder:
            columns = columns_to_write(project, release, options, writing)
            write_parts(
                folder, f".{options.kind}", columns, record_writer(project, release, options), writing, by
            )
    else:
        with atomic_write(path, verify_written) as file:
            write_release(file, project, release, writing, options)
    return verdicts[0]


def _partition(
    project: Project, release: Release, options: ExportOptions, *, in_parts: bool
) -> tuple[str, int] | None:
    """Return the column whose values name folders, with its place in the release; None without one."""
    name, names = options.partition_by, [column.name for column in release.written.columns]
    if not name:
        return None
    if name not in names or len(names) == 1:
        raise ExportError(
            _("The release has no column '{name}' beside others.").format(name=name),
            hint=nearest(name, names),
        )
    if not in_parts or writes_itself(project):
        raise ExportError(
            _("Only a folder that this computer writes can be divided by a column."),
            hint=_("Name a new folder, such as released/."),
        )
    return name, names.index(name)


def _refuse_changed_source(project: Project, monitor: Monitor) -> None:
    """Raise `ExportError` if the original table, or a file compared with it, has changed since."""
    if (other := changed_file(project)) is not None:
        raise ExportError(
            _("'{name}' has changed since it was read.").format(name=other.name),
            hint=_("The release is verified against that file: read it again, or restore it."),
            file=str(other),
        )
    if project.stored is not None:
        if project.stored.has_changed:
            raise changed_while_read(project.stored.paths[0].name)
        return
    if project.remote is not None:
        if project.remote.fingerprint(monitor) != project.remote.state:
            raise changed_remotely()
        return
    if project.source is None or not project.source.exists():
        return
    try:
        now = read_csv(project.source, project.options)
        is_same = now.names == project.table.names and all(
            a.labels == b.labels and np.array_equal(a.codes, b.codes)
            for a, b in zip(now.columns, project.table.columns, strict=True)
        )
    except TableError:
        is_same = False
    if not is_same:
        raise ExportError(
            _("'{name}' has changed since it was opened.").format(name=project.source.name),
            hint=_("The release is verified against the original table: open it again, or restore it."),
            file=str(project.source),
        )
