"""Workbooks (.xlsx): everything but the cells of one sheet, by known parts, elements and values.

What spreadsheet programs write for a plain table is known; all else is refused, or reported if it is a note.
"""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import IO
from xml.etree.ElementTree import XMLParser

from openpyxl.utils.cell import coordinate_to_tuple

from engine.verification.containers import Explained, Extra, excerpt
from engine.verification.containers.layout import records, uncovered

_OLD = b"\xd0\xcf\x11\xe0"  # the beginning of a workbook of the years before 2007
_HEAD = 30  # bytes of the local header of a member, without its texts
_TIMES_AND_SIZES = {0x0001, 0x000A, 0x5455, 0x5855, 0x7855, 0x7875}  # extra fields without texts
_GROWTH = 0xA220  # room for a later change: zeros behind four bytes
_BLOCK = 1 << 16
_LARGEST_PART = 100_000_000  # bytes of a part other than cells and their texts
_TEXT = re.compile(r">([^<>]*[^<>\s][^<>]*)<")
_PLACE = re.compile(r'<(?:\w+:)?(?:threadedC|c)omment [^>]*?ref="(\w+)"')
_UNCHECKED = {"theme", "Content_Types", "rels"}  # attributes: fonts and colours, types and names of parts
_OF_CELLS = {"r", "s", "t"}  # place, style, type
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
    "custom-properties": "Properties",
    "person": "personList",  # of nobody
    "extended-properties": "Properties HeadingPairs TitlesOfParts vector variant",
    "theme": "",  # any, since only fonts and colours are named there
}
_KNOWN = {kind: frozenset(names.split()) for kind, names in _KNOWN_NAMES.items()}
_READ_OFTEN = {"table", "drawing", "person"}  # of the other types, programs read one part only
# Numbers, colours, references, identifiers, codes of programs, and the words of enumerations.
_HARMLESS = (
    r"[-+.,:;%\d\s]*(?:[eE][-+]?\d+)?|[a-z][A-Za-z\d]*|#?[\dA-Fa-f]{6,8}|\w{0,9}:?\w?_?\{[-\dA-Fa-f]{36}\}|rId\w{1,16}"
    r"|(?:\$?[A-Z]{1,3}\$?\d{1,7}[: ]?)+|(?:Table|Pivot|Slicer|Time|Light|Medium|Dark|Style)+\d*"
    r"|x\w{1,6}(?: x\w{1,6})*|microsoft\.com:\w+|dcterms:\w+"
    r"|CalcA1ExcelA1|Standard|Privileged|ThisWorkbook"
)
_WORD = r"[^\W\d]{0,20}[ _]?\d{0,4}"  # such as Sheet1, Tabelle2, Frame0
_SHORT = r"[^\0\n]{0,100}"  # such as the name of a program or user
_NEVER = "(?!)"
Attributes = dict[str, str]


@dataclass(frozen=True)
class _Rule:
    """Rules for parts, elements, or attributes of elements, by their names.

    Attributes
    ----------
    kind : str
        A key of `KINDS`.
    names : str
        As "element", "element.attribute", ".property" of the document, or type of a part.
    harmless, note : str
        Patterns of a text that says nothing, and of one that is only a note; never by default. Zero is
        between an attribute and a text, since no XML has it.
    """

    kind: str
    names: str
    harmless: str = _NEVER
    note: str = _NEVER


