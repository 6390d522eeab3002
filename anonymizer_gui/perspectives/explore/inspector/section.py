"""Part of the inspector with a title that folds it, alone or side by side with another part."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from anonymizer_gui.theming import Text, follow_theme, font, paint_icon, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Drawn
from anonymizer_gui.widgets.labels import CaptionLabel, ElidedLabel
from anonymizer_gui.widgets.layouts import gridbox, hbox, nest

INDENT = 12  # px, of content and titles; contains the fold mark
_ICON, _GAP, _HEIGHT = 12, 3, 20
_BETWEEN = 14  # px between two parts side by side
_Align = Qt.AlignmentFlag


class TitleButton(Drawn, QAbstractButton):
    """Section title as a button, with an optional icon; long titles are elided."""

    icon_first = False

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        follow_theme(self.updateGeometry)

    def icon_name(self) -> str:
        """Return the icon next to the title."""
        return "chevron-down"

    def sizeHint(self) -> QSize:
        width = QFontMetrics(font(Text.SECTION)).horizontalAdvance(self.text()) + 2
        return QSize(width + INDENT + _GAP, scaled(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(scaled(4 * _ICON), self.sizeHint().width()), self.sizeHint().height())

    def shown_text(self) -> str:
        """Return the text as drawn."""
        room = self.width() - INDENT - (0 if self.icon_first else _GAP)
        return QFontMetrics(font(Text.SECTION)).elidedText(self.text(), Qt.TextElideMode.ElideRight, room)

    def draw(self, painter: ThemedPainter) -> None:
        theme = painter.theme
        painter.setFont(font(Text.SECTION))
        metrics = painter.fontMetrics()
        shown = self.shown_text()
        left = float(INDENT if self.icon_first else 0)
        painter.setPen(theme.color("text" if self.underMouse() else "text_2"))
        place = QRectF(left, 0, self.width() - left, self.height())
        painter.drawText(place, int(_Align.AlignLeft | _Align.AlignVCenter), shown)
        at = -1.0 if self.icon_first else float(metrics.horizontalAdvance(shown) + _GAP)
        icon = QRectF(at, (self.height() - _ICON) / 2, _ICON, _ICON)
        paint_icon(painter, icon, self.icon_name(), theme.text_3)


class FoldButton(TitleButton):
    """Title of a section; a click shows or hides its content."""

    icon_first = True

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setChecked(True)
        self.toggled.connect(lambda _: self._describe())
        self.set_title(title)

    def set_title(self, title: str) -> None:
        """Change the title."""
        self.setText(title)
        self.updateGeometry()
        self._describe()

    def icon_name(self) -> str:
        return "chevron-down" if self.isChecked() else "chevron-right"

    def _describe(self) -> None:
        what = self.tr("Collapse “{text}”") if self.isChecked() else self.tr("Expand “{text}”")
        self.setToolTip(what.format(text=self.text()))
        state = self.tr("expanded") if self.isChecked() else self.tr("collapsed")
        self.setAccessibleName(f"{self.text()}, {state}")
        self.update()


class TitleMenu(TitleButton):
    """Title that shows a choice and opens a menu to change it."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what
        self._shorter: tuple[str, ...] = ()
        self.menu = QMenu(self)
        self.clicked.connect(self._open)

    def shown_text(self) -> str:
        return next(
            (text for text in (self.text(), *self._shorter) if self._fits(text)), super().shown_text()
        )

    def _fits(self, text: str) -> bool:
        return QFontMetrics(font(Text.SECTION)).horizontalAdvance(text) <= self.width() - INDENT - _GAP

    def set_choice(self, title: str, *shorter: str) -> None:
        """Show the choice; without room for it the longest of the shorter texts that fits."""
        self._shorter = shorter
        self.setText(title)
        self.setToolTip(f"{title}\n{self._what}")
        self.setAccessibleName(f"{self._what}: {title}")
        self.updateGeometry()
        self.update()

    def _open(self) -> None:
        self.menu.popup(self.mapToGlobal(QPoint(0, self.height())))


class LazyContent(QWidget):
    """Content of a section whose controls are made when they are needed."""

    controls_added = Signal()

    def controls(self) -> Sequence[QWidget]:
        """Return all controls in tab order, including hidden ones."""
        raise NotImplementedError


