"""A font of a PDF that is made of the bundled font and of outlines from installed fonts.

Clusters of installed fonts are drawn by Type 3 fonts, which take outlines of any font format. Each cluster
has a code of its own, which maps to its letters, so that texts can be searched and copied. Codes are
characters of the private planes of Unicode, which reports never contain: they show them as code points.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from engine.report.typesetting.face import Cluster, Face

FIRST_CODE, _LAST_CODE = "\U000f0000", "\U0010ffff"
_MOST = ord(_LAST_CODE) - ord(FIRST_CODE)
_SHEET = 256  # codes of a Type 3 font
_CHUNK = 100  # entries of one part of a character map


class GlyphFont:
    """Font as reportlab takes it, used for one document.

    Parameters
    ----------
    name : str
    base : TTFont
        Registered font that draws all characters but clusters.
    """

    _multiByte = _dynamicFont = 1  # noqa: N815  reportlab's names
    shapable = False
    substitutionFonts: tuple[Any, ...] = ()  # noqa: N815

    def __init__(self, name: str, base: Any) -> None:
        self.fontName, self._base = name, base
        self.face = SimpleNamespace(name=name, ascent=base.face.ascent, descent=base.face.descent)
        self._codes: dict[tuple[int, Cluster], str] = {}
        self._clusters: list[tuple[Face, Cluster]] = []
        self._places: list[tuple[int, int]] = []  # sheet and code of each cluster
        self._sheets: list[list[int]] = []
        self._open: dict[int, int] = {}  # sheet that is being filled, by face
        self._faces: list[Face] = []
        self._prefix = ""

    def register(self) -> None:
        """Make the font known to reportlab by its name."""
        from reportlab.pdfbase import pdfmetrics

        pdfmetrics.registerFont(self)

    def unregister(self) -> None:
        """Make room for the font of another document."""
        from reportlab.pdfbase import pdfmetrics

        pdfmetrics._fonts.pop(self.fontName, None)
        pdfmetrics._dynFaceNames.pop(self.face.name, None)

    def code_of(self, face: Face, cluster: Cluster) -> str:
        """Return the character that stands for a cluster of a font."""
        if face not in self._faces:
            self._faces.append(face)
        number = self._faces.index(face)
        key = (number, cluster)
        if key not in self._codes:
            place = len(self._clusters)
            if place > _MOST:
                return cluster.text
            sheet = self._open.get(number, -1)
            if sheet < 0 or len(self._sheets[sheet]) == _SHEET:
                self._sheets.append([])
                sheet = self._open[number] = len(self._sheets) - 1
            self._places.append((sheet, len(self._sheets[sheet])))
            self._sheets[sheet].append(place)
            self._clusters.append((face, cluster))
            self._codes[key] = chr(ord(FIRST_CODE) + place)
        return self._codes[key]

    def stringWidth(self, text: str, size: float, encoding: str = "utf8") -> float:  # noqa: N802
        """Return the width of a text in points."""
        width, rest = 0.0, []
        for character in text:
            if character < FIRST_CODE:
                rest.append(character)
            else:
                face, cluster = self._clusters[_place(character)]
                width += cluster.advance * size / face.units_per_em
        return width + float(self._base.stringWidth("".join(rest), size))

    def splitString(self, text: str, document: Any) -> list[tuple[Any, bytes]]:  # noqa: N802
        """Return the parts of a text with their fonts, and their codes."""
        return list(self._parts(text, document))

    def _parts(self, text: str, document: Any) -> Iterator[tuple[Any, bytes]]:
        start = 0
        while start < len(text):
            sheet = self._sheet(text[start])
            end = start + 1
            while end < len(text) and self._sheet(text[end]) == sheet:
                end += 1
            part = text[start:end]
            if sheet is None:
                yield from ((("base", n), c) for n, c in self._base.splitString(part, document))
            else:
                yield ("sheet", sheet), bytes(self._places[_place(c)][1] for c in part)
            start = end

    def _sheet(self, character: str) -> int | None:
        return None if character < FIRST_CODE else self._places[_place(character)][0]

    def getSubsetInternalName(self, subset: tuple[str, int], document: Any) -> str:  # noqa: N802
        """Return the name of a part of the font in the PDF."""
        kind, number = subset
        if kind == "base":
            return str(self._base.getSubsetInternalName(number, document))
        if not self._prefix:
            self._prefix = f"F{len(document.fontMapping) + 1}"
            document.fontMapping[self.fontName] = f"/{self._prefix}"
            document.delayedFonts.append(self)
        return f"/{self._prefix}+{number}"

    def addObjects(self, document: Any) -> None:  # noqa: N802
        """Write the outlines that the document uses."""
        for number, members in enumerate(self._sheets):
            name = f"{self._prefix}+{number}"
            font = self._type3(document, name, [self._clusters[place] for place in members])
            document.idToObject["BasicFonts"].dict[name] = document.Reference(font, name)

    def _type3(self, document: Any, name: str, members: list[tuple[Face, Cluster]]) -> Any:
        from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName

        unit = 1 / members[0][0].units_per_em
        outlines = {
            f"g{i}": _stream(document, _drawn(face, cluster), f"{name}:g{i}")
            for i, (face, cluster) in enumerate(members)
        }
        names = [PDFName(f"g{i}") for i in range(len(members))]
        encoding = PDFDictionary({"Type": PDFName("Encoding"), "Differences": PDFArray([0, *names])})
        return PDFDictionary(
            {
                "Type": PDFName("Font"),
                "Subtype": PDFName("Type3"),
                "Name": PDFName(name),
                "FontBBox": PDFArray(_union([_box(*member) for member in members])),
                "FontMatrix": PDFArray([f"{unit:.8f}", 0, 0, f"{unit:.8f}", 0, 0]),
                "CharProcs": PDFDictionary(outlines),
                "Encoding": encoding,
                "FirstChar": 0,
                "LastChar": len(members) - 1,
                "Widths": PDFArray([cluster.advance for _face, cluster in members]),
                "Resources": PDFDictionary({}),
                "ToUnicode": _stream(
                    document, _character_map([cluster.text for _face, cluster in members]), f"{name}:map"
                ),
            }
        )


def _place(code: str) -> int:
    return ord(code) - ord(FIRST_CODE)


def _drawn(face: Face, cluster: Cluster) -> str:
    """Return the program that draws a cluster."""
    lines = [f"{cluster.advance} 0 {' '.join(map(str, _box(face, cluster)))} d1"]
    for glyph, x, y in cluster.glyphs:
        if outline := face.outline(glyph):
            lines += [outline] if not (x or y) else ["q", f"1 0 0 1 {x} {y} cm", outline, "f", "Q"]
            if not (x or y):
                lines.append("f")
    return "\n".join(lines)


def _box(face: Face, cluster: Cluster) -> tuple[int, int, int, int]:
    boxes = [(face.box(glyph), x, y) for glyph, x, y in cluster.glyphs if face.outline(glyph)]
    return _union([(box[0] + x, box[1] + y, box[2] + x, box[3] + y) for box, x, y in boxes])


def _union(boxes: list[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    if not boxes:
        return 0, 0, 0, 0
    left, low, right, high = zip(*boxes, strict=True)
    return min(left), min(low), max(right), max(high)


def _character_map(texts: list[str]) -> str:
    """Return the map from codes to letters, by which texts are searched and copied."""
    entries = [f"<{code:02X}> <{text.encode('utf-16-be').hex().upper()}>" for code, text in enumerate(texts)]
    lines = [
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
        "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
        "1 begincodespacerange <00> <FF> endcodespacerange",
    ]
    for first in range(0, len(entries), _CHUNK):
        part = entries[first : first + _CHUNK]
        lines += [f"{len(part)} beginbfchar", *part, "endbfchar"]
    return "\n".join([*lines, "endcmap CMapName currentdict /CMap defineresource pop end end"])


def _stream(document: Any, content: str, name: str) -> Any:
    from reportlab.pdfbase.pdfdoc import PDFStream, PDFZCompress

    stream = PDFStream(content=content.encode("ascii"), filters=[PDFZCompress])
    return document.Reference(stream, name)
