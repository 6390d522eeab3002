"""Workbooks (.xlsx): everything but the cells of one sheet, by what is known of each part.

Parts, elements and texts that spreadsheet programs write for a plain table are known; all others are refused.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from posixpath import dirname, join, normpath

from engine.verification.containers import Explained, Extra, excerpt
from engine.verification.containers.archives import Attributes, first_text, loose_bytes, read_xml

_OLD = b"\xd0\xcf\x11\xe0"  # the beginning of a workbook of the years before 2007
_LARGEST_PART = 100_000_000  # bytes of a part other than cells and their texts
_SHORT = 100  # characters of the name of a program or user
_STYLES = """styleSheet numFmts numFmt fonts font b i u strike sz color name family scheme charset condense
    extend outline shadow vertAlign fills fill patternFill fgColor bgColor gradientFill stop borders
    border left right top bottom diagonal start end horizontal vertical cellStyleXfs cellXfs xf
    alignment protection cellStyles cellStyle dxfs dxf tableStyles tableStyle tableStyleElement colors
    indexedColors rgbColor mruColors slicerStyles timelineStyles extLst ext"""
_TEXTS = f"sst si t r rPr rFont phoneticPr {_STYLES}"
_KNOWN_NAMES = {  # elements by the type of a part
    "Content_Types": "Types Default Override",
    "rels": "Relationships Relationship",
    "styles": _STYLES,
    "sharedStrings": _TEXTS,
    "officeDocument": """workbook fileVersion workbookPr AlternateContent Choice absPath revisionPtr sheets
    sheet workbookProtection bookViews workbookView definedNames calcPr fileRecoveryPr extCalcPr extLst ext
    calcFeatures feature""",
    "worksheet": f"""worksheet sheetPr tabColor outlinePr pageSetUpPr dimension sheetViews sheetView pane
    selection sheetFormatPr cols col sheetData row c v is autoFilter tableParts tablePart printOptions
    pageMargins pageSetup headerFooter rowBreaks colBreaks brk ignoredErrors ignoredError hyperlinks cfRule
    dataValidations mergeCells conditionalFormatting colorScale cfvo dataBar iconSet drawing legacyDrawing
    {_TEXTS}""",
    "table": "table autoFilter tableColumns tableColumn tableStyleInfo extLst ext",
    "drawing": "wsDr",  # some programs write an empty one
    "classificationlabels": "labelList label",
    "core-properties": "coreProperties",
    "extended-properties": "Properties HeadingPairs TitlesOfParts vector variant",
    "theme": "",  # any, since only fonts and colours are named there
}
_KNOWN = {kind: frozenset(names.split()) for kind, names in _KNOWN_NAMES.items()}
# What other parts and elements are called; those that are not here are unknown content.
_KINDS = {
    name: kind
    for kind, names in {
        "comment": "comments threadedComment vmlDrawing",
        "link": "hyperlink externalLink externalReference",
        "picture": "oneCellAnchor twoCellAnchor absoluteAnchor image picture package oleObject thumbnail",
        "pivot": "pivotTable pivotCache pivotCacheDefinition",
        "property": "custom-properties",
        "sheet": "worksheet",
        "validation": "dataValidation",
        "merged": "mergeCell",
        "filter": "filterColumn",
        "phonetic": "rPh",
        "formula": "f",
        "condition": "formula",
        "defined_name": "definedName",
    }.items()
    for name in names.split()
}
_NOTES = {"creator": "user", "lastModifiedBy": "user", "Company": "user", "Application": "program"}
_NOTES |= {"created": "date", "modified": "date", "lastPrinted": "date"}
# Numbers, colours, references, identifiers, codes of programs, and the words of enumerations.
_HARMLESS = re.compile(
    r"[-+.,:;%\d\s]*(?:[eE][-+]?\d+)?|[a-z][A-Za-z\d]*|#?[\dA-Fa-f]{6,8}|\w{0,9}:?\w?_?\{[-\dA-Fa-f]{36}\}|rId\w{1,16}"
    r"|(?:\$?[A-Z]{1,3}\$?\d{1,7}[: ]?)+|(?:Table|Pivot|Slicer|Time|Light|Medium|Dark|Style)+\d*"
    r"|x\w{1,6}(?: x\w{1,6})*|microsoft\.com:\w+|dcterms:\w+"
    r"|CalcA1ExcelA1|Standard|Privileged|ThisWorkbook"
)
_PLAIN = re.compile(r"[\w .,&'()+@-]{0,64}")  # names of fonts, in any language
_WORD = re.compile(r"[^\W\d]{0,20}[ _]?\d{0,4}")  # such as Sheet1, Tabelle2, Frame0
# What is there without saying anything, by the element.
_SILENT: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern)
    for name, pattern in {
        "definedName": r"_xlnm\.(_FilterDatabase|Print_Area|Print_Titles)",  # its name
        "formula": r'[^"]*',
        "lpstr": r"[^\W\d]*",
        **dict.fromkeys(("i4", "revision", "version", "TotalTime", "DocSecurity", "AppVersion"), r"[\d.]*"),
        **dict.fromkeys(("ScaleCrop", "LinksUpToDate", "SharedDoc", "HyperlinksChanged"), "true|false"),
        "language": r"[\w-]{0,12}",
    }.items()
}
_PAGE_TEXT = re.compile(r"(?:odd|even|first)(?:Header|Footer)")
_PAGE_CODES = re.compile(r'&"[^"]*"|&\d+|&[A-Z]|Page|Seite|[\W\d_]')
_FORMAT = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].|([^"\\\[_*]+)')
_LETTER = r"[^\W\d_]"
_FORMAT_CODES = re.compile(
    rf"(?<!{_LETTER})(?:[yYmMdDhHsSgGeE]+|General|Standard|AM|PM|A|P)(?!{_LETTER})|[^\w]|[\d_]"
)


def inspect_workbook(path: Path, explained: Explained) -> Iterator[Extra]:
    """Yield what a workbook holds besides the cells of the sheet that is its table."""
    with path.open("rb") as file:
        if file.read(4) == _OLD:
            yield Extra("uninspected", f"{path.name} (.xls)")
            return
        with zipfile.ZipFile(file) as archive:
            yield from loose_bytes(file, archive)
            yield from _Workbook(archive).extras(explained.sheet)


class _Workbook:
    """Parts of a workbook, found from one another as programs find them."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._left = {info.filename for info in archive.infolist() if not info.is_dir()}
        self._found: list[Extra] = []
        self._read_kinds: set[str] = set()  # of which programs read one part only
        self.sheets: list[Attributes] = []
        self.used: set[int] = set()  # numbers of the texts that cells of the sheet use
        self.titles: set[int] = set()  # those of its first row
        self.names: set[str] = set()  # texts of the first row, and names of sheets

    def extras(self, own: str) -> Iterator[Extra]:
        """Yield what is not a cell of a sheet; of the first one if none is named."""
        self._read("Content_Types", "[Content_Types].xml")
        top = self._relations("")
        book = next(place for kind, place in top.values() if kind == "officeDocument")
        self._read("officeDocument", book)
        parts, is_first = self._relations(book), True
        self.names |= {sheet["name"] for sheet in self.sheets}
        for sheet in self.sheets:
            kind, place = parts.pop(sheet["id"])
            name, state = f"'{sheet['name']}'", sheet.get("state", "visible")
            if kind == "worksheet" and (sheet["name"] == own if own else is_first):
                is_first = False
                if not _WORD.fullmatch(sheet["name"]):
                    self.add("sheet_name", name, is_refused=False)
                self._part(kind, place, name)
            else:
                at = name if state == "visible" else f"{name} ({state})"
                shown = first_text(self._archive, place)
                self.add("sheet", at, "" if shown.replace(" ", "").isdigit() else shown)
                self._left -= {place, *(own for _unused, own in self._relations(place).values())}
        # Names of columns in tables are known once the texts of headings are read.
        for kind, place in sorted(chain(top.values(), parts.values()), key=lambda part: part[0] == "table"):
            self._part(kind, place)
        for name in sorted(self._left):
            self.add("member", name, first_text(self._archive, name))
        return iter(self._found)

    def add(self, kind: str, at: str, shown: str = "", *, is_refused: bool = True) -> None:
        """Add something that is not a cell."""
        self._found.append(Extra(kind, at, excerpt(shown), is_refused))

    def _relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Return type and name of the parts that a part refers to."""
        path = join(dirname(part), "_rels", f"{part.rpartition('/')[2]}.rels")
        if path not in self._archive.namelist():
            return {}
        found = {}
        for own in self._read("rels", path).related:
            target = own["Target"]
            if own.get("TargetMode") == "External":
                self.add("link", part or "the file", target)
            else:
                place = target if target.startswith("/") else normpath(join("/", dirname(part), target))
                found[own["Id"]] = own["Type"].rpartition("/")[2], place.lstrip("/")
        return found

    def _part(self, kind: str, path: str, sheet: str = "") -> None:
        """Look at a part and those that it refers to, once."""
        if path not in self._left:
            return
        is_due = bool(sheet) if kind == "worksheet" else kind not in self._read_kinds
        if kind in _KNOWN and is_due:
            self._read_kinds |= {kind} - {"table", "drawing"}
            self._read(kind, path, sheet)
        else:
            self._left.discard(path)
            with self._archive.open(path) as member:
                cells = re.findall(
                    rb'<(?:\w+:)?(?:threadedC|c)omment [^>]*?ref="(\w+)"', member.read(1 << 16)
                )
            at = b", ".join(cells[:10]).decode()
            shown = first_text(self._archive, path)
            if shown or kind != "person":  # Excel may write a list of nobody
                self.add(_KINDS.get(kind, "member"), f"{path} ({at})" if at else path, shown)
        for own, place in self._relations(path).values():
            self._part(own, place)

    def _read(self, kind: str, path: str, sheet: str = "") -> _Part:
        self._left.discard(path)
        part = _Part(self, kind, path, sheet)
        info = self._archive.getinfo(path)
        if kind not in ("worksheet", "sharedStrings") and info.file_size > _LARGEST_PART:
            self.add("member", path)
            return part
        with self._archive.open(info) as stream:
            read_xml(stream, part.start, part.end, part.remark)
        part.finish()
        return part


class _Part:
    """What one part holds that is neither known nor harmless."""

    def __init__(self, book: _Workbook, kind: str, path: str, sheet: str) -> None:
        self._book, self._kind, self._at = book, kind, sheet or path
        self._known = _KNOWN[kind]
        self.related: list[Attributes] = []
        self._refused: list[tuple[str, Attributes]] = []  # the elements around, from one that is refused
        self._texts: list[str] = []
        self._row = self._column = self._n_texts = self._n_unused = 0
        self._type = ""  # of the present cell
        self._unused: list[str] = []
        self._hidden: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        """Take the beginning of an element."""
        if self._refused or (self._known and name not in self._known):
            self._refused.append((name, attributes))
            self._texts += [value for value in attributes.values() if not _HARMLESS.fullmatch(value)]
        elif self._kind == "worksheet" and name in ("c", "row"):
            self._cell_or_row(name, attributes)
        elif name == "Relationship":
            self.related.append(attributes)
        elif name == "sheet":
            self._book.sheets.append(attributes)
        elif attributes and self._known and self._kind != "Content_Types":
            self._check(name, attributes)

    def end(self, name: str, text: str) -> None:
        """Take the end of an element."""
        if self._refused:
            self._texts.append(text.strip())
            first, attributes = self._refused.pop()
            if not self._refused:
                self._refuse(first, attributes, " ".join(filter(None, self._texts)))
                self._texts = []
        elif self._kind == "sharedStrings" and name in ("t", "si"):
            self._shared(name, text)
        elif name != ("t" if self._type == "inlineStr" else "v"):
            self.remark(text)
        elif self._type == "s":
            (self._book.titles if self._row == 1 else self._book.used).add(int(text))
        elif self._row == 1:
            self._book.names.add(text)

    def remark(self, text: str) -> None:
        """Take a text that is not the content of a known element."""
        if text.strip():
            self._book.add("element", self._at, text)

    def finish(self) -> None:
        """Take the end of the part."""
        if self._hidden:
            some = ", ".join(self._hidden[:5]) + ("…" if len(self._hidden) > 5 else "")
            self._book.add("hidden", f"{self._at}: {some}")
        if self._n_unused:
            self._book.add("unused_text", f"{self._at} ({self._n_unused})", ", ".join(self._unused))

    def _cell_or_row(self, name: str, attributes: Attributes) -> None:
        """Note what the cells use; a later cell of the same place would hide an earlier one."""
        place = attributes.get("r", "")
        letters = place.rstrip("0123456789")
        if name == "row":
            latest, self._column = self._row, 0
            self._row = number = int(place) if place else latest + 1
            self._check(name, attributes)
        else:
            latest, number = self._column, 0
            self._type = attributes.get("t", "n")
            for letter in letters:
                number = number * 26 + ord(letter) - 64
            self._column = number = number or latest + 1
        if number <= latest or (letters and place != f"{letters}{self._row}"):
            self._book.add("repeated_cell", f"{self._at}: {place}")

    def _shared(self, name: str, text: str) -> None:
        """Take a part of a shared text, or its end."""
        if name == "t":
            self._texts.append(text)
            return
        own, self._texts = "".join(self._texts), []
        if self._n_texts in self._book.titles:
            self._book.names.add(own)
        elif self._n_texts not in self._book.used:
            self._n_unused += 1
            self._unused += [own] if len(self._unused) < 5 else []
        self._n_texts += 1
        self.remark(text)

    def _check(self, name: str, attributes: Attributes) -> None:
        """Add attributes that hide cells or that say something."""
        for key, value in attributes.items():
            kind, own = "element", value
            match name, key:
                case ("row" | "col" | "sheetFormatPr" | "sheet", "hidden" | "zeroHeight"):
                    if value in ("1", "true"):
                        self._hidden.append(f"{name} {attributes.get('r') or attributes.get('min', '')}")
                    continue
                case ("numFmt", "formatCode"):
                    kind, own = "number_format", text_of_format(value)
                case ("cellStyle", "name"):
                    kind, own = "style", "" if "builtinId" in attributes else value
                    own = "" if own in ("Default", "Standard", "Normal", "Pandas") else own
                case ("tableColumn", "name"):
                    own = "" if value in self._book.names else value
                case ("table", "name" | "displayName"):
                    own = "" if _WORD.fullmatch(value) else value
                case ("name" | "rFont", "val"):
                    own = "" if _PLAIN.fullmatch(value) else value
                case ("fileVersion", "appName"):
                    self._book.add("program", self._at, value, is_refused=len(value) > _SHORT)
                    continue
                case ("absPath", "url"):
                    self._book.add("user", f"{self._at}: path", value, is_refused=False)
                    continue
            if own and not (kind == "element" and _HARMLESS.fullmatch(own)):
                self._book.add(kind, f"{self._at}: {name} {key}", value)

    def _refuse(self, name: str, attributes: Attributes, text: str) -> None:
        """Add an element that is not known, unless it says nothing."""
        add, silent = self._book.add, _SILENT.get(name)
        at = f"{self._at}: {attributes.get('ref') or attributes.get('sqref') or name}"
        if self._kind in ("core-properties", "extended-properties"):
            is_silent = (
                not text or text in self._book.names or (silent is not None and silent.fullmatch(text))
            )
            if not is_silent:
                is_note = name in _NOTES and len(text) <= _SHORT
                add(_NOTES.get(name, "property"), at, text, is_refused=not is_note)
        elif _PAGE_TEXT.fullmatch(name):
            if _PAGE_CODES.sub("", text):
                add("page_text", at, text)
        elif silent is None or not silent.fullmatch(attributes.get("name", text)):
            where = f"{at}, row {self._row}" if name == "f" else at
            where = f"'{attributes['name']}'" if name == "definedName" else where
            add(_KINDS.get(name, "element"), where, text)


def text_of_format(shape: str) -> str:
    """Return the text that a number format shows; empty for codes, marks and a unit of one letter."""
    found = [
        quoted + escaped + currency + _FORMAT_CODES.sub("", bare)
        for quoted, escaped, currency, bare in _FORMAT.findall(shape)
    ]
    text = "".join(found)
    return text if sum(mark.isalnum() for mark in text) > 1 else ""
