"""A part of the inspector under a title that folds it away."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from anonymizer_gui.theming import Text, current_theme, font, paint_icon, scaled, theme_manager
from anonymizer_gui.widgets.labels import ElidedLabel

_ICON, _GAP, _HEIGHT = 12, 3, 24
_Align = Qt.AlignmentFlag


class FoldButton(QAbstractButton):
    """The title of a section; a click shows or hides what stands below it."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.toggled.connect(lambda _: self._tell())
        theme_manager().theme_changed.connect(self.updateGeometry)
        self.set_title(title)

    def set_title(self, title: str) -> None:
        """Name the section anew."""
        self.setText(title)
        self.updateGeometry()
        self._tell()
        self.update()

    def _tell(self) -> None:
        what = self.tr("Fold “{0}”") if self.isChecked() else self.tr("Unfold “{0}”")
        self.setToolTip(what.format(self.text()))
        state = self.tr("shown") if self.isChecked() else self.tr("folded")
        self.setAccessibleName(f"{self.text()}, {state}")

    def sizeHint(self) -> QSize:
        width = QFontMetrics(font(Text.SECTION)).horizontalAdvance(self.text()) + 2
        return QSize(width + scaled(_ICON) + _GAP, scaled(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(4 * _ICON), self.sizeHint().height())

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(Text.SECTION))
        metrics = painter.fontMetrics()
        token = "text" if self.underMouse() else "text_2"
        side = scaled(_ICON)
        room = self.width() - side - _GAP
        shown = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        painter.setPen(theme.color(token))
        painter.drawText(self.rect(), int(_Align.AlignLeft | _Align.AlignVCenter), shown)
        left = metrics.horizontalAdvance(shown) + _GAP
        icon = QRectF(left, (self.height() - side) / 2, side, side)
        paint_icon(painter, icon, "chevron-down" if self.isChecked() else "chevron-right", theme.text_3)


class Section(QWidget):
    """Title, a caption in the same line, controls at its right, and the content below.

    Parameters
    ----------
    title : str
    content : QWidget
        Hidden while the section is folded.
    caption : ElidedLabel, optional
        Said in the line of the title.
    """

    fold_changed = Signal(bool)  # whether the content is shown

    def __init__(
        self, title: str, content: QWidget, caption: ElidedLabel | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.content = content
        self.caption = caption or ElidedLabel("", Text.CAPTION, "text_3")
        self.toggle = FoldButton(title)
        self._head = QHBoxLayout()
        self._head.setSpacing(6)
        self._head.addWidget(self.toggle)
        self._head.addWidget(self.caption, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self._head)
        column.addWidget(content)
        self.toggle.toggled.connect(self._on_toggled)

    @property
    def is_shown(self) -> bool:
        """Whether the section is unfolded."""
        return self.toggle.isChecked()

    def set_shown(self, is_shown: bool) -> None:
        """Unfold or fold it."""
        self.toggle.setChecked(is_shown)

    def add_tool(self, widget: QWidget) -> None:
        """Put a control at the right of the title."""
        self._head.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.toggle.setMaximumWidth(self.toggle.sizeHint().width())

    def _on_toggled(self, is_shown: bool) -> None:
        self.content.setVisible(is_shown)
        self.caption.setVisible(is_shown)
        self.fold_changed.emit(is_shown)