_LABEL = r"MSIP_Label_[-\dA-Fa-f]{36}_(?:Enabled|SetDate|Method|Name|SiteId|ActionId|ContentBits|Tag)"
# Rules of what has none of its own.
_ELEMENT, _ATTRIBUTE = _Rule("element", ""), _Rule("element", "", _HARMLESS)
_PROPERTY, _MEMBER = _Rule("property", "", ""), _Rule("member", "")
_RULES: Mapping[str, _Rule] = {
    name: rule
    for rule in (
        _Rule("comment", "comments threadedComment vmlDrawing"),
        _Rule("link", "hyperlink externalLink externalReference"),
        _Rule(
            "picture", "oneCellAnchor twoCellAnchor absoluteAnchor image picture package oleObject thumbnail"
        ),
        _Rule("pivot", "pivotTable pivotCache pivotCacheDefinition"),
        _Rule("sheet", "worksheet"),
        _Rule("validation", "dataValidation"),
        _Rule("merged", "mergeCell"),
        _Rule("filter", "filterColumn"),
        _Rule("phonetic", "rPh"),
        _Rule("formula", "f"),
        _Rule("condition", "formula", r'[^"]*'),
        _Rule(
            "defined_name", "definedName", r"_xlnm\.(?:_FilterDatabase|Print_Area|Print_Titles)(?:\0[^\"]*)?"
        ),
        _Rule("hidden", "row.hidden col.hidden sheetFormatPr.zeroHeight", "0|false"),
        _Rule("number_format", "numFmt.formatCode", ""),
        _Rule("style", "cellStyle.name", "Default|Standard|Normal|Pandas"),
        _Rule("element", "table.name table.displayName", _WORD),
        _Rule("element", "name.val rFont.val", r"[\w .,&'()+@-]{0,64}"),  # names of fonts, in any language
        _Rule("program", "fileVersion.appName", _NEVER, _SHORT),
        _Rule("user", "absPath.url", _NEVER, ".*"),
        _Rule(  # codes of fonts, sizes, numbers of pages and of dates
            "page_text",
            "oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter",
            r'(?:&"[^"]*"|&\d+|&[A-Z]|Page|Seite|[\W\d_])*+',
        ),
        _Rule("user", ".creator .lastModifiedBy .Company", "", _SHORT),
        _Rule("program", ".Application", "", _SHORT),
        _Rule("date", ".created .modified .lastPrinted", "", _SHORT),
        _Rule("property", ".i4 .revision .version .TotalTime .DocSecurity .AppVersion", r"[\d.]*"),
        _Rule("property", ".ScaleCrop .LinksUpToDate .SharedDoc .HyperlinksChanged", "true|false|"),
        _Rule("property", ".language", r"[\w-]{0,12}"),
        _Rule("property", ".lpstr", r"[^\W\d]*"),
        _Rule(
            "property", ".property", _NEVER, rf"{_LABEL}(?:\0{_SHORT})?"
        ),  # of sensitivity, by Microsoft 365
    )
    for name in rule.names.split()
}
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
            yield from _loose_bytes(file, archive)
            yield from _Workbook(archive).extras(explained.sheet)


def _loose_bytes(file: IO[bytes], archive: zipfile.ZipFile) -> Iterator[Extra]:
    """Yield what an archive holds besides its members: comments, fields, bytes around them."""
    spans, sums = [], set()  # sum and sizes may be repeated behind a member
    for info in archive.infolist():
        if archive.getinfo(info.filename) is not info:
            yield Extra("member", f"{info.filename} (twice)")
        if info.comment:
            yield Extra("comment", info.filename, excerpt(info.comment))
        file.seek(info.header_offset)
        n_name, n_extra = struct.unpack("<HH", file.read(_HEAD)[26:])
        file.seek(n_name, 1)
        for kind, own in chain(*(records(field, "<HH")[0] for field in (file.read(n_extra), info.extra))):
            if kind not in _TIMES_AND_SIZES and not (kind == _GROWTH and not own[4:].strip(b"\0")):
                yield Extra("bytes", f"extra field of {info.filename}", excerpt(own))
        end = info.header_offset + _HEAD + n_name + n_extra + info.compress_size
        for mark, shape in product((b"PK\x07\x08", b""), ("<LLL", "<LQQ")):
            sums.add(mark + struct.pack(shape, info.CRC, info.compress_size, info.file_size))
        spans.append((info.header_offset, end))
    if archive.comment:
        yield Extra("comment", "archive", excerpt(archive.comment))
    file.seek(max(0, file.seek(0, 2) - (1 << 17)))
    tail = file.read()
    end = file.tell() - len(tail) + tail.rfind(b"PK\x05\x06") + 22 + len(archive.comment)
    yield from uncovered(file, [*spans, (archive.start_dir, end)], plain=sums)


