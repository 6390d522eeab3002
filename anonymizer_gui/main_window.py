"""Frame of the window: menus, perspective bar, page stack and status strip; independent of projects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import (
    QDialog,
    QMainWindow,
    QMenu,
    QMenuBar,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from anonymizer_gui.actions import MENUS, RECENT, SCORING, SEPARATOR, SUBMENUS, Actions
from anonymizer_gui.frame.perspective_bar import PerspectiveBar
from anonymizer_gui.frame.side_place import BannerPlace, SidePlace
from anonymizer_gui.frame.status_strip import StatusStrip
from anonymizer_gui.theming import Text, follow_theme, scaled, theme_manager
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Drawn
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from engine.words import _

_RADIUS = 6


class MenuBar(Drawn, QMenuBar):
    """Menu bar that paints its titles.

    Qt asks the application style whether to underline letters. A Python style would be asked so often while a
    window is built that building would take half as long again.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setNativeMenuBar(False)  # a system menu has no place for the text at the right end

    def draw(self, painter: ThemedPainter) -> None:
        painter.fill(self.rect(), "surface")
        align = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextHideMnemonic | Qt.TextFlag.TextSingleLine
        active = self.activeAction()
        for action in self.actions():
            place = self.actionGeometry(action)
            if action is active:
                painter.fill(place.adjusted(0, 1, 0, -1), "hover", radius=_RADIUS)
            painter.style(Text.CONTROL, "text" if action is active else "text_2")
            painter.drawText(place, align, action.text())


SMALLEST = QSize(1024, 640)
START = "start"
MENU_HEIGHT, FACTS_WIDTH, FACTS_MARGIN = 28, 760, 12


