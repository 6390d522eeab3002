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
from anonymizer_gui.perspectives.export.ledger import LedgerPresenter, beside_text
from anonymizer_gui.session import Session
from anonymizer_gui.session.applied import with_export_settings
from anonymizer_gui.session.release_controller import Written
from anonymizer_gui.session.words import clause_mark
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.file_dialogs import folder_next_to
from engine.errors import AnonymizerError
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.params import values_of
from engine.project import Project, Transformation, edits
from engine.project.release_there import writes_itself
from engine.recoding.rules import ColumnRule
from engine.records.databases.address import parse_address
from engine.records.options import CSV, PARQUET, ExportOptions
from engine.records.remote import Order
from engine.words import ngettext

if TYPE_CHECKING:
    from engine.findings.risk.attackers import AttackersFound
    from engine.findings.risk.selection_leak import SelectionLeakFound
    from engine.pipeline.recording import Recording
    from engine.recoding import Release
    from engine.report import Verification

    Exported = tuple[Project, Release, Verification]


class ExportPresenter(QObject):
    """Opens the dialog for the release applied at that time."""

    apply_again_requested = Signal()
    written = Signal(object, object)  # Release, Written: a verified file
    recorded = Signal()  # in the ledger, which nodes are measured beside
    closed = Signal()
    report_requested = Signal()

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._runner, self._window = session, session.runner, window
        self._dialog: ExportDialog | None = None
        self._folder: Path | None = None
        self._written_of: Project | None = None  # open when the last file was begun
        self._kind = CSV  # of the last file
        self._bundle, self.ledger = BundlePresenter(session, self), LedgerPresenter(session, self)
        self.ledger.changed.connect(self._measure_beside)
        self.ledger.changed.connect(self.recorded)
        self._has_written = False  # a file of this table, without a ledger
        session.project_opening.connect(self._close)
        session.project_opening.connect(self._forget_written)
        session.parts.requirement_changed.connect(self._measure_beside)
        session.parts.transformation_changed.connect(self._show_transformation)
        self.accepted_risk: Callable[[], float | None] = lambda: None  # of the window, once it was set
        self.selection_leak: Callable[[], SelectionLeakFound | None] = lambda: None  # once it was measured

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
        dialog.ledger_button.clicked.connect(self._on_ledger_requested)
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
        self._show_claims(project, self._session.project, release)
        dialog.show_weakness(weakness_of(release))
        self._assess()
        self._measure_beside()
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

    def _measure_beside(self) -> None:
        """Measure the release beside the earlier ones of the ledger."""
        project, made_with = self._session.project, self._session.applied.made_with
        release, dialog = self._session.applied.release, self._dialog
        if project is None or made_with is None or release is None or dialog is None:
            return
        if (earlier := project.requirement.earlier) is None:
            text = self.tr(
                "This table has been exported before. Without a release ledger, what both files reveal "
                "together is not measured."
            )
            dialog.show_beside("", text if self._has_written else "", "triangle-alert", "warn")
            return
        name = Path(earlier.path).name
        dialog.show_beside(name, self.tr("Measuring beside the earlier releases"), "eye", "text_2")
        self._runner.run(
            _beside,
            with_export_settings(made_with, project),
            release,
            then=lambda found: self._show_beside(name, found),
            otherwise=self._refuse_error,
            key="export.beside",
        )

    def _show_beside(self, name: str, found: Recording) -> None:
        dialog, joint = self._dialog, found.joint
        if dialog is None:
            return
        n = len(found.beside.ledger.entries)
        words = ngettext("{name}, {n} release", "{name}, {n} releases", n).format(name=name, n=n)
        if self._session.applied.can_release:
            dialog.show_beside(words, "", "eye", "text_2")
            return
        if not joint.earlier:
            text = self.tr("The first release of its ledger; further ones are measured beside it.")
        else:
            text = " ".join([beside_text(found.beside), *joint.lines])
        mark = ("circle-check", "ok") if joint.is_met else ("circle-alert", "danger")
        if not found.project.transformation.shuffle:
            ordered = self.tr("Records stay in the order of the input, by which releases can be joined.")
            text, mark = f"{text}\n{ordered}", ("triangle-alert", "warn") if joint.is_met else mark
        dialog.show_beside(words, text, *mark)
        if joint.is_met:
            dialog.allow()
        else:
            problem = self.tr("This release reveals too much beside the earlier ones of its ledger.")
            dialog.refuse(problem, f"{self._passing()} {joint.remedies}".strip())

    def _passing(self) -> str:
        """Return how many nodes withstand the attacker, once this is known."""
        evaluation = self._session.results.evaluation
        project = self._session.project
        if evaluation is None or project is None or evaluation.requirement != project.requirement:
            return ""
        n = evaluation.n_satisfying
        return ngettext(
            "{n} node satisfies beside the earlier releases: apply it in Explore.",
            "{n} nodes satisfy beside the earlier releases: apply one of them in Explore.",
            n,
        ).format(n=as_exact_count(n))

    def _on_ledger_requested(self) -> None:
        if self._dialog is not None:
            self.ledger.show(Path(self._dialog.target.text).parent, self._dialog)

    def _refuse_error(self, error: AnonymizerError) -> None:
        if self._dialog is not None:
            self._dialog.refuse(error.problem, error.hint)

    def _forget_written(self) -> None:
        self._has_written = False

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
            self._measure_beside()
            made_with, release = self._session.applied.made_with, self._session.applied.release
            if made_with is not None and release is not None:
                self._show_claims(made_with, replace(project, transformation=after), release)
            self._assess()

    def _show_claims(self, made_with: Project, now: Project, release: Release) -> None:
        """Show the claims of the release with the present export settings."""
        if self._dialog is not None:
            written = replace(release, transformation=now.transformation)
            project = with_export_settings(made_with, now)
            self._dialog.show_claims(claims_of(project, written, self.selection_leak()))

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
            replace(made_with, requirement=with_export_settings(made_with, project).requirement),
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
            self._has_written = True
            self.written.emit(release, Written(Path(path), verification))
            if project.requirement.earlier is not None:
                self.recorded.emit()
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
    recording = None if made_with.requirement.earlier is None else _beside(made_with, release)
    if recording is not None:
        recording.prepare()
    verdict = export_release(
        made_with, release, path, monitor, options, overwrite=overwrite, in_parts=in_parts
    )
    if recording is not None:
        recording.record(Path(path))
    exported = (made_with, release, Verification.of(path, verdict))
    if in_place is not None:
        in_place.append(exported)
    return exported


def _beside(made_with: Project, release: Release, monitor: Monitor = SILENT) -> Recording:
    """Return a release beside the earlier ones of its ledger, as it would be written."""
    from engine.pipeline.recording import Recording
    from engine.recoding.local import remade

    return Recording(made_with, remade(made_with, release))


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
