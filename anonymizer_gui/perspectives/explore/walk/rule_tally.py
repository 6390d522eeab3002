"""The rules a search knows nodes by, with how many nodes each has settled so far."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import Text, current_theme, font, scaled, theme_manager
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.numbers import as_exact_count

_WIDTH, _MARGIN, _GAP = 232, 8, 8


class RuleTally(QWidget):
    """Lists the rules used most; those without room are told by the tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("walkRules")
        self._rules: tuple[tuple[int, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        self.setAccessibleName(self.tr("Steps by rule"))
        theme_manager().theme_changed.connect(self.updateGeometry)

    @property
    def rules(self) -> Sequence[tuple[int, str]]:
        """Counts and rules as they are listed."""
        return self._rules

    def show_rules(self, rules: Sequence[tuple[int, str]]) -> None:
        """Show other counts; rules not used yet are left out."""
        used = sorted((rule for rule in rules if rule[0]), key=lambda rule: -rule[0])
        if tuple(used) != self._rules:
            self._rules = tuple(used)
            self.setToolTip(self.text())
            self.update()

    def text(self) -> str:
        """One line per rule."""
        return "\n".join(f"{as_exact_count(count)}: {text}" for count, text in self._rules)

    def sizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH), scaled(160))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH), scaled(40))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        title, strong, plain = font(Text.SECTION), font(Text.CAPTION, SEMI_BOLD), font(Text.CAPTION)
        painter.setFont(title)
        painter.setPen(theme.color("text_2"))
        line = QFontMetricsF(title).height() + 4
        flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        painter.drawText(QRectF(_MARGIN, 6, self.width(), line), flags, self.tr("Steps by rule"))
        metrics = QFontMetricsF(strong)
        counts = [as_exact_count(count) for count, _ in self._rules]
        column = max((metrics.horizontalAdvance(text) for text in counts), default=0.0)
        y, width = 6 + line, self.width() - 2 * _MARGIN - column - _GAP
        for place, ((_, text), count) in enumerate(zip(self._rules, counts, strict=True)):
            lines = _wrapped(text, width)
            height = len(lines) * metrics.height() + 4
            n_left = len(self._rules) - place
            room = self.height() - y - (metrics.height() + 4 if n_left > 1 else 0)
            if height > room:
                painter.setFont(plain)
                painter.setPen(theme.color("text_3"))
                more = self.tr("and {0} more").format(n_left)
                painter.drawText(QRectF(_MARGIN, y, self.width(), line), flags, more)
                break
            painter.setFont(strong)
            painter.setPen(theme.color("text"))
            right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            painter.drawText(QRectF(_MARGIN, y, column, metrics.height()), right, count)
            painter.setFont(plain)
            painter.setPen(theme.color("text_2"))
            for words in lines:
                painter.drawText(
                    QRectF(_MARGIN + column + _GAP, y, width + 2, metrics.height()), flags, words
                )
                y += metrics.height()
            y += 4


def _wrapped(text: str, width: float) -> list[str]:
    """A text in lines no longer than a width."""
    layout = QTextLayout(text, font(Text.CAPTION))
    layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
    lines = []
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 40.0))
        start = line.textStart()
        lines.append(text[start : start + line.textLength()].strip())
    layout.endLayout()
    return lines
