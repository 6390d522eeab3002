"""Card: header with title, caption and tools, a body, and an optional footer."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from anonymizer_gui.theming import Text, follow_theme, scaled
from anonymizer_gui.widgets.folding_strip import FoldingStrip
from anonymizer_gui.widgets.labels import CaptionLabel, make_label
from anonymizer_gui.widgets.layouts import hbox, vbox

HEADER_HEIGHT, FOOTER_HEIGHT = 34, 32


class Card(QFrame):
    """Card; body and footer accept a widget or a layout, `add_tool` adds to the right of the header."""

    def __init__(self, title: str = "", caption: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", "true")
        self._header = FoldingStrip()
        self._header.setProperty("part", "header")
        self._lead = QHBoxLayout()
        self._lead.setSpacing(8)
        self._title = make_label(title, Text.TITLE)
        self.caption = CaptionLabel(caption, Text.CELL)
        # The caption takes the room left by title and tools, and goes first.
        self.caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._tools = QHBoxLayout()
        self._tools.setSpacing(6)
        hbox(
            self._lead,
            self._title,
            (self.caption, 1),
            self._tools,
            spacing=8,
            margins=(12, 0, 8, 0),
            of=self._header,
        )
        self.body = QFrame()  # frame for the content; set its layout directly or with `set_body`
        self.body.setProperty("part", "body")
        self._footer: QFrame | None = None
        # Content must not cover the border, which is part of the frame.
        self._column = vbox(self._header, (self.body, 1), spacing=0, margins=1, of=self)
        follow_theme(self._update_heights)

    def title(self) -> str:
        return self._title.text()

    def set_title(self, title: str) -> None:
        self._title.setText(title)

    def set_caption(self, caption: str) -> None:
        self.caption.setText(caption)

    def set_title_visible(self, visible: bool) -> None:
        """Hide the title if a mark before it says enough."""
        self._title.setVisible(visible)

    def set_header_visible(self, visible: bool) -> None:
        self._header.setVisible(visible)

    def add_lead(self, widget: QWidget) -> None:
        """Put a mark, badge or control before the title."""
        self._lead.addWidget(widget)

    def insert_lead(self, widget: QWidget) -> None:
        """Put a widget at the left end of the header."""
        self._lead.insertWidget(0, widget)

    def leads(self) -> list[QWidget]:
        """Return the widgets before the title, in no order.

        Read from the header, not from the layout: PySide keeps the wrapper of `QLayout.itemAt` as long as the
        layout, and returns it for any later object at the same address.
        """
        children = self._header.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return [child for child in children if self._lead.indexOf(child) >= 0]

    def add_tool(self, widget: QWidget) -> None:
        """Append a control at the right of the header."""
        self._tools.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)

    def fold_tools(self, *buttons: QPushButton) -> None:
        """Let tools with icon and text lose their texts, in this order, where the header is too narrow."""
        self._header.fold(*buttons)

    def set_tool_text(self, button: QPushButton, text: str) -> None:
        """Change the text of a tool that may have lost it."""
        self._header.set_text(button, text)

    def set_body(self, content: QWidget | QLayout, margin: int = 12) -> None:
        """Set the body; views use margin 0 and reach the edges."""
        if isinstance(content, QWidget):
            layout: QLayout = QVBoxLayout()
            layout.addWidget(content)
        else:
            layout = content
        layout.setContentsMargins(margin, margin, margin, margin)
        self.body.setLayout(layout)

    def set_footer(self, content: QWidget | QLayout) -> None:
        """Set the footer strip at the bottom of the card; call at most once."""
        self._footer = QFrame()
        self._footer.setProperty("part", "footer")
        if isinstance(content, QWidget):
            layout: QLayout = QHBoxLayout()
            layout.addWidget(content)
        else:
            layout = content
        layout.setContentsMargins(12, 3, 12, 3)
        self._footer.setLayout(layout)
        self._column.addWidget(self._footer)
        self._update_heights()

    def _update_heights(self) -> None:
        self._header.setFixedHeight(scaled(HEADER_HEIGHT))
        if self._footer is not None:
            self._footer.setMinimumHeight(max(scaled(FOOTER_HEIGHT), self._footer.sizeHint().height()))
