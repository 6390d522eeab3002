"""Takes hierarchies to other columns and to the library of the user, and from there."""

from __future__ import annotations

from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.configure.hierarchy.drafts import HierarchyDrafts
from anonymizer_gui.perspectives.configure.hierarchy.editor import HierarchyEditor
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import TaskRunner


class SharingPresenter(QObject):
    """Listens to the buttons above the editor that lead beyond the column."""

    def __init__(
        self,
        session: Session,
        runner: TaskRunner,
        drafts: HierarchyDrafts,
        editor: HierarchyEditor,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._drafts, self._editor = session, runner, drafts, editor