class _Workbook:
    """Parts of a workbook, found from one another as programs find them."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._left = {info.filename for info in archive.infolist() if info.file_size or not info.is_dir()}
        self._due = _KNOWN.keys() - {
            "Content_Types",
            "rels",
            "officeDocument",
        }  # types of parts that are still read
        self.found: list[Extra] = []
        self.used: set[int] = set()  # numbers of the texts that cells of the sheet use
        self.titles: set[int] = set()  # those of its first row
        self.names: set[str] = set()  # texts of the first row, and names of sheets

    def extras(self, own: str) -> list[Extra]:
        """Return what is not a cell of a sheet; of the first one if none is named."""
        self._read("Content_Types", "[Content_Types].xml")
        top = self._relations("")
        book = next(place for kind, place in top.values() if kind == "officeDocument")
        sheets = self._read("officeDocument", book).listed
        parts, is_first = self._relations(book), True
        self.names |= {sheet["name"] for sheet in sheets}
        for sheet in sheets:
            kind, place = parts.pop(sheet["id"])
            name, state = f"'{sheet['name']}'", sheet.get("state", "visible")
            if kind == "worksheet" and (sheet["name"] == own if own else is_first):
                is_first = False
                if not re.fullmatch(_WORD, sheet["name"]):
                    self.found.append(Extra("sheet_name", name, is_refused=False))
                self._part(kind, place, name)
            else:
                at = name if state == "visible" else f"{name} ({state})"
                shown = self._first_text(place)
                self.found.append(Extra("sheet", at, "" if shown.replace(" ", "").isdigit() else shown))
                self._left -= {place, *(own for _unused, own in self._relations(place).values())}
        # Names of columns in tables are known once the texts of headings are read.
        for kind, place in sorted(chain(top.values(), parts.values()), key=lambda part: part[0] == "table"):
            self._part(kind, place)
        self.found += [Extra("member", name, self._first_text(name)) for name in sorted(self._left)]
        return self.found

    def _first_text(self, path: str) -> str:
        """Return the first texts of a part, for showing."""
        with self._archive.open(path) as member:
            text = member.read(_BLOCK).decode("utf-8", "replace")
        return excerpt(" ".join(_TEXT.findall(text)) if text.lstrip("\ufeff \n").startswith("<") else text)

    def _relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Return type and name of the parts that a part refers to."""
        path = join(dirname(part), "_rels", f"{part.rpartition('/')[2]}.rels")
        if path not in self._archive.namelist():
            return {}
        found = {}
        for own in self._read("rels", path).listed:
            target = own["Target"]
            if own.get("TargetMode") == "External":
                self.found.append(Extra("link", part or "the file", excerpt(target)))
            else:
                place = target if target.startswith("/") else normpath(join("/", dirname(part), target))
                found[own["Id"]] = own["Type"].rpartition("/")[2], place.lstrip("/")
        return found

    def _part(self, kind: str, path: str, name: str = "") -> None:
        """Look at a part and those that it refers to, once."""
        if path not in self._left:
            return
        if kind in self._due:
            self._due -= {kind} - _READ_OFTEN
            self._read(kind, path, name)
        else:
            self._left.discard(path)
            with self._archive.open(path) as member:
                cells = _PLACE.findall(member.read(_BLOCK).decode("utf-8", "replace"))
            at = f"{path} ({', '.join(cells[:10])})" if cells else path
            self.found.append(Extra(_RULES.get(kind, _MEMBER).kind, at, self._first_text(path)))
        for own, place in self._relations(path).values():
            self._part(own, place)

    def _read(self, kind: str, path: str, name: str = "") -> _Part:
        self._left.discard(path)
        part = _Part(self, kind, name or path)
        if (
            kind not in ("worksheet", "sharedStrings")
            and self._archive.getinfo(path).file_size > _LARGEST_PART
        ):
            self.found.append(Extra("member", path))
            return part
        parser = XMLParser(target=part)
        with self._archive.open(path) as stream:
            while block := stream.read(_BLOCK):
                parser.feed(block)
        parser.close()
        return part


