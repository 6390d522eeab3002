"""Fusion style, changed where a style sheet cannot draw a control well."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QProxyStyle,
    QSpinBox,
    QStyle,
    QStyleOption,
    QStyleOptionComplex,
    QWidget,
)

from anonymizer_gui.theming.svg import paint_icon
from anonymizer_gui.theming.tokens import LIGHT, Theme
from anonymizer_gui.theming.type_scale import scaled

FIELD_HEIGHT, SMALL_FIELD_HEIGHT = 26, 24
_BUTTON_WIDTH, _PADDING, _RADIUS = 18, 6, 6
_Sub = QStyle.SubControl


class ChromeStyle(QProxyStyle):
    """Draws spin boxes, whose line edit a style sheet misplaces, and omits dotted focus rectangles."""

    def __init__(self) -> None:
        super().__init__("Fusion")
        self.theme: Theme = LIGHT

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        # `FocusRing` in `focus` shows the focus of every control.
        if element != QStyle.PrimitiveElement.PE_FrameFocusRect:
            super().drawPrimitive(element, option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if control == QStyle.ComplexControl.CC_SpinBox and isinstance(widget, QAbstractSpinBox):
            self._draw_spin_box(option, painter, widget)
        else:
            super().drawComplexControl(control, option, painter, widget)

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        if control != QStyle.ComplexControl.CC_SpinBox or not isinstance(widget, QAbstractSpinBox):
            return super().subControlRect(control, option, part, widget)  # type: ignore[arg-type]  # may be null
        has_buttons = widget.buttonSymbols() != QAbstractSpinBox.ButtonSymbols.NoButtons
        buttons = _BUTTON_WIDTH if has_buttons else 0
        rect = QRect(option.rect)
        edge = rect.right() - buttons
        if part == _Sub.SC_SpinBoxEditField:
            place = rect.adjusted(_PADDING, 1, -(buttons or _PADDING), -1)
        elif part == _Sub.SC_SpinBoxUp:
            place = QRect(edge, rect.top() + 1, buttons, rect.height() // 2 - 1)
        elif part == _Sub.SC_SpinBoxDown:
            half = rect.height() // 2
            place = QRect(edge, rect.top() + half, buttons, rect.height() - half - 1)
        else:
            return rect
        return self.visualRect(option.direction, rect, place)

    def sizeFromContents(
        self,
        kind: QStyle.ContentsType,
        option: QStyleOption,
        size: QSize,
        widget: QWidget | None = None,
    ) -> QSize:
        if kind != QStyle.ContentsType.CT_SpinBox or not isinstance(widget, QAbstractSpinBox):
            return super().sizeFromContents(kind, option, size, widget)  # type: ignore[arg-type]  # may be null
        small = widget.property("compact") == "true"
        has_buttons = widget.buttonSymbols() != QAbstractSpinBox.ButtonSymbols.NoButtons
        # 4: the cursor and the inner margins of a QLineEdit.
        width = size.width() + _PADDING + (_BUTTON_WIDTH if has_buttons else _PADDING) + 4
        return QSize(width, scaled(SMALL_FIELD_HEIGHT if small else FIELD_HEIGHT))

    def _draw_spin_box(self, option: QStyleOptionComplex, painter: QPainter, box: QAbstractSpinBox) -> None:
        theme, enabled = self.theme, box.isEnabled()
        edge = theme.border_strong if enabled else theme.border
        if box.property("invalid") == "true":
            edge = theme.danger
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(edge), 1))
        painter.setBrush(theme.surface if enabled else theme.surface_2)
        painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        if box.buttonSymbols() != QAbstractSpinBox.ButtonSymbols.NoButtons:
            for part, name in ((_Sub.SC_SpinBoxUp, "chevron-up"), (_Sub.SC_SpinBoxDown, "chevron-down")):
                place = self.subControlRect(QStyle.ComplexControl.CC_SpinBox, option, part, box)
                self._draw_step(option, painter, box, part, name, QRectF(place))
        painter.restore()

    def _draw_step(
        self,
        option: QStyleOptionComplex,
        painter: QPainter,
        box: QAbstractSpinBox,
        part: QStyle.SubControl,
        name: str,
        place: QRectF,
    ) -> None:
        theme = self.theme
        if box.isEnabled() and option.activeSubControls & part:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.hover)
            painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        side = min(scaled(11), place.height())
        arrow = QRectF(0, 0, side, side)
        arrow.moveCenter(place.center())
        can_step = box.isEnabled() and not _is_at_end(box, up=part == _Sub.SC_SpinBoxUp)
        paint_icon(painter, arrow, name, theme.text_2 if can_step else theme.text_disabled)


def _is_at_end(box: QAbstractSpinBox, *, up: bool) -> bool:
    if not isinstance(box, QSpinBox | QDoubleSpinBox) or box.wrapping():
        return False
    return box.value() >= box.maximum() if up else box.value() <= box.minimum()
