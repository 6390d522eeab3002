"""Language of the window: `tr` uses the engine's catalogue, Qt's own texts use Qt's."""

from __future__ import annotations

from gettext import NullTranslations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, Qt, QTranslator
from PySide6.QtGui import QGuiApplication

from engine import words

SYSTEM = "system"


class CatalogueTranslator(QTranslator):
    """Answers `tr` from the active catalogue; the second argument of `tr` is the context of the text."""

    def translate(
        self, context: str, source: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        """Return the text in the current language, or None if the catalogue does not have it."""
        found = words.pgettext(disambiguation, source) if disambiguation else words._(source)
        return None if found == source else found

    def isEmpty(self) -> bool:
        """Return False, because Qt skips translators that are empty."""
        return False


def language_of(choice: str) -> str:
    """Return the chosen language, or the first system language that has a catalogue."""
    known = words.languages()
    wanted = QLocale().uiLanguages() if choice == SYSTEM else [choice]
    codes = (code for name in wanted for code in (name.replace("-", "_"), name.split("-")[0]))
    return next((code for code in codes if code in known), words.ENGLISH)


def use_language(app: QCoreApplication, language: str) -> None:
    """Set the language of the program, before any text of the window is created."""
    if language == words.ENGLISH:
        return
    use_catalogue(app, words.catalogue(language), language)
    QLocale.setDefault(QLocale(language))
    of_qt = QTranslator(app)
    if of_qt.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(of_qt)


def use_catalogue(
    app: QCoreApplication, texts: NullTranslations, language: str = words.ENGLISH
) -> QTranslator:
    """Use the catalogue `texts` and its direction; return the translator now installed in Qt."""
    words.use(texts, language)
    if words.is_right_to_left():
        QGuiApplication.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    translator = CatalogueTranslator(app)
    app.installTranslator(translator)
    return translator