class MainWindow(QMainWindow):
    """Main window with one page per perspective and the start page."""

    files_dropped = Signal(object)  # tuple of Path
    files_dragged = Signal(object)  # tuple of Path over the window, empty if not of this computer; or None
    recent_requested = Signal(object)  # Path
    page_shown = Signal(str)
    splitter_moved = Signal(str, object)  # name, tuple of sizes

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle(_("Anonymizer"))
        self.setMinimumSize(SMALLEST)
        self.setAcceptDrops(True)
        self.actions_ = actions
        self._closing_questions: list[Callable[[], bool]] = []
        self.may_close: Callable[[], bool] = lambda: all(may() for may in self._closing_questions)
        self._makers: dict[str, Callable[[], QWidget]] = {}
        self._ahead: dict[str, Callable[[], Iterable[Callable[[], object]]]] = {}
        self.pages: dict[str, QWidget] = {}
        self._dressed: set[str] = set()  # pages with the style sheet
        self.page = ""  # name of the visible page
        self._sizes: dict[str, tuple[int, ...]] = {}  # of the splitters, as the user set them
        self.bar = PerspectiveBar(actions)
        self.banner = named(ErrorBanner(), "errorBanner")
        self.status = StatusStrip()
        self._stack = QStackedWidget()
        self._side = SidePlace(self._stack)
        self._facts = ElidedLabel("", Text.CELL, "text_2", mode=Qt.TextElideMode.ElideMiddle)
        self._recent_menu = QMenu(self.tr("Open &recent"), self)
        self._build_menus()
        self._build_frame()

    @property
    def shown_page(self) -> QWidget:
        """Widget of the visible page."""
        return self.pages[self.page]

    def add_side_panel(self, panel: QWidget) -> None:
        """Add a panel at the right edge of the pages, next to them or over them."""
        panel.setParent(self._stack.parentWidget())
        self._side.add(panel)

    def add_page(self, name: str, page: QWidget) -> None:
        """Add a perspective or the start page."""
        self.pages[name] = page
        self._stack.addWidget(page)
        for splitter in page.findChildren(QSplitter):
            if splitter.objectName():
                self._restore(splitter)
                splitter.splitterMoved.connect(lambda *_unused, s=splitter: self._on_splitter_moved(s))

    def add_later(
        self,
        name: str,
        make: Callable[[], QWidget],
        ahead: Callable[[], Iterable[Callable[[], object]]] = tuple,
    ) -> None:
        """Add a perspective that is created when it is first shown; `ahead` are steps that shorten this."""
        self._makers[name], self._ahead[name] = make, ahead

    def steps_to_make(self, *names: str) -> Iterator[Callable[[], object]]:
        """Yield calls that together create deferred pages, each as short as possible."""
        for name in names:
            for step in self._ahead.get(name, tuple)():
                if name in self._makers:
                    yield step
            yield partial(self._build_page, name)
            if name in self._makers:
                self._add_made(name)
                yield from self._steps_to_dress(name)

    def _build_page(self, name: str) -> None:
        """Create a page outside of the window; its maker keeps it until it is put into the window."""
        if name in self._makers:
            self._makers[name]()

    def make_pages(self, *names: str) -> None:
        """Create all pages that were deferred."""
        for name in names:
            if name not in self.pages:
                self._add_made(name)
            if name not in self._dressed:
                for step in self._steps_to_dress(name):
                    step()

    def _steps_to_dress(self, name: str) -> Iterator[Callable[[], object]]:
        yield from theme_manager().steps_to_dress(self.pages[name])
        self._dressed.add(name)

    def _add_made(self, name: str) -> QWidget:
        page = self._makers.pop(name)()
        self.add_page(name, page)
        return page

    def show_page(self, name: str) -> None:
        """Show a page; only perspectives have the bar above them."""
        self.make_pages(name)
        page = self.pages[name]
        is_perspective, was_perspective = name in self.bar.names, self.page in self.bar.names
        self.page = name
        had_focus = self._stack.isAncestorOf(self.focusWidget())
        is_new = page.focusWidget() is None  # never had the focus, so there is none to return to
        self._stack.setCurrentWidget(page)
        focused: QWidget | None = self.focusWidget()
        if focused is not None and not page.isAncestorOf(focused):
            focused.clearFocus()  # else the focus ring jumps to the next widget
        if page.focusProxy() is not None:
            page.setFocus()
        self.bar.setVisible(is_perspective)
        if is_perspective:
            self.bar.show_perspective(name)
            self.actions_[name].setChecked(True)
            if had_focus and is_new and was_perspective:
                self.bar.focus_perspective(name)
        self.page_shown.emit(name)

    def close_dialogs(self) -> None:
        """Close the dialogs over perspectives, which are about the open project."""
        for name in self.bar.names:
            page = self.pages.get(name)
            for dialog in [] if page is None else page.findChildren(QDialog):
                if dialog.isVisible():
                    dialog.reject()

    def ask_before_closing(self, may_close: Callable[[], bool]) -> None:
        """Add a condition for closing; conditions are asked in the order they were added."""
        self._closing_questions.append(may_close)

    def restore_splitters(self, sizes: Mapping[str, Sequence[int]]) -> None:
        """Restore splitter positions, also of splitters created later."""
        self._sizes = {name: tuple(kept) for name, kept in sizes.items()}

    def _restore(self, splitter: QSplitter) -> None:
        sizes = self._sizes.get(splitter.objectName(), ())
        if splitter.count() == len(sizes):
            splitter.setSizes(list(sizes))

    def show_project_facts(self, text: str) -> None:
        """Set the text at the right end of the menu bar."""
        self._facts.setText(text)
        self._update_menu_bar()

    @property
    def recent_menu(self) -> QMenu:
        """Menu of all recent files."""
        return self._recent_menu

    def show_recent(self, paths: Sequence[str]) -> None:
        """Fill the submenu of recent files."""
        self._recent_menu.clear()
        for name in paths:
            path = Path(name)
            action = self._recent_menu.addAction(path.name.replace("&", "&&"))
            action.setToolTip(name)
            action.triggered.connect(lambda _unused=False, p=path: self.recent_requested.emit(p))
        self._recent_menu.menuAction().setVisible(bool(paths))

    def _menu(self, title: str, names: Iterable[str], parent: QWidget) -> QMenu:
        menu = QMenu(_(title), parent)
        menu.setToolTipsVisible(True)
        for name in names:
            if name == SEPARATOR:
                menu.addSeparator()
            elif name == RECENT:
                menu.addMenu(self._recent_menu)
            elif name in SUBMENUS:
                menu.addMenu(self._menu(*SUBMENUS[name], menu))
            else:
                menu.addAction(self.actions_[name])
        return menu

    def _build_menus(self) -> None:
        bar = MenuBar(self)
        for title, names in MENUS:
            bar.addMenu(self._menu(title, names, bar))
        self.status.set_menu(self._menu(*SCORING, self.status))
        self._recent_menu.setToolTipsVisible(True)
        self._facts_box = QWidget()
        hbox(self._facts, margins=(0, 0, FACTS_MARGIN, 0), of=self._facts_box)
        self.setMenuBar(bar)
        follow_theme(self._update_menu_bar)
        self.addActions(list(self.actions_.all()))

    def _update_menu_bar(self) -> None:
        """Give the bar the height of its text; Qt sizes the corner widget only by its own hint."""
        bar = self.menuBar()
        # Qt draws a button for further menus, over the facts, if a title is a pixel higher than the bar.
        height = max(scaled(MENU_HEIGHT), *(bar.actionGeometry(action).height() for action in bar.actions()))
        bar.setFixedHeight(height)
        words = self._facts.sizeHint().width() + FACTS_MARGIN
        self._facts_box.setFixedSize(min(words, FACTS_WIDTH), height)
        bar.setCornerWidget(self._facts_box, Qt.Corner.TopRightCorner)
        self._facts_box.setVisible(bool(self._facts.text()))

    def _build_frame(self) -> None:
        central = QWidget()
        place = BannerPlace(self.banner, self._stack)
        parts = self.bar, place.above, (self._stack, 1), place.below, self.status
        vbox(*parts, spacing=0, margins=0, of=central)
        self.setCentralWidget(central)

    def _on_splitter_moved(self, splitter: QSplitter) -> None:
        self.splitter_moved.emit(splitter.objectName(), tuple(splitter.sizes()))

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.may_close():
            event.accept()
        else:
            event.ignore()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        paths = _dropped_files(event)
        if paths or event.mimeData().hasUrls():
            self.files_dragged.emit(paths)
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.files_dragged.emit(None)
        super().dragLeaveEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if _dropped_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = _dropped_files(event)
        self.files_dragged.emit(None)
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)


def _dropped_files(event: QDropEvent) -> tuple[Path, ...]:
    """Return the files of a drag; none if any is not on this computer."""
    urls = event.mimeData().urls()
    return tuple(Path(url.toLocalFile()) for url in urls) if all(url.isLocalFile() for url in urls) else ()
