"""Exports the applied release and shows the verdict on the written file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.export.bundle_presenter import BundlePresenter
from anonymizer_gui.perspectives.export.claims_text import (
    claims_of,
    unchanged_text,
    verdict_text,
    weakness_of,
)
from anonymizer_gui.perspectives.export.details_dialogs import FormatDialog, IdentifiersDialog
from anonymizer_gui.perspectives.export.dialog import ExportDialog, ReleaseChoices
from anonymizer_gui.session import Session
from anonymizer_gui.session.release_controller import Written
from anonymizer_gui.session.words import clause_mark
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.file_dialogs import folder_next_to
from engine.errors import AnonymizerError
from engine.monitor import SILENT, Monitor
from engine.params import values_of
from engine.project import Project, Transformation, edits
from engine.project.release_there import writes_itself
from engine.recoding.rules import ColumnRule
from engine.records.databases.address import parse_address
from engine.records.options import CSV, PARQUET, ExportOptions
from engine.records.remote import Order

if TYPE_CHECKING:
    from engine.findings.risk.attackers import AttackersFound
    from engine.recoding import Release
    from engine.report import Verification

    Exported = tuple[Project, Release, Verification]


class ExportPresenter(QObject):
    """Opens the dialog for the release applied at that time."""

    apply_again_requested = Signal()
    written = Signal(object, object)  # Release, Written: a verified file
    closed = Signal()
    report_requested = Signal()

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._runner, self._window = session, session.runner, window
        self._dialog: ExportDialog | None = None
        self._folder: Path | None = None
        self._written_of: Project | None = None  # open when the last file was begun
        self._kind = CSV  # of the last file
        self._bundle = BundlePresenter(session, self)
        session.project_opening.connect(self._close)
        self.accepted_risk: Callable[[], float | None] = lambda: None  # of the window, once it was set

    def show(self) -> None:
        """Open the dialog; without a release there is nothing to export."""
        project, release = self._session.project, self._session.applied.release
        if project is None or release is None or self._dialog is not None:
            return
        dialog = self._dialog = ExportDialog(
            ReleaseChoices.of(project), has_identifying=bool(project.identifying), parent=self._window
        )
        if writes_itself(project):
            dialog.write_on_cluster()
            if self._kind not in (CSV, PARQUET):
                self._kind = CSV
            dialog.target.show_path(self._proposed_folder(project))
        else:
            dialog.target.show_path(self._proposed_path(project))
        dialog.target.show_ending(f".{self._kind}")
        self._show_release(release)
        dialog.transformation_requested.connect(self._on_transformation_requested)
        dialog.target.format_chosen.connect(self._on_format_chosen)
        dialog.options_button.clicked.connect(self._on_format_options_requested)
        dialog.apply_again_requested.connect(self.apply_again_requested)
        dialog.about_button.clicked.connect(self._on_files_about_requested)
        dialog.rules_requested.connect(self._on_rules_requested)
        dialog.report_requested.connect(self._on_report_requested)
        dialog.write_requested.connect(self._on_export_requested)
        dialog.finished.connect(self._on_finished)
        dialog.open()

    def _show_release(self, release: Release) -> None:
        dialog, project = self._dialog, self._session.applied.made_with
        if dialog is None or project is None or self._session.project is None:
            return
        self._show_transformation()
        # what is written of suppressed records is decided when the release is written
        dialog.show_claims(claims_of(replace(release, transformation=self._session.project.transformation)))
        dialog.show_weakness(weakness_of(release))
        self._assess()
        if reason := self._session.applied.can_release:
            self._refuse(dialog, reason)
        elif not release.satisfies:
            dialog.refuse(
                self.tr("The applied release does not satisfy the requirement."),
                self.tr("Apply a node that satisfies, such as the optimum, then export."),
            )

    def _assess(self) -> None:
        """Show the verdict of *Analyze risk* on what would be written; slow for large tables."""
        project, made_with = self._session.project, self._session.applied.made_with
        release, dialog = self._session.applied.release, self._dialog
        if project is None or made_with is None or release is None or dialog is None:
            return
        words = self.tr("Counting records that can be matched or that unchanged columns single out")
        dialog.show_clauses({"unchanged": (words, "eye", "text_2")})
        self._runner.run(
            _assessed,
            made_with,
            project.transformation,
            release,
            self.accepted_risk(),
            then=self._show_assessed,
            otherwise=self._on_counting_failed,
            key="export.verdict",
        )

    def _show_assessed(self, found: AttackersFound) -> None:
        if self._dialog is None:
            return
        shown = {}
        for clause in found.clauses:
            text, (icon, tone) = f"{clause.sentence[:1].upper()}{clause.sentence[1:]}.", clause_mark(clause)
            if clause.key == "unchanged":
                text = unchanged_text(found.unchanged)
                tone = "warn" if found.unchanged.determines else tone
            shown[clause.key] = (text, icon, tone)
        self._dialog.show_clauses(shown)

    def _show_transformation(self) -> None:
        project = self._session.project
        if project is None or self._dialog is None:
            return
        self._dialog.show_transformation(
            ReleaseChoices.of(project),
            why_fixed=""
            if project.requirement.sampling is None
            else self.tr("Differential privacy removes suppressed records and shuffles the others"),
            why_unordered=self.tr("Records of this table have no order, so they cannot be shuffled")
            if project.remote is not None and project.remote.order is Order.NONE
            else "",
        )

    def _refuse(self, dialog: ExportDialog, reason: str) -> None:
        """Show why the release cannot be exported, and what to do."""
        is_stale = bool(self._session.applied.stale_text) and not self._session.reading.is_provisional
        dialog.refuse(
            self.tr("This release cannot be exported: {reason}.").format(
                reason=reason[:1].lower() + reason[1:]
            ),
            self.tr("Re-apply a node with the current settings, or undo the changes, then export."),
            may_be_made_again=is_stale,
        )

    def _proposed_path(self, project: Project) -> Path:
        source = project.source or self._session.saved.path
        folder = self._folder or folder_next_to(source)
        stem = source.name.split(".")[0] if source is not None else project.name
        return folder / f"{stem}-anonymized.{self._kind}"

    def _proposed_folder(self, project: Project) -> str:
        """Return a folder on the cluster next to the files of the table; empty for a table without files."""
        folder, slash, name = parse_address(project.database)[0].files.rpartition("/")
        stem = name.split(".")[0].rstrip("*?") or project.name
        return f"{folder}{slash}{stem}-anonymized.{self._kind}" if slash else ""

    def _on_transformation_requested(self, choices: ReleaseChoices) -> None:
        project = self._session.project
        if project is not None:
            self._set_transformation(project, choices.over(project.transformation))

    def _on_format_options_requested(self) -> None:
        project = self._session.project
        if project is None or self._dialog is None:
            return
        asked = FormatDialog(replace(project.export, kind=self._kind), self._dialog)
        asked.options_chosen.connect(self._on_options_chosen)
        asked.ask()

    def _on_format_chosen(self, ending: str) -> None:
        self._kind = ending.removeprefix(".")

    def _on_options_chosen(self, options: ExportOptions) -> None:
        self._session.change(self.tr("Change export settings"), edits.set_export, options)

    def _on_files_about_requested(self) -> None:
        project = self._session.project
        if self._dialog is not None and project is not None:
            is_there = writes_itself(project)
            near = self._proposed_path(project) if is_there else Path(self._dialog.target.text)
            self._bundle.show(near, self._dialog)

    def _on_rules_requested(self) -> None:
        project = self._session.project
        if project is None or self._dialog is None:
            return
        wanted = project.transformation
        rules = IdentifiersDialog(
            project.identifying, wanted.usual_rule, wanted.identifiers, parent=self._dialog
        )
        rules.rules_chosen.connect(self._on_rules_chosen)
        rules.finished.connect(self._show_transformation)
        rules.ask()

    def _on_rules_chosen(self, usual: ColumnRule, own: dict[str, ColumnRule]) -> None:
        project = self._session.project
        if project is not None:
            after = replace(
                project.transformation,
                identifying=usual.key,
                identifying_options=values_of(usual),
                identifiers=own,
            )
            self._set_transformation(project, after)

    def _set_transformation(self, project: Project, after: Transformation) -> None:
        if after != project.transformation:
            self._session.edit(self.tr("Change export settings"), replace(project, transformation=after))
            if (release := self._session.applied.release) is not None and self._dialog is not None:
                self._dialog.show_claims(claims_of(replace(release, transformation=after)))
            self._assess()

    def _on_export_requested(self, path: Path | str, may_replace: bool) -> None:
        project, made_with = self._session.project, self._session.applied.made_with
        release = self._session.applied.release
        if project is None or made_with is None or release is None or self._dialog is None:
            return
        here = path if isinstance(path, Path) else None  # not on a cluster
        if here is not None and made_with.file is not None and _is_same_file(here, made_with.file):
            self._dialog.show_problem(
                self.tr("'{name}' is the original table.").format(name=here.name),
                self.tr("Choose another name to keep the original table."),
            )
            return
        if reason := self._session.applied.can_release:
            self._refuse(self._dialog, reason)
            return
        in_parts = self._dialog.is_in_parts
        if here is not None and os.path.lexists(here) and not may_replace and not in_parts:
            self._dialog.ask_to_replace(here)
            return
        self._written_of = project
        in_place: list[Exported] = []
        task = Task(
            export,
            made_with,
            project.transformation,
            release,
            path,
            replace(project.export, kind=self._kind),
            overwrite=may_replace,
            in_parts=in_parts,
            in_place=in_place,
        )
        self._dialog.follow(
            task,
            lambda result: self._on_exported(path, *result),
            lambda: self._on_cancelled(path, in_place),
        )
        self._runner.start(task, key="export")

    def _on_exported(
        self,
        path: Path | str,
        project: Project,
        release: Release,
        verification: Verification,
        *,
        is_late: bool = False,
    ) -> None:
        if isinstance(path, Path):
            self._folder = path.parent
        if self._written_of is self._session.project and release is not self._session.applied.release:
            self._session.applied.set(release, project)
        verdict = verification.verdict
        if verdict.ok:
            self.written.emit(release, Written(Path(path), verification))
        if self._dialog is None:
            return
        if verdict.ok:
            how = [verdict.how.removesuffix(".")] if verdict.how else []
            renamed = [
                self.tr("'{name}' is {own} in the file").format(name=name, own=own)
                for name, own in verdict.renamed.items()
            ]
            facts = ". ".join([verdict_text(verdict.measured, release), *how, *renamed, *verdict.unchecked])
            singles_out = release.unchanged.exposed.together or release.revealed
            if not project.has_original and project.remote is None:
                facts += self.tr(" · compared with the table in memory, because its file was not found")
            text = self.tr("Written and verified: {name}")
            if is_late:
                text = self.tr("Written and verified before it could be cancelled: {name}")
            if not isinstance(path, Path):
                text = self.tr("Written by the cluster and verified: {name}")
            name = path.name if isinstance(path, Path) else path
            tone = "warn" if singles_out else "ok"  # not green where a record is singled out
            folder = path.parent if isinstance(path, Path) else None
            self._dialog.show_done(text.format(name=name), facts, tone=tone, folder=folder)
        else:
            self._dialog.show_problem(
                self.tr("Verification failed: the written file does not match the release."),
                " ".join(verdict.problems),
            )

    def _on_counting_failed(self, error: AnonymizerError) -> None:
        if self._dialog is not None:
            self._dialog.show_problem(error.problem, error.hint)

    def _on_cancelled(self, path: Path | str, in_place: list[Exported]) -> tuple[str, str] | None:
        """Report that nothing was written, unless the file had been replaced already."""
        if in_place:
            self._on_exported(path, *in_place[0], is_late=True)
            return None
        if not isinstance(path, Path):
            return (
                self.tr("The export was cancelled."),
                self.tr(
                    "The cluster removes what it began to write. What it had written completely remains."
                ),
            )
        return (
            self.tr("The export was cancelled."),
            self.tr("Nothing was written. The existing file is unchanged."),
        )

    def _on_report_requested(self) -> None:
        self._close()
        self.report_requested.emit()

    def _close(self) -> None:
        """Close the dialog with the project of its release; while it writes, it stays."""
        if self._dialog is not None:
            self._dialog.reject()

    def _on_finished(self, _result: int) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
            self.closed.emit()


def export(
    made_with: Project,
    transformation: Transformation,
    release: Release,
    path: Path | str,
    options: ExportOptions,
    monitor: Monitor = SILENT,
    *,
    overwrite: bool = True,
    in_parts: bool = False,
    in_place: list[Exported] | None = None,
) -> Exported:
    """Write the release, recomputed if its transformation differs, and verify the written file or folder.

    The result is also stored in `in_place`, for a cancellation after the last step.
    """
    from engine.findings.selection_gate import refuse_leaking
    from engine.pipeline import export_release
    from engine.report import Verification

    made_with, release = _as_written(made_with, transformation, release)
    refuse_leaking(made_with, release, monitor)
    verdict = export_release(
        made_with, release, path, monitor, options, overwrite=overwrite, in_parts=in_parts
    )
    exported = (made_with, release, Verification.of(path, verdict))
    if in_place is not None:
        in_place.append(exported)
    return exported


def _as_written(
    made_with: Project, transformation: Transformation, release: Release
) -> tuple[Project, Release]:
    """Return the release, recomputed if its transformation differs."""
    from engine.recoding.local import remade

    if transformation == made_with.transformation:
        return made_with, release
    made_with = replace(made_with, transformation=transformation)
    return made_with, remade(made_with, release)


def _assessed(
    made_with: Project,
    transformation: Transformation,
    release: Release,
    accepted_risk: float | None,
    monitor: Monitor = SILENT,
) -> AttackersFound:
    from engine.findings.base import analysis_of
    from engine.findings.risk.attackers import AttackersFound
    from engine.findings.subject import Subject

    subject = Subject(*_as_written(made_with, transformation, release))
    analysis = analysis_of("attackers")
    if accepted_risk is not None:
        analysis = analysis_of("attackers", threshold=accepted_risk)
    found = analysis.run(subject, monitor)
    assert isinstance(found, AttackersFound), "it can be asked of every release"
    return found


def _is_same_file(path: Path, other: Path) -> bool:
    return os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)
