"""Help panel: the text view of a page, with table of contents, search, Back and Forward."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QUrl, QUrlQuery, Signal
from PySide6.QtGui import (
    QFont,
    QImage,
    QKeyEvent,
    QPixmap,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
)
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QScrollArea, QTextBrowser, QWidget

from anonymizer_gui.help.library import CONTENTS, HelpLibrary, anchor_of, excerpt_of, in_narrow_room
from anonymizer_gui.theming import Text, current_theme, follow_theme, scaled
from anonymizer_gui.theming.type_scale import SEMI_BOLD, font
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from anonymizer_gui.widgets.search_field import SearchField


class PictureWindow(QDialog):
    """Shows one picture, scrolled if the screen is smaller, until Escape closes it."""

    def __init__(self, path: Path, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("helpPicture")
        self.setWindowTitle(title)
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.picture = QLabel()
        self.picture.setPixmap(QPixmap(str(path)))
        self.picture.setAccessibleName(title)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(self.picture)
        vbox(area, margins=0, of=self)
        size = self.picture.sizeHint()
        self.resize(size.boundedTo(self.screen().availableGeometry().size()))


SHOW = "show"  # link scheme of a part of the window
# Path of search results. It has no scheme, because Qt resolves links of pages with one relative to it.
SEARCH = "search"
_MARGIN, _INDENT, _LINE = 12, 18, 125  # px, px, percent
_PICTURE = "\ufffc"  # text of a block with a picture alone
_HEADINGS = {1: Text.HEADING, 2: Text.TITLE, 3: Text.CELL_STRONG}
_MARKDOWN, _IMAGE = QTextDocument.ResourceType.MarkdownResource, QTextDocument.ResourceType.ImageResource


class HelpPageView(QTextBrowser):
    """Shows pages of a library and loads nothing from elsewhere."""

    shown = Signal(str)  # title of the page
    show_requested = Signal(str)  # id of an action or a perspective

    def __init__(self, library: HelpLibrary) -> None:
        super().__init__()
        self._library = library
        self.setOpenLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setAccessibleName(self.tr("Help page"))
        self.setProperty("focus_ring", "inside")
        self.document().setDocumentMargin(scaled(_MARGIN))
        self.anchorClicked.connect(self._follow)
        self.sourceChanged.connect(self._on_source_changed)
        follow_theme(self._restyle)

    def open_link(self, link: str) -> None:
        """Show a page such as `risk.md`, or a section of it such as `risk.md#people`."""
        url = QUrl(link)
        if self.source() == url:
            self._scroll_to(url.fragment())
        else:
            self.setSource(url, _MARKDOWN)

    def doSetSource(self, name: QUrl | str, type: QTextDocument.ResourceType = _MARKDOWN) -> None:
        """Show the page and section of a link; the argument name is Qt's."""
        super().doSetSource(name, _MARKDOWN)
        self._scroll_to(QUrl(name).fragment())

    def _on_source_changed(self) -> None:
        """Style a page that was just set, also by Back and Forward, which then restore its place."""
        self._style_blocks()
        self.shown.emit(self._title())

    def loadResource(self, type: int, name: QUrl | str) -> Any:  # name given by Qt
        """Return the Markdown of a page or of search results; nothing for other resources."""
        name = QUrl(name)
        if type == _IMAGE.value:
            return self._fitted(name.path())
        if type != _MARKDOWN.value:
            return super().loadResource(type, name) if name.isLocalFile() else None
        if name.path() == SEARCH:
            return self._found(QUrlQuery(name).toString(QUrl.ComponentFormattingOption.FullyDecoded))
        page = name.path().removesuffix(".md")
        if page in self._library.names:
            return in_narrow_room(self._library.page(page).text)
        return "# {title}\n\n{text}".format(
            title=self.tr("Page not found"),
            text=self.tr("This version of the help has no page of that name."),
        )

    def search(self, words: str) -> None:
        """Show the sections that contain all the words."""
        url = QUrl(SEARCH)
        url.setQuery(words, QUrl.ParsingMode.DecodedMode)
        self.setSource(url, _MARKDOWN)

    def _found(self, words: str) -> str:
        lines = [self.tr("# Search results")]
        for section in self._library.search(words):
            title = self._library.page(section.page).title
            place = title if section.heading == title else f"{title}: {section.heading}"
            lines.append(f"**[{place}]({section.link})**\n\n{excerpt_of(section, words)}")
        if len(lines) == 1:
            lines.append(self.tr("No page has all of these words. Try fewer or shorter words."))
        return "\n\n".join(lines)

    def _follow(self, url: QUrl) -> None:
        if url.scheme() == SHOW:
            self.show_requested.emit(url.path())
        elif (picture := self._library.picture(url.path())) is not None:
            PictureWindow(picture, self._title(), self.window()).show()
        elif not url.scheme():
            self.open_link(url.toString())

    def _fitted(self, name: str) -> QImage | None:
        """Return a picture at most as wide as the page."""
        path = self._library.picture(name)
        if path is None:
            return None
        picture, ratio = QImage(str(path)), self.devicePixelRatioF()
        bar = self.verticalScrollBar()  # pages with pictures always need it
        room = self.viewport().width() - (0 if bar.isVisible() else bar.sizeHint().width())
        width = round((room - 2 * scaled(_MARGIN)) * ratio)
        if picture.width() > width:
            picture = picture.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
            picture.setDevicePixelRatio(ratio)
        return picture

    def _title(self) -> str:
        return self.document().firstBlock().text()

    def _scroll_to(self, anchor: str) -> None:
        block = self.document().firstBlock()
        while anchor and block.isValid():
            if block.blockFormat().headingLevel() and anchor_of(block.text()) == anchor:
                cursor = QTextCursor(block)
                self.setTextCursor(cursor)
                top = self.document().documentLayout().blockBoundingRect(block).top()
                self.verticalScrollBar().setValue(round(top) - scaled(_MARGIN))
                return
            block = block.next()
        self.verticalScrollBar().setValue(0)

    def _restyle(self) -> None:
        theme = current_theme()
        self.document().setDefaultStyleSheet(f"a {{ color: {theme.accent_text}; }}")
        self.document().setDefaultFont(font(Text.CELL))
        self.document().setIndentWidth(scaled(_INDENT))
        if not self.source().isEmpty():
            self.reload()

    def _style_blocks(self) -> None:
        """Set heading sizes and paragraph spacing, because Markdown has no style sheet."""
        whole = QTextCursor(self.document())
        whole.beginEditBlock()  # else every change lays the page out
        block = self.document().firstBlock()
        while block.isValid():
            form, level = block.blockFormat(), block.blockFormat().headingLevel()
            if block.text() != _PICTURE:  # below a picture it would be a gap
                form.setLineHeight(_LINE, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            if level:
                form.setTopMargin(scaled(0 if level == 1 else 12))
            form.setBottomMargin(scaled(6 if block.textList() is None else 0))
            QTextCursor(block).setBlockFormat(form)
            for fragment in _fragments(block):
                if fragment.charFormat().isImageFormat():
                    self._link_picture(fragment)
                elif level or fragment.charFormat().fontWeight() > QFont.Weight.Medium:
                    self._style_strong(fragment, _HEADINGS.get(level, Text.CELL))
            block = block.next()
        whole.endEditBlock()

    def _link_picture(self, fragment: QTextFragment) -> None:
        """Make a picture a link to itself, which opens it in full size."""
        form = fragment.charFormat().toImageFormat()
        form.setAnchor(True)
        form.setAnchorHref(form.name())
        self._selected(fragment).setCharFormat(form)

    def _style_strong(self, fragment: QTextFragment, use: Text) -> None:
        """Set a piece of text in the boldest weight of the typeface."""
        strong = fragment.charFormat()
        strong.setFont(font(use, SEMI_BOLD))
        strong.clearProperty(QTextFormat.Property.FontSizeAdjustment.value)  # else it overrides the size
        self._selected(fragment).setCharFormat(strong)

    def _selected(self, fragment: QTextFragment) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(fragment.position())
        cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
        return cursor


def _fragments(block: QTextBlock) -> list[QTextFragment]:
    """Return the pieces of a block as a list, because styling one invalidates the iterator."""
    found, place = [], block.begin()
    while not place.atEnd():
        found.append(place.fragment())
        place += 1
    return found


class HelpPanel(QFrame):
    """All functions of help in one widget, for the window or a dialog."""

    close_requested = Signal()

    def __init__(self, library: HelpLibrary) -> None:
        super().__init__()
        self.setObjectName("helpPanel")
        self.setProperty("card", "true")
        self.setAutoFillBackground(True)
        self.page = named(HelpPageView(library), "helpPage")
        self._back = make_icon_button("arrow-left", self.tr("Back"), "helpBack")
        self._forward = make_icon_button("arrow-right", self.tr("Forward"), "helpForward")
        contents = make_icon_button("list", self.tr("Contents"), "helpContents")
        close = make_icon_button("x", self.tr("Close help"), "helpClose")
        self._title = ElidedLabel("", Text.CELL_STRONG)
        self.field = named(SearchField(), "helpSearch", self.tr("Search help"))
        self.field.setPlaceholderText(self.tr("Search help"))
        head = hbox(self._back, self._forward, contents, (self._title, 1), close, spacing=2)
        vbox(head, self.field, (self.page, 1), spacing=6, margins=8, of=self)
        self._back.clicked.connect(self.page.backward)
        self._forward.clicked.connect(self.page.forward)
        self.page.backwardAvailable.connect(self._back.setEnabled)
        self.page.forwardAvailable.connect(self._forward.setEnabled)
        contents.clicked.connect(lambda: self.page.open_link(f"{CONTENTS}.md"))
        close.clicked.connect(self.close_requested)
        self.field.returnPressed.connect(self._search)
        self.page.shown.connect(self._title.setText)
        self._back.setEnabled(False)
        self._forward.setEnabled(False)

    def open_link(self, link: str) -> None:
        """Show a page or one of its sections."""
        self.page.open_link(link)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_requested.emit()
        else:
            super().keyPressEvent(event)

    def _search(self) -> None:
        if words := self.field.text().strip():
            self.page.search(words)