class Section(QWidget):
    """Title, caption and controls in one line, and the content below.

    Parameters
    ----------
    content : QWidget
        Hidden while the section is folded.
    beside : tuple of QWidget and QWidget, optional
        Title and content of a part at the right that folds together with this one; below if space is short.
    """

    fold_changed = Signal(bool)  # whether the content is shown

    def __init__(self, title: str, content: QWidget, beside: tuple[QWidget, QWidget] | None = None) -> None:
        super().__init__()
        self.content = content
        self.caption = CaptionLabel()
        self.toggle = FoldButton(title)
        self.figure = ElidedLabel("", Text.CAPTION, "text_3")  # shown while the section is folded
        self.figure.hide()
        self._folded: tuple[QWidget, ...] = (content, self.caption, *(beside or ()))
        self._tools: list[QWidget] = list(beside or ())[:1]
        self._head = hbox(self.toggle, (self.caption, 1), (self.figure, 1), spacing=6)
        self._head.addStretch(0)  # a folded section has no caption that keeps its title at the left
        self._beside = tuple(_framed(widget) for widget in beside or ())
        self._is_stacked = False
        self._grid = grid = gridbox(spacing=(_BETWEEN, 0), margins=0, of=self)
        self._inner = inner = hbox(content, margins=(INDENT, 0, 0, 0))
        nest(grid, self._head, 0, 0)
        nest(grid, inner, 1, 0)
        if beside is not None:
            grid.setAlignment(inner, _Align.AlignTop)
            self._place_beside()
        self.toggle.toggled.connect(self._on_toggled)

    @property
    def is_shown(self) -> bool:
        """True if the section is unfolded."""
        return self.toggle.isChecked()

    def set_shown(self, is_shown: bool) -> None:
        """Unfold or fold the section."""
        self.toggle.setChecked(is_shown)

    def set_title(self, title: str) -> None:
        """Change the title."""
        self.toggle.set_title(title)

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(max(self._least_widths()), hint.height()) if self._beside else hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._beside:
            is_narrow = self.width() < sum(self._least_widths()) + _BETWEEN
            if is_narrow is not self._is_stacked:
                self._is_stacked = is_narrow
                self._place_beside()

    def add_tool(self, widget: QWidget) -> None:
        """Put a control at the right of the title; it is hidden while the section is folded."""
        self._head.addWidget(widget, 0, _Align.AlignVCenter)
        self._folded += (widget,)
        self._tools.append(widget)
        widget.setVisible(self.is_shown)

    def controls(self) -> list[QWidget]:
        """Return the widgets that take the focus, in tab order."""
        tools = [tool for tool in self._tools if tool.focusPolicy() != Qt.FocusPolicy.NoFocus]
        inside = self.content.controls() if isinstance(self.content, LazyContent) else ()
        return [self.toggle, *tools, *inside]

    def _least_widths(self) -> tuple[int, int]:
        """Return the least widths of both parts with their titles."""
        own = max(self._inner.minimumSize().width(), self._head.minimumSize().width())
        return own, max(widget.minimumSizeHint().width() for widget in self._beside)

    def _place_beside(self) -> None:
        for row, widget in enumerate(self._beside):
            widget.setContentsMargins(INDENT if self._is_stacked else 0, 0, 0, 0)
            place = (2 + row, 0) if self._is_stacked else (row, 1)
            self._grid.addWidget(widget, *place, _Align.AlignTop if row else _Align(0))
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 0 if self._is_stacked else 1)
        self._grid.setHorizontalSpacing(0 if self._is_stacked else _BETWEEN)

    def _on_toggled(self, is_shown: bool) -> None:
        for widget in self._folded:
            widget.setVisible(is_shown)
        self.figure.setVisible(not is_shown)
        self.fold_changed.emit(is_shown)


class FoldGrid(QWidget):
    """Sections of which folded ones share a line by twos, and an unfolded one has lines of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[Section] = []
        self._grid = gridbox(spacing=(4, 0), margins=0, of=self)
        for column in range(2):
            self._grid.setColumnStretch(column, 1)

    def add(self, section: Section) -> None:
        """Append a section."""
        self.sections.append(section)
        section.fold_changed.connect(lambda _is_shown: self._place())
        self._place()

    def _place(self) -> None:
        row = column = 0
        for section in self.sections:
            width = 2 if section.is_shown else 1
            if column and width == 2:
                row, column = row + 1, 0
            self._grid.addWidget(section, row, column, 1, width, _Align.AlignTop)
            column += width
            if column == 2:
                row, column = row + 1, 0


def _framed(widget: QWidget) -> QWidget:
    """Return the widget in a frame whose margins can be set."""
    frame = QWidget()
    hbox(widget, margins=0, of=frame)
    return frame
