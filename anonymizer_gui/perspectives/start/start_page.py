"""Start page: what the program is, recent files to go on with, and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.perspectives.start.examples import EXAMPLES, Example
from anonymizer_gui.session.preferences import RecentFacts
from anonymizer_gui.session.saving import FileState
from anonymizer_gui.tasks import Task
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import announce
from anonymizer_gui.widgets.buttons import make_button, make_icon_button, set_primary
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.drawn import Drawn, FitsRoom, IconLabel
from anonymizer_gui.widgets.job_strip import JobStrip
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, clear, hbox, named, nest, vbox
from anonymizer_gui.widgets.level_glyph import Glyph, GlyphSize, LevelGlyph
from anonymizer_gui.widgets.scroll_body import SteadyArea
from engine.numbers import as_exact_count, as_records, as_saved_moment
from engine.words import N_, _, ngettext

MARK = Glyph((3, 1, 1), (4, 1, 2))  # of the program
_MARK_SIZE, _CARD_SIZE = GlyphSize(34, 10, 4, 14), GlyphSize(40, 8, 4, 14)
_WIDEST, _MARGIN = 1296, 40
_ROOMY, _HERO, _LOW_HERO = 800, 421, 300  # height of the page from which on the upper part is high
_MOST_CARDS, _MOST_COLUMNS = 3, 8
_PICTURE_HEIGHT = 116
_STATES = {
    "": (N_("no release yet"), "neutral"),
    "applied": (N_("applied, not exported"), "warn"),
    "exported": (N_("exported, verified"), "ok"),
    "stale": (N_("out of date"), "warn"),
}


class ExampleCard(QFrame):
    """One example: its lattice, name, description, and a button that opens it."""

    def __init__(self, example: Example) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.button = make_button(self.tr("Explore it"), kind="link", small=True, icon_name="play")
        self.button.setObjectName(f"example.{example.key}")
        self.button.setAccessibleName(self.tr("Open the example {name}").format(name=_(example.name)))
        self._picture = QWidget()
        self._picture.setFixedHeight(scaled(_PICTURE_HEIGHT))
        self._inside = vbox(spacing=0, margins=0, of=self._picture)
        title = make_label(_(example.name), Text.TITLE, explains=False)
        facts = make_label(_(example.facts), Text.CELL, "text_3", explains=False)
        words = make_label(_(example.text), Text.CELL, "text_2", wraps=True, explains=False)
        vbox(
            self._picture,
            hbox(title, facts, STRETCH, spacing=8),
            words,
            STRETCH,
            (self.button, 0, Qt.AlignmentFlag.AlignLeft),
            spacing=4,
            margins=(14, 8, 14, 12),
            of=self,
        )

    def show_picture(self, picture: QWidget) -> None:
        """Show the lattice of the example."""
        self._inside.addWidget(picture)


class RecentCard(QFrame):
    """One recent file: the glyph of its node, its name, when and what it was, and its state."""

    open_requested = Signal()
    forget_requested = Signal()
    locate_requested = Signal()

    def __init__(self, path: Path, number: int, facts: RecentFacts | None) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.path = path
        self.open_button = make_button(path.name, f"recent.{number}", kind="link", tooltip=str(path))
        self.open_button.clicked.connect(self.open_requested)
        forget = make_icon_button("x", self.tr("Remove {name} from this list").format(name=path.name))
        forget.clicked.connect(self.forget_requested)
        glyph = LevelGlyph(_CARD_SIZE)
        self.state, self._lock = Chip(), hbox(spacing=6)
        self.locate_button = make_button(self.tr("Locate…"), f"locate.{number}", small=True)
        self.locate_button.clicked.connect(self.locate_requested)
        self.locate_button.hide()
        self.state.setVisible(facts is not None)
        lines = [ElidedLabel(str(path.parent), Text.CELL, "text_3", mode=Qt.TextElideMode.ElideMiddle)]
        if facts is not None:
            glyph.show_glyph(Glyph(facts.levels[:_MOST_COLUMNS], facts.heights[:_MOST_COLUMNS]))
            text, tone = _STATES.get(facts.state, _STATES[""])
            self.state.show_status(_(text), tone, icon_name="")
            n = facts.n_columns
            columns = ngettext("{n} column", "{n} columns", n).format(n=as_exact_count(n))
            counts = _("{records} · {columns}").format(records=as_records(facts.n_records), columns=columns)
            lines = [
                ElidedLabel(as_saved_moment(facts.when), Text.CELL, "text_3"),
                ElidedLabel(counts, Text.CELL, "text_2"),
            ]
        self.job = JobStrip(fills=True)
        words = vbox(
            hbox(self.open_button, STRETCH, forget, spacing=4),
            *lines,
            hbox(self.state, self._lock, self.locate_button, STRETCH, spacing=8),
            self.job,
            spacing=3,
        )
        hbox(glyph, (words, 1), spacing=16, margins=(14, 8, 8, 10), of=self)

    def show_state(self, state: FileState) -> None:
        """Show that the file is missing, and how to find it, or that another window has it open."""
        self.open_button.setEnabled(not state.is_gone)
        self.locate_button.setVisible(state.is_gone)
        if state.is_gone:
            self.state.show_status(self.tr("not found"), "neutral", icon_name="")
            self.state.show()
        clear(self._lock)
        if state.is_open:
            self._lock.addWidget(IconLabel("lock", 13))
            self._lock.addWidget(make_label(self.tr("opens as a copy"), Text.CELL, "text_2", explains=False))
            self.open_button.setToolTip(self.tr("{path} is open in another window").format(path=self.path))

    def follow(self, task: Task) -> None:
        """Show the progress of opening the file, with Cancel."""
        self.job.start(self.tr("Opening"))
        task.progressed.connect(lambda done, total, text: self.job.show_progress(done / max(total, 1), text))
        task.ended.connect(self.job.finish)
        self.job.cancel_requested.connect(task.cancel)


class DropNotice(Drawn, QWidget):
    """Covers the page while files are dragged over it: what would happen if they were dropped."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.text = ""
        self.hide()

    def show_text(self, text: str) -> None:
        """Say what a drop does; an empty text hides the notice."""
        self.text = text
        self.setVisible(bool(text))
        self.raise_()
        self.update()
        if text:
            announce(self, text)

    def draw(self, painter: ThemedPainter) -> None:
        painter.fill(self.rect(), "surface", 0.85)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.ink("accent", 2.0, (4.0, 3.0))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(8, 8, -8, -8), 8, 8)
        painter.style(Text.STATEMENT, "text")
        words = painter.elided(self.text, self.width() - scaled(48))
        painter.drawText(QRectF(self.rect()), int(Qt.AlignmentFlag.AlignCenter), words)