class _Part:
    """The target of a parser: what one part holds that is neither known nor harmless."""

    def __init__(self, book: _Workbook, kind: str, at: str) -> None:
        self._book, self._kind, self._at = book, kind, at
        self.listed: list[Attributes] = []  # of sheets or relations
        self._texts: list[str] = []  # since the latest beginning or end of an element
        self._refused: list[tuple[str, Attributes]] = []  # the elements around, from one that is refused
        self._said: list[str] = []  # by them
        self._cell = (0, 0)  # row and column of the present one
        self._type = ""  # of the value that is due in it
        self._shared = ""  # parts of the present shared text
        self._n_texts = self._n_unused = 0
        self._unused: list[str] = []

    def start(self, name: str, values: Attributes) -> None:
        """Take the beginning of an element."""
        self.comment("".join(self._texts))
        self._texts.clear()
        name = name.rpartition("}")[2]
        attributes = {key.rpartition("}")[2]: value for key, value in values.items()}
        if self._refused or (name not in _KNOWN[self._kind] and self._kind != "theme"):
            self._refused.append((name, attributes))
            self._said += [own for own in attributes.values() if not re.fullmatch(_HARMLESS, own)]
            return
        if name in ("sheet", "Relationship"):
            self.listed.append(attributes)
        elif self._kind not in _UNCHECKED and (name != "c" or attributes.keys() - _OF_CELLS):
            for key, value in attributes.items():
                at = f"{name} {attributes.get('r') or attributes.get('min') or key}"
                if (name, key) != ("cellStyle", "name") or "builtinId" not in attributes:
                    own = text_of_format(value) if key == "formatCode" else value
                    self._judge(_RULES.get(f"{name}.{key}", _ATTRIBUTE), at, own)
        if name in ("row", "c") and self._kind == "worksheet":
            self._move(name, attributes.get("r"))
            self._type = attributes.get("t", "n") if name == "c" else ""

    def end(self, name: str) -> None:
        """Take the end of an element."""
        name, text = name.rpartition("}")[2], "".join(self._texts)
        self._texts.clear()
        if self._refused:
            self._said.append(text.strip())
            first, own = self._refused.pop()
            if not self._refused:
                at = own.get("ref") or own.get("sqref") or own.get("name") or first
                at += f", row {self._cell[0]}" if first == "f" else ""
                is_property = self._kind.endswith("-properties")
                rule = _RULES.get(f".{first}", _PROPERTY) if is_property else _RULES.get(first, _ELEMENT)
                self._judge(rule, at, "\0".join(filter(None, self._said)))
                self._said = []
        elif self._kind == "sharedStrings" and name == "t":
            self._shared += text
        elif name != {"": None, "inlineStr": "t"}.get(self._type, "v"):
            self.comment(text)
            self._type = "" if name == "c" else self._type
            if self._kind == "sharedStrings" and name == "si":
                self._use(self._shared)
                self._shared = ""
        else:
            if self._type == "s":
                (self._book.titles if self._cell[0] == 1 else self._book.used).add(int(text))
            elif self._cell[0] == 1:
                self._book.names.add(text)
            self._type = "" if name == "v" else self._type

    def data(self, text: str) -> None:
        """Take a part of a text."""
        self._texts.append(text)

    def comment(self, text: str) -> None:
        """Take what no reader takes: a comment, an instruction, or a text between elements."""
        if text.strip():
            self._judge(_ELEMENT, "", text)

    def pi(self, target: str, data: str) -> None:
        """Take a processing instruction."""
        self.comment(f"{target} {data}")

    def doctype(self, *_unused: object) -> None:
        """Refuse a document type, which could define anything."""
        raise ValueError("the XML has a document type")

    def close(self) -> None:
        """Take the end of the part."""
        if self._n_unused:
            at = f"{self._at} ({self._n_unused})"
            self._book.found.append(Extra("unused_text", at, excerpt(", ".join(self._unused))))

    def _judge(self, rule: _Rule, at: str, text: str) -> None:
        """Add what is said at a place, unless the rule or the cells say that it is harmless."""
        can_name = rule.harmless != _NEVER and text in self._book.names
        if not can_name and not re.fullmatch(rule.harmless, text):
            at = f"{self._at}: {excerpt(at)}" if at else self._at
            is_refused = not re.fullmatch(rule.note, text)
            shown = "" if rule.kind == "hidden" else excerpt(text)
            self._book.found.append(Extra(rule.kind, at, shown, is_refused))

    def _move(self, name: str, place: str | None) -> None:
        """Go to a row or cell; one that is not behind the latest would hide another."""
        row, column = self._cell
        if name == "row":
            own = (int(place) if place else row + 1, 0)
        else:
            own = coordinate_to_tuple(place) if place else (row, column + 1)
        if own <= (row, column) or (name == "c" and own[0] != row):
            self._book.found.append(Extra("repeated_cell", f"{self._at}: {place}"))
        self._cell = own

    def _use(self, text: str) -> None:
        """Compare a shared text with those that cells use."""
        if self._n_texts in self._book.titles:
            self._book.names.add(text)
        elif self._n_texts not in self._book.used:
            self._n_unused += 1
            self._unused += [text] if len(self._unused) < 5 else []
        self._n_texts += 1


def text_of_format(shape: str) -> str:
    """Return the text that a number format shows; empty for codes, marks and a unit of one letter."""
    found = [
        quoted + escaped + currency + _FORMAT_CODES.sub("", bare)
        for quoted, escaped, currency, bare in _FORMAT.findall(shape)
    ]
    text = "".join(found)
    return text if sum(mark.isalnum() for mark in text) > 1 else ""
