"""Keeps the bar of a page that previews the selected node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.models.node_name import named_in
from anonymizer_gui.session import Session
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.widgets.empty_state import EmptyState
from anonymizer_gui.widgets.preview_bar import PreviewBar

if TYPE_CHECKING:
    from engine.recoding import Release


class PreviewPresenter(QObject):
    """Asks for previews while its page is visible; without one the page leads on by its empty state."""

    apply_requested = Signal(object)  # node
    optimum_requested = Signal()
    perspective_requested = Signal(str)

    def __init__(
        self,
        session: Session,
        desk: AnalysisDesk,
        page: str,
        bar: PreviewBar,
        empty: EmptyState,
        parent: QObject | None = None,
    ) -> None:
        """Create the presenter of a page; `empty` is shown there without a release."""
        super().__init__(parent)
        self._session, self._desk, self._page, self._bar, self._empty = session, desk, page, bar, empty
        bar.apply_requested.connect(self._on_apply)
        empty.action_requested.connect(self._on_action)
        desk.subject_changed.connect(self.show)
        desk.preview.state_changed.connect(self.show)
        session.results.evaluation_changed.connect(lambda _evaluation: self.show())
        session.parts.roles_changed.connect(self.show)
        self.show()

    @property
    def release(self) -> Release | None:
        """Release that the page describes."""
        subject = self._desk.subject
        return None if subject is None else subject.release

    def set_visible(self, is_visible: bool) -> None:
        """Make previews while the page is visible."""
        self._desk.preview.want(self._page, is_visible)

    def show(self) -> None:
        """Update the bar, or the empty state."""
        node = self._desk.preview.node
        found = named_in(node, self._session.results) if self._desk.is_preview else None
        if found is not None:
            self._bar.show_node(found.name, found.glyph, found.details)
            self._bar.set_can_apply(self._session.applied.why_undecided)
            return
        self._bar.hide()
        if self._desk.preview.is_pending:
            sentence = self.tr("The selected node is being previewed.")
        else:
            sentence = self.tr("Select a node in Explore results for a preview of its release, or apply one.")
        self._empty.set_sentence(sentence)
        words = self.tr("Apply the optimum") if self._has_optimum else self.tr("Go to Explore results")
        self._empty.set_action(words)

    @property
    def _has_optimum(self) -> bool:
        return self._session.results.optimum is not None and not self._session.applied.why_undecided

    def _on_apply(self) -> None:
        if (node := self._desk.preview.node) is not None:
            self.apply_requested.emit(node)

    def _on_action(self) -> None:
        if self._has_optimum:
            self.optimum_requested.emit()
        else:
            self.perspective_requested.emit("explore")
