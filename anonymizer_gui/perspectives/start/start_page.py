"""Start page: open a file, continue with a recent one, or try an example."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.perspectives.start.examples import EXAMPLES, Example
from anonymizer_gui.session.saving import holds_project
from anonymizer_gui.theming import Text, follow_theme, scaled
from anonymizer_gui.widgets.buttons import make_button, make_icon_button, set_primary
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, clear, hbox, nest, vbox
from anonymizer_gui.widgets.scroll_body import SteadyArea
from engine.words import _

CONTENT_WIDTH = 940


class ExampleCard(QFrame):
    """One example: name, description, and a button that opens it."""

    def __init__(self, example: Example) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.button = make_button(self.tr("Open {name}").format(name=example.name), icon_name="play")
        self.button.setObjectName(f"example.{example.key}")
        self.button.setAccessibleName(self.tr("Open the example {name}").format(name=example.name))
        text = make_label(_(example.text), Text.CELL, "text_2", wraps=True)
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        text.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)
        vbox(
            make_label(example.name, Text.TITLE),
            make_label(_(example.facts), Text.CELL, "text_3"),
            4,
            (text, 1),
            8,
            (self.button, 0, Qt.AlignmentFlag.AlignLeft),
            spacing=4,
            margins=(14, 12, 14, 14),
            of=self,
        )


class StartPage(QWidget):
    """Shows recent files and examples; emits requests only."""

    path_requested = Signal(object)  # Path
    forget_requested = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("startPage")
        self._content = QWidget()
        inner = QWidget()
        self._inner = inner
        column = vbox(self._headline(), spacing=8, margins=(8, 32, 8, 24), of=inner)
        column.addSpacing(12)
        self._notices = QVBoxLayout()
        nest(column, self._notices)
        self._recent = Card(self.tr("Recent files"))
        self._recent_rows = QVBoxLayout()
        self._recent_rows.setSpacing(0)
        self._recent.set_body(self._recent_rows, 4)
        column.addWidget(self._recent)
        column.addSpacing(12)
        column.addWidget(make_label(self.tr("Examples, ready to explore"), Text.TITLE))
        self._first_example: QWidget | None = None
        nest(column, self._example_row())
        column.addStretch(1)
        hbox(STRETCH, inner, STRETCH, margins=0, of=self._content)
        vbox(SteadyArea(self._content), margins=0, of=self)
        QWidget.setTabOrder(self.open_button, self.judge_button)
        QWidget.setTabOrder(self.judge_button, self.folder_button)
        follow_theme(self._update_width)
        self.show_recent(())

    def add_notice(self, notice: QWidget) -> None:
        """Put a notice below the headline."""
        self._notices.addWidget(notice)

    def show_recent(self, paths: Sequence[str]) -> None:
        """List recent files; without any, the card is hidden."""
        clear(self._recent_rows)
        before: QWidget = self.folder_button
        for number, name in enumerate(paths):
            row = self._recent_row(Path(name), number)
            self._recent_rows.addWidget(row)
            for button in row.findChildren(QAbstractButton):  # in reading order, before the examples
                QWidget.setTabOrder(before, button)
                before = button
        if self._first_example is not None:
            QWidget.setTabOrder(before, self._first_example)
        self._recent.setVisible(bool(paths))

    def show_has_offers(self, has_offers: bool) -> None:
        """Leave the highlight to recovered work, if there is some."""
        set_primary(self.open_button, "folder-open", is_primary=not has_offers)

    def _headline(self) -> QLayout:
        self.open_button = make_button(self.tr("Open a file…"), kind="primary", icon_name="folder-open")
        self.open_button.setObjectName("openButton")
        self.folder_button = make_button(
            self.tr("Open a folder of files…"), "folderButton", kind="link", small=True, icon_name="folder"
        )
        self.folder_button.setToolTip(self.tr("The text or Parquet files of a folder become one table"))
        words = vbox(
            make_label(self.tr("See what each setting costs and what it gains"), Text.STATEMENT, wraps=True),
            make_label(
                self.tr("Open a table, a recipe or a project, or drop it anywhere on this window."),
                Text.CONTROL,
                "text_2",
                wraps=True,
            ),
            (self.folder_button, 0, Qt.AlignmentFlag.AlignLeft),
            spacing=4,
        )
        self.judge_button = make_button(self.tr("Assess an anonymized file…"), icon_name="shield-check")
        self.judge_button.setObjectName("judgeButton")
        self.judge_button.setToolTip(
            self.tr("Measure the privacy and risk of a table anonymized elsewhere (Ctrl+J)")
        )
        return hbox(
            (words, 1),
            (self.open_button, 0, Qt.AlignmentFlag.AlignVCenter),
            (self.judge_button, 0, Qt.AlignmentFlag.AlignVCenter),
            spacing=24,
        )

    def _example_row(self) -> QLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        for example in EXAMPLES:
            card = ExampleCard(example)
            card.button.clicked.connect(lambda _=False, e=example: self.path_requested.emit(e.path))
            row.addWidget(card, 1)
            self._first_example = self._first_example or card.button
        return row

    def _recent_row(self, path: Path, number: int) -> QWidget:
        holder = QWidget()
        button = make_button(path.name, f"recent.{number}", kind="link", small=True, tooltip=str(path))
        button.clicked.connect(lambda: self.path_requested.emit(path))
        folder = ElidedLabel(str(path.parent), Text.CELL, "text_3", mode=Qt.TextElideMode.ElideMiddle)
        forget = make_icon_button("x", self.tr("Remove {name} from this list").format(name=path.name))
        forget.clicked.connect(lambda: self.forget_requested.emit(path))
        icon_name = "file-text" if holds_project(path) else "table"
        hbox(
            IconLabel(icon_name, 16), button, (folder, 1), forget, spacing=8, margins=(8, 2, 4, 2), of=holder
        )
        return holder

    def _update_width(self) -> None:
        self._inner.setFixedWidth(min(scaled(CONTENT_WIDTH), 1240))