class StartPage(FitsRoom, QWidget):
    """Shows what can be opened; emits requests only."""

    path_requested = Signal(object)  # Path
    forget_requested = Signal(object)  # Path
    locate_requested = Signal(object)  # Path
    shown_recent = Signal(object)  # tuple of Path, whose states are asked for

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("startPage")
        self._cards: list[RecentCard] = []
        self._requested: Path | None = None  # of the card that was clicked last
        self._examples: dict[str, ExampleCard] = {}
        self._picture = hbox(margins=0)
        self._hero, self._body, content = QFrame(), QWidget(), QWidget()
        self._hero.setProperty("hero", "true")
        self._said = self._words()
        self._inner = hbox((self._said, 5), (self._picture, 7), spacing=24, margins=0, of=self._hero)
        self._notices, self._recent_row = QVBoxLayout(), hbox(spacing=12)
        self.all_button = make_button(
            self.tr("All recent files"), "allRecent", kind="link", small=True, icon_name="chevron-right"
        )
        self._recent = named(QWidget(), "recentFiles")
        head = hbox(make_label(self.tr("Go on"), Text.TITLE, explains=False), STRETCH, self.all_button)
        vbox(head, self._recent_row, spacing=8, margins=0, of=self._recent)
        self._look_first = make_label("", Text.TITLE, explains=False)
        column = vbox(self._recent, self._look_first, self._example_row(), STRETCH, spacing=12)
        column.insertLayout(0, self._notices)
        self._column = hbox(margins=(_MARGIN, 20, _MARGIN, 20), of=self._body)
        nest(self._column, column)
        vbox(self._hero, (self._body, 1), spacing=0, margins=0, of=content)
        vbox(SteadyArea(content), margins=0, of=self)
        self._drop = DropNotice(self)
        for one, other in pairwise((self.open_button, self.judge_button, *self._links)):
            QWidget.setTabOrder(one, other)
        self.show_recent((), {})

    def add_notice(self, notice: QWidget) -> None:
        """Put a notice above the recent files."""
        self._notices.addWidget(notice)

    def show_pictures(self, lattice: QWidget, examples: Mapping[str, QWidget]) -> None:
        """Show the lattices of the examples, a large one of them beside the promise."""
        self._picture.addWidget(lattice)
        for key, picture in examples.items():
            self._examples[key].show_picture(picture)

    def show_recent(self, paths: Sequence[str], facts: Mapping[str, RecentFacts]) -> None:
        """Show the latest files as cards; without any, the examples come first."""
        clear(self._recent_row)
        shown = [Path(name) for name in paths[:_MOST_CARDS]]
        self._cards = [RecentCard(path, i, facts.get(str(path))) for i, path in enumerate(shown)]
        before: QWidget = self.tutorial_button
        for card in self._cards:
            card.open_requested.connect(lambda c=card: self._open(c.path))
            card.forget_requested.connect(lambda c=card: self.forget_requested.emit(c.path))
            card.locate_requested.connect(lambda c=card: self.locate_requested.emit(c.path))
            self._recent_row.addWidget(card, 1)
            card.show()  # now, not after the next events
            for button in card.findChildren(QAbstractButton):  # in reading order, before the examples
                QWidget.setTabOrder(before, button)
                before = button
        if len(shown) < _MOST_CARDS:
            self._recent_row.addStretch(_MOST_CARDS - len(shown))
        QWidget.setTabOrder(before, self.all_button)
        before = self.all_button
        for example in self._examples.values():
            QWidget.setTabOrder(before, example.button)
            before = example.button
        self.all_button.setVisible(len(paths) > _MOST_CARDS)
        self._recent.setVisible(bool(paths))
        self._look_first.setText(
            self.tr("Or look around first") if paths else self.tr("Examples, ready to explore")
        )
        if shown:
            self.shown_recent.emit(tuple(shown))

    def show_states(self, states: Mapping[Path, FileState]) -> None:
        """Show which recent files are missing or open elsewhere."""
        for card in self._cards:
            card.show_state(states.get(card.path, FileState()))

    def show_has_offers(self, has_offers: bool) -> None:
        """Leave the highlight to recovered work, if there is some."""
        set_primary(self.open_button, "folder-open", is_primary=not has_offers)

    def show_dragged(self, paths: Sequence[Path] | None) -> None:
        """Say what dropping files would do; None if nothing is dragged, no path if they cannot be opened."""
        if paths is None:
            text = ""
        elif not paths:
            text = self.tr("Only files of this computer can be opened")
        elif len(paths) == 1:
            text = self.tr("Drop to open {name}").format(name=paths[0].name)
        else:
            n = len(paths)
            text = ngettext("Drop to open {n} file", "Drop to open {n} files as one table", n).format(n=n)
        self._drop.show_text(text)

    def follow(self, task: Task) -> None:
        """Show the progress of a task that opens the file whose card was clicked."""
        for card in self._cards:
            if card.path == self._requested:
                card.follow(task)
        self._requested = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the focused button by Enter too."""
        focused = QApplication.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focused, QPushButton):
            focused.click()
            return
        super().keyPressEvent(event)

    def _open(self, path: Path) -> None:
        self._requested = path
        self.path_requested.emit(path)

    def _words(self) -> QLayout:
        self.open_button = make_button(self.tr("Open a table…"), kind="primary", icon_name="folder-open")
        self.open_button.setObjectName("openButton")
        self.judge_button = make_button(
            self.tr("Assess an anonymized file…"), "judgeButton", icon_name="shield-check"
        )
        self.judge_button.setToolTip(
            self.tr("Measure the privacy and risk of a table anonymized elsewhere (Ctrl+J)")
        )
        links = (
            ("folderButton", self.tr("A folder…"), "folder"),
            ("databaseButton", self.tr("A database…"), "table"),
            ("tourButton", self.tr("Tour in two minutes"), "flag"),
            ("tutorialButton", self.tr("Tutorial: a hospital"), "book-open"),
        )
        self._links = [
            make_button(text, name, kind="link", small=True, icon_name=icon) for name, text, icon in links
        ]
        self.folder_button, self.database_button, self.tour_button, self.tutorial_button = self._links
        self.folder_button.setToolTip(self.tr("The text or Parquet files of a folder become one table"))
        mark = LevelGlyph(_MARK_SIZE)
        mark.show_glyph(MARK)
        promise = make_label(
            self.tr("Every way to anonymize your table, priced."), Text.PROMISE, wraps=True, explains=False
        )
        about = self.tr(
            "Open a table of people. See what each column can keep and what that costs, and release what "
            "you can defend. Nothing leaves this computer."
        )
        formats = self.tr("or drop it here: CSV, Excel, Parquet, SPSS, Stata, SAS, a project")
        return vbox(
            STRETCH,
            hbox(mark, make_label("Anonymizer", Text.STATEMENT, explains=False), STRETCH, spacing=16),
            promise,
            make_label(about, Text.LEAD, "text_2", wraps=True, explains=False),
            hbox(self.open_button, self.judge_button, STRETCH, spacing=8),
            make_label(formats, Text.CELL, "text_3", wraps=True, explains=False),
            hbox(*self._links, STRETCH, spacing=10),
            STRETCH,
            spacing=10,
        )

    def _example_row(self) -> QLayout:
        for example in EXAMPLES:
            card = self._examples[example.key] = ExampleCard(example)
            card.button.clicked.connect(lambda _=False, e=example: self.path_requested.emit(e.path))
        return hbox(*((card, 1) for card in self._examples.values()), spacing=12)

    def _fit(self) -> None:
        """Fit margins and the height of the upper part to the page."""
        side = max((self.width() - scaled(_WIDEST)) // 2, scaled(_MARGIN))
        self._inner.setContentsMargins(side, scaled(8), side - scaled(_MARGIN) // 2, scaled(8))
        self._column.setContentsMargins(side, scaled(20), side, scaled(20))
        is_roomy = self.height() >= scaled(_ROOMY)
        self._hero.setMinimumHeight(scaled(_HERO if is_roomy else _LOW_HERO))
        self._said.setSpacing(scaled(16 if is_roomy else 10))
        self._drop.setGeometry(self.rect())
