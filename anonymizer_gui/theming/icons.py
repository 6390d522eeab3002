"""Icons in one colour, tinted with a token when they are loaded."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QObject, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractButton
from shiboken6 import isValid

from anonymizer_gui.theming.manager import ICON_KEEPER, current_theme, theme_manager
from anonymizer_gui.theming.svg import renderer
from anonymizer_gui.theming.tokens import Theme
from anonymizer_gui.theming.type_scale import scaled
from engine.shipped import resources_path

PIXEL_RATIOS = (1.0, 2.0)
_TEXT_GAP = 4


@lru_cache(maxsize=2048)
def _tinted(name: str, size: int, color: str, ratio: float, padding: int = 0) -> QPixmap:
    pixels = round(size * ratio)
    pixmap = QPixmap(pixels + round(padding * ratio), pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer(name, color).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


@lru_cache(maxsize=512)
def _icon(theme: Theme, name: str, size: int, token: str, on_token: str, padding: int = 0) -> QIcon:
    made = QIcon()
    off, on, dim = (str(getattr(theme, t)) for t in (token, on_token, "text_disabled"))
    for ratio in PIXEL_RATIOS:
        for state, color in ((QIcon.State.Off, off), (QIcon.State.On, on)):
            made.addPixmap(_tinted(name, size, color, ratio, padding), QIcon.Mode.Normal, state)
            made.addPixmap(_tinted(name, size, color, ratio, padding), QIcon.Mode.Selected, state)
            made.addPixmap(_tinted(name, size, dim, ratio, padding), QIcon.Mode.Disabled, state)
    return made


def icon(name: str, size: int = 16, token: str = "text_2", on_token: str | None = None) -> QIcon:
    """Return an icon of the current theme with pictures for normal, disabled, selected and checked."""
    return _icon(current_theme(), name, size, token, on_token or token)


def program_icon() -> QIcon:
    """Return the icon of the program, for title bars and lists of windows."""
    made = QIcon()
    for path in (resources_path() / "icons" / "program").glob("*.png"):
        made.addFile(str(path))
    return made


class _IconKeeper(QObject):
    """Updates the icon of its parent after a change of theme or font scale."""

    def __init__(self, target: QAbstractButton | QAction) -> None:
        super().__init__(target)
        self.setObjectName(ICON_KEEPER)
        self._target = target
        self._drawn: tuple[str, int, str, str | None] = ("", 16, "text_2", None)
        theme_manager().theme_changed.connect(self.draw)

    def show(self, name: str, size: int, token: str, on_token: str | None) -> None:
        self._drawn = (name, size, token, on_token)
        self.draw()

    def draw(self) -> None:
        if not isValid(self._target):  # deleted with its menu while others are drawn
            return
        name, size, token, on_token = self._drawn
        side = scaled(size)
        # A style sheet cannot set the space between icon and text, so the picture includes it.
        has_text = isinstance(self._target, QAbstractButton) and bool(self._target.text())
        padding = _TEXT_GAP if has_text else 0
        self._target.setIcon(_icon(current_theme(), name, side, token, on_token or token, padding))
        if isinstance(self._target, QAbstractButton):
            self._target.setIconSize(QSize(side + padding, side))


def set_icon(
    target: QAbstractButton | QAction,
    name: str,
    size: int = 16,
    token: str = "text_2",
    on_token: str | None = None,
) -> None:
    """Set the icon of a button or action and update it with the theme from then on."""
    keeper = target.findChild(_IconKeeper, options=Qt.FindChildOption.FindDirectChildrenOnly)
    (keeper or _IconKeeper(target)).show(name, size, token, on_token)


def fit_icon(button: QAbstractButton) -> None:
    """Redraw the icon of a button whose text was added or removed."""
    keeper = button.findChild(_IconKeeper, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if keeper is not None:
        keeper.draw()
