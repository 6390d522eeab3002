"""Draw the program's icon in every size from its two drawings, one of them for small sizes.

python resources/package/make_icons.py
"""

from __future__ import annotations

import os
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QByteArray
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

FOLDER = Path(__file__).resolve().parents[1] / "icons" / "program"
NAME = "anonymizer"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
SMALL = 32  # pixels up to which the simpler drawing is used
OF_WINDOWS = (16, 24, 32, 48, 64, 128, 256)
OF_MACOS = (16, 32, 64, 128, 256, 512)


def drawn(size: int) -> bytes:
    """Return the icon as PNG."""
    source = FOLDER / (f"{NAME}-small.svg" if size <= SMALL else f"{NAME}.svg")
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(source)).render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return data.data()


def main() -> int:
    """Write PNG files of all sizes, and one file each for Windows and macOS."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _app = QGuiApplication([])
    images = {}
    for size in SIZES:
        png = drawn(size)
        (FOLDER / f"{NAME}-{size}.png").write_bytes(png)
        images[size] = Image.open(BytesIO(png))
    for ending, sizes in (("ico", OF_WINDOWS), ("icns", OF_MACOS)):
        largest = images[sizes[-1]]
        largest.save(
            FOLDER / f"{NAME}.{ending}",
            sizes=[(size, size) for size in sizes],
            append_images=[images[size] for size in sizes[:-1]],
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
