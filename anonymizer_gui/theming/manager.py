"""Application of a theme, and the signal for widgets that paint with it."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from types import MethodType
from typing import Any, Protocol, cast
from weakref import ref

from PySide6.QtCore import QObject, QTemporaryDir
from PySide6.QtGui import QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import Object, isValid

from anonymizer_gui.theming.chrome_style import ChromeStyle
from anonymizer_gui.theming.dressing import Dresser
from anonymizer_gui.theming.focus import FocusRing
from anonymizer_gui.theming.svg import svg_source
from anonymizer_gui.theming.tokens import LIGHT, Theme
from anonymizer_gui.theming.type_scale import (
    TYPE_TABLE,
    Text,
    font,
    font_scale,
    pixels,
    scaled,
    set_font_scale,
)
from engine.shipped import resources_path
from engine.words import _

_AT_ONCE = 0.008  # seconds after which the next methods wait for the next step
Method = tuple[ref[Any], str]


class Listeners:
    """Methods in the order in which they were added, each as long as its object exists.

    Unlike the slots of a signal, they can be called in several steps, between which user input is handled.
    """

    def __init__(self) -> None:
        self._methods: dict[int, Method] = {}
        self._numbers = count()

    def connect(self, method: Callable[[], object]) -> None:
        """Call a method of an object after every change."""
        number = next(self._numbers)
        bound: MethodType = method  # type: ignore[assignment]
        owner = ref(bound.__self__, lambda _owner: self._methods.pop(number, None))
        self._methods[number] = (owner, bound.__name__)

    def emit(self) -> None:
        """Call all methods."""
        for step in self.steps():
            step()

    def steps(self) -> Iterator[Callable[[], object]]:
        """Yield calls that together call all methods, each short."""
        rest = list(reversed(self._methods.values()))
        while rest:
            yield partial(_call_some, rest)


def _call_some(rest: list[Method]) -> None:
    """Call the last methods of a list and remove them, until some time has passed."""
    end = time.monotonic() + _AT_ONCE
    while rest and time.monotonic() < end:
        held, name = rest.pop()
        owner = held()
        if owner is None or (isinstance(owner, Object) and not isValid(owner)):
            continue
        try:
            getattr(owner, name)()
        except Exception:
            sys.excepthook(*sys.exc_info())  # as after an error in a slot, the others are called too


ICON_KEEPER = "iconKeeper"  # object name


class IconKeeper(Protocol):
    """Child of a widget that keeps its icon in the current theme."""

    def draw(self) -> None:
        """Draw the icon in the current theme."""


class ThemeManager(QObject):
    """Current theme; one instance per process.

    Attributes
    ----------
    theme_changed : Listeners
        Methods of objects that paint with the theme.
    """

    def __init__(self) -> None:
        super().__init__()
        self.theme_changed = Listeners()
        self.theme = LIGHT
        self._style: ChromeStyle | None = None
        self._focus_ring: FocusRing | None = None
        self._arrow_folder: QTemporaryDir | None = None
        self._n_building = 0
        self._dresser = Dresser(self)
        self._hidden: list[QWidget] = []  # parts that are not drawn yet after a change of theme
        self._windows: list[ref[QWidget]] = []  # with the style sheet; without one, the application has it

    @property
    def font_scale(self) -> float:
        return font_scale()

    def apply(self, app: QApplication, theme: Theme, font_scale: float = 1.0) -> None:
        """Build fonts, palette and style sheet for `theme`; no widget stores a colour."""
        for step in self.steps(app, theme, font_scale):
            step()

    def steps(self, app: QApplication, theme: Theme, font_scale: float) -> Iterator[Callable[[], object]]:
        """Yield calls that together apply a theme, each short; the last ones draw the windows again."""
        yield partial(self._begin, app, theme, font_scale)
        parts: list[QWidget] = []
        for window in self._living():
            for part in self._dresser.parts(window):
                parts.append(part)
                yield partial(self._dresser.take, part)
                yield partial(self._dresser.put, part)
                yield partial(self._draw_icons, part)
        if self._focus_ring is not None:
            yield partial(self._focus_ring.refresh, theme.ring_width)
        yield from self.theme_changed.steps()
        yield partial(self._show, app, parts)
        while self._hidden:
            yield self._show_one

    def _begin(self, app: QApplication, theme: Theme, font_scale: float) -> None:
        load_fonts()
        self.theme = theme
        set_font_scale(font_scale)
        if self._style is None:
            self._style = ChromeStyle()
            app.setStyle(self._style)
            self._focus_ring = FocusRing(app)
            # A style sheet accepts arrows of sub-controls as files only.
            self._arrow_folder = QTemporaryDir()
        self._style.theme = theme
        windows = self._living()
        for window in windows:
            window.setUpdatesEnabled(False)
        while self._hidden:  # of a theme that was not applied to its end
            self._show_one()
        app.setFont(font(Text.CONTROL))
        app.setPalette(build_palette(theme))
        if not windows:
            # Replacing a style sheet restyles every widget once per ancestor; emptying it first, only once.
            app.setStyleSheet("")
        self._set_style_sheet(app)

    def _draw_icons(self, part: QWidget) -> None:
        if isValid(part):
            for keeper in part.findChildren(QObject, ICON_KEEPER):
                cast(IconKeeper, keeper).draw()  # the signal then finds the pictures ready

    def _show(self, app: QApplication, parts: Sequence[QWidget]) -> None:
        """Draw what is around some parts, which follow one by one.

        Qt would draw a whole window twice: for widgets that cover what is behind them, and for the others.
        """
        self._hidden = [part for part in parts if isValid(part) and part.isVisible()]
        for part in self._hidden:
            part.setUpdatesEnabled(False)
        windows = self._living()
        for window in windows:
            window.setUpdatesEnabled(True)
        for shown in app.topLevelWidgets():
            if shown not in windows:
                shown.update()

    def _show_one(self) -> None:
        if isValid(part := self._hidden.pop(0)):
            part.setUpdatesEnabled(True)

    def adopt(self, app: QApplication, window: QWidget) -> None:
        """Give the style sheet to the parts of a window without a parent instead of the application.

        Widgets created outside of it are then styled once, when they are put into it, instead of once per
        layer; and visible widgets are not restyled for them.
        """
        self._windows.append(ref(window))
        self._set_style_sheet(app)
        self._dresser.dress(window)

    def steps_to_dress(self, page: QWidget) -> Iterator[Callable[[], object]]:
        """Yield calls that together style a page of an adopted window, each short."""
        if self._windows and not self._n_building:
            for part in self._dresser.parts(page):
                yield partial(self._dresser.put, part)
                yield part.ensurePolished

    def dress(self, popup: QWidget) -> None:
        """Give a popup without a parent, such as that of a completer, the style sheet of the windows."""
        if self._living():
            self._dresser.put(popup)

    def _living(self) -> list[QWidget]:
        """Return the adopted windows that still exist."""
        found = [window for held in self._windows if (window := held()) is not None and isValid(window)]
        self._windows = [ref(window) for window in found]
        return found

    @contextmanager
    def building(self, app: QApplication) -> Iterator[None]:
        """Remove the style sheet while many widgets are created, and set it again at the end.

        Under a style sheet, Qt restyles a widget with all its children whenever it gets a parent: a window
        built bottom-up would be restyled once per layer.
        """
        self._n_building += 1
        app.setStyleSheet("")
        try:
            yield
        finally:
            self._n_building -= 1
            self._set_style_sheet(app)
            for window in self._living():
                self._dresser.dress(window)
            if self._focus_ring is not None:
                self._focus_ring.refresh(self.theme.ring_width)

    def _set_style_sheet(self, app: QApplication) -> None:
        if self._arrow_folder is not None and not self._n_building:
            self._dresser.sheet = build_style_sheet(self.theme, self._arrow_folder.path())
            app.setStyleSheet("" if self._living() else self._dresser.sheet)


class _Holder:
    manager: ThemeManager | None = None


def theme_manager() -> ThemeManager:
    """Return the manager of this process, created on first use."""
    if _Holder.manager is None:
        _Holder.manager = ThemeManager()
    return _Holder.manager


def follow_theme(method: Callable[[], object]) -> None:
    """Call a method of an object now and after every change of theme."""
    theme_manager().theme_changed.connect(method)
    method()


def current_theme() -> Theme:
    """Return the current theme; call it in every paintEvent."""
    return theme_manager().theme


TEMPLATE = Path(__file__).with_name("style.qss")
CONTRAST_TEMPLATE = Path(__file__).with_name("contrast.qss")  # follows the other in high-contrast themes
# Pictures of sub-controls: name in the template -> (icon, token).
_ARROWS = {
    "arrow_down": ("chevron-down", "text_2"),
    "arrow_down_dim": ("chevron-down", "text_disabled"),
    "arrow_up": ("chevron-up", "text_2"),
    "arrow_right": ("chevron-right", "text_2"),
    "tick": ("check", "on_accent"),
    "dash": ("minus", "on_accent"),
    "tick_dim": ("check", "text_disabled"),
    "menu_tick": ("check", "text"),
}
# Radio buttons: (ring, fill, dot) as tokens; a style sheet cannot draw a circle that scales with the font.
_RADIOS = {
    "radio": ("border_strong", "surface", "surface"),
    "radio_hover": ("accent", "hover", "hover"),
    "radio_on": ("accent", "accent", "on_accent"),
    "radio_dim": ("border", "sunken", "sunken"),
    "radio_on_dim": ("border", "sunken", "text_disabled"),
}
_LABEL_TONES = (
    "text",
    "text_2",
    "text_3",
    "text_disabled",
    "accent",
    "accent_text",
    "ok",
    "warn",
    "danger",
    "on_accent",
)


@lru_cache(maxsize=2)
def _template(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def build_style_sheet(theme: Theme, arrow_folder: str) -> str:
    """Return the style sheet of `theme` at the current font scale.

    In the template `@name` is a token, `@url(name)` a tinted picture written to `arrow_folder`, `@size(USE)`
    a pixel size of the type table, and `~26px` a length that scales with the font.
    """
    template = _template(TEMPLATE) + (_template(CONTRAST_TEMPLATE) if theme.is_high_contrast else "")
    sheet = re.sub(r"@url\((\w+)\)", lambda m: _picture(theme, m[1], arrow_folder), template)
    sheet = re.sub(r"@size\((\w+)\)", lambda m: f"{pixels(Text[m[1]])}px", sheet)
    sheet = re.sub(r"@(\w+)", lambda m: str(getattr(theme, m[1])), sheet)
    sheet = re.sub(r"~(\d+)px", lambda m: f"{scaled(int(m[1]))}px", sheet)
    return sheet + "\n".join(_label_rules(theme))


def _picture(theme: Theme, name: str, folder: str) -> str:
    path = Path(folder) / f"{theme.name}-{name}.svg"
    if not path.exists():
        path.write_text(_drawing(theme, name), encoding="utf-8")
    return f'url("{path.as_posix()}")'


def _drawing(theme: Theme, name: str) -> str:
    if name in _ARROWS:
        icon_name, token = _ARROWS[name]
        return svg_source(icon_name).replace("currentColor", str(getattr(theme, token)))
    ring, fill, dot = (str(getattr(theme, token)) for token in _RADIOS[name])
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
        f'<circle cx="8" cy="8" r="7.5" stroke="{ring}" fill="{fill}"/>'
        f'<circle cx="8" cy="8" r="3" fill="{dot}"/></svg>'
    )


def _label_rules(theme: Theme) -> list[str]:
    uses = [
        f'QLabel[use="{use.value}"] {{ font-size: {pixels(use)}px; font-weight: {style.weight}; }}'
        for use, style in TYPE_TABLE.items()
    ]
    tones = [f'QLabel[tone="{tone}"] {{ color: {getattr(theme, tone)}; }}' for tone in _LABEL_TONES]
    return uses + tones


_Role = QPalette.ColorRole
_TOKENS = {
    _Role.Window: "window",
    _Role.Base: "surface",
    _Role.Button: "surface",
    _Role.AlternateBase: "surface_2",
    _Role.ToolTipBase: "surface",
    _Role.Text: "text",
    _Role.WindowText: "text",
    _Role.ButtonText: "text",
    _Role.ToolTipText: "text",
    _Role.BrightText: "on_accent",
    _Role.PlaceholderText: "text_3",
    _Role.Highlight: "accent_soft",
    _Role.HighlightedText: "text",
    _Role.Accent: "accent",
    _Role.Link: "accent_text",
    _Role.LinkVisited: "accent_text",
    _Role.Light: "surface",
    _Role.Midlight: "grid",
    _Role.Mid: "border",
    _Role.Dark: "border_strong",
    _Role.Shadow: "border_strong",
}
_DISABLED = (_Role.Text, _Role.WindowText, _Role.ButtonText, _Role.HighlightedText, _Role.PlaceholderText)


def build_palette(theme: Theme) -> QPalette:
    """Return the palette of the theme; the disabled group differs in its text only."""
    palette = QPalette()
    for role, token in _TOKENS.items():
        palette.setColor(QPalette.ColorGroup.All, role, theme.color(token))
    for role in _DISABLED:
        palette.setColor(QPalette.ColorGroup.Disabled, role, theme.color("text_disabled"))
    return palette


FONT_FILES = ("Inter-Regular.ttf", "Inter-Medium.ttf", "Inter-SemiBold.ttf")
_loaded: set[str] = set()


def load_fonts() -> None:
    """Register the bundled fonts once per process; requires a QGuiApplication."""
    for name in FONT_FILES:
        if name not in _loaded:
            path = resources_path() / "fonts" / name
            if QFontDatabase.addApplicationFont(str(path)) == -1:
                raise FileNotFoundError(
                    _("The font file '{name}' could not be loaded.").format(name=path.name)
                )
            _loaded.add(name)
