"""Dialog with what was not taken over from a project of ARX, before it opens."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import vbox
from engine.project.storage.opened_project import Loss

_WIDTH = 620


class ArxDialog(AskingDialog):
    """Accepted if the user opens the project as it was read."""

    def __init__(self, name: str, losses: Sequence[Loss], parent: QWidget) -> None:
        super().__init__("arxDialog", self.tr("Open an ARX project"), self.tr("Open"), _WIDTH, parent)
        self.setModal(True)
        words = self.tr(
            "Table, roles, hierarchies, privacy models and settings of “{name}” were read. These parts were "
            "not taken over, or have to be checked:"
        )
        parts = [
            vbox(
                make_label(loss.what, Text.TITLE, wraps=True),
                make_label(_sentences(loss), Text.CELL, "text_2", wraps=True),
                spacing=2,
            )
            for loss in losses
        ]
        self.lay_out(make_label(words.format(name=name), Text.CONTROL, wraps=True), *parts)
        self.accept_button.setFocus()

    def submit(self) -> bool:
        """Accept at once; there is nothing to fill in."""
        return True


def _sentences(loss: Loss) -> str:
    """Return why something was not taken over, and the next step."""
    return f"{loss.why[:1].upper()}{loss.why[1:]}. {loss.hint}".strip()
