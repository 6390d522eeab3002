"""Pictures of views as PNG at twice the screen size, or as SVG, by file extension."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QBuffer, QPoint, QRect, Signal
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QPushButton, QWidget

from anonymizer_gui.theming import current_theme, set_icon
from anonymizer_gui.widgets.file_dialogs import ask_save
from engine.errors import AnonymizerError, ExportError
from engine.files import atomic_write
from engine.words import _

_PNG_RATIO = 2.0
_DOTS_PER_INCH = 96  # definition of the CSS pixel
LEFT_OUT_OF_PICTURES = "leftOutOfPictures"  # property of tools that lie on a view
ONLY_IN_PICTURES = "onlyInPictures"  # property of what only saved and copied pictures say


class PictureButton(QPushButton):
    """Tool in the header of a card that saves a picture of a view."""

    error_raised = Signal(object)  # exception
    saved = Signal(object)  # path

    def __init__(self, view: QWidget, name: str, parent: QWidget | None = None) -> None:
        """Create the button; `name` is the suggested file name without extension."""
        super().__init__(parent)
        self._view, self._name = view, name
        self.setObjectName(f"{name}Picture")
        self.setProperty("kind", "icon")
        set_icon(self, "download", on_token="accent_text")
        self.setAutoDefault(False)
        self.setAccessibleName(self.tr("Save as a picture"))
        self.setToolTip(self.tr("Save as a picture (PNG or SVG)"))
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        try:
            path = save_picture(self._view, self._name)
        except AnonymizerError as error:
            self.error_raised.emit(error)
            return
        if path is not None:
            self.saved.emit(path)


def save_picture(view: QWidget, name: str) -> Path | None:
    """Ask for a file and write a picture of a view with its overlays.

    Parameters
    ----------
    view : QWidget
        Drawn as visible, in the current theme.
    name : str
        Suggested file name without extension.

    Returns
    -------
    Path or None
        The written file; None if cancelled.

    Raises
    ------
    ExportError
        The file cannot be written, or its extension is not that of a picture; an existing file is unchanged.
    """
    title, filters = _("Save a picture, as PNG or SVG"), _("Pictures (*.png *.svg)")
    path = ask_save(view.window(), title, filters, f"{name}.png", "png")
    if path is not None:
        write_picture(view, path)
    return path


def write_picture(view: QWidget, path: Path) -> None:
    """Write a view as PNG or SVG, by file extension; raise `ExportError` as `save_picture` does."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise ExportError(
            _("'{name}' does not have the ending of a picture.").format(name=path.name),
            hint=_("Use the ending .png or .svg."),
            file=str(path),
        )
    picture = writer(view)
    with atomic_write(path) as file:
        file.write(picture)


def copy_picture(view: QWidget) -> None:
    """Put a picture of a view on the clipboard, drawn as by `save_picture`."""
    QGuiApplication.clipboard().setImage(_image(view))


def _image(view: QWidget) -> QImage:
    image = QImage(view.size() * _PNG_RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_PNG_RATIO)
    image.fill(current_theme().color("surface"))
    with _as_picture(view):
        view.render(image, QPoint(), QRegion(view.rect()), QWidget.RenderFlag.DrawChildren)
    return image


@contextmanager
def _as_picture(view: QWidget) -> Iterator[None]:
    """Hide the visible tools that are on a view, and show what only pictures say."""
    parts = [part for part in view.findChildren(QWidget) if part.property(LEFT_OUT_OF_PICTURES)]
    changed = [part for part in parts if not part.isHidden()]
    changed += [part for part in view.findChildren(QWidget) if part.property(ONLY_IN_PICTURES)]
    for part in changed:
        part.setVisible(part.isHidden())
    try:
        yield
    finally:
        for part in changed:
            part.setVisible(part.isHidden())


def _png(view: QWidget) -> bytes:
    image, device = _image(view), QBuffer()
    device.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(device, "PNG")  # type: ignore[call-overload]  # the stub takes bytes, Qt takes str
    return bytes(device.data().data())


def _svg(view: QWidget) -> bytes:
    device = QBuffer()
    drawing = QSvgGenerator()
    drawing.setOutputDevice(device)
    drawing.setResolution(_DOTS_PER_INCH)
    drawing.setSize(view.size())
    drawing.setViewBox(QRect(QPoint(), view.size()))
    drawing.setTitle(view.accessibleName())
    drawing.setDescription(view.accessibleDescription())
    painter = QPainter(drawing)
    painter.fillRect(view.rect(), current_theme().color("surface"))
    with _as_picture(view):
        view.render(painter, QPoint(), QRegion(view.rect()), QWidget.RenderFlag.DrawChildren)
    painter.end()
    return bytes(device.data().data())


_WRITERS: dict[str, Callable[[QWidget], bytes]] = {".png": _png, ".svg": _svg}
