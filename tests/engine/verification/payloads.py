"""What a file may hold besides its table: each is put into a release, and must be found with its place."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.formatting.rule import CellIsRule
from openpyxl.packaging.custom import StringProperty
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from PIL import Image as Picture
from pyarrow import parquet

BOB = "Bob has flu"
Put = Callable[[Path], None]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


@dataclass(frozen=True)
class Payload:
    """What is put into a release, and how it is listed: kind, a part of its place, whether it is shown."""

    put: Put
    kind: str
    at: str
    is_shown: bool = True


def in_workbook(change: Callable[[Any], Any]) -> Put:
    """A change by openpyxl."""

    def put(path: Path) -> None:
        book = openpyxl.load_workbook(path)
        change(book)
        book.save(path)

    return put


def in_archive(
    changes: Mapping[str, Callable[[str], str]],
    added: Mapping[str, str | bytes] | None = None,
    **options: Any,
) -> Put:
    """A change of an archive; `comment` is its own, `member` and `extra` are those of its members."""

    def put(path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
        for name, change in changes.items():
            members[name] = change(members[name].decode()).encode()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in {**members, **(added or {})}.items():
                info = zipfile.ZipInfo(name)
                info.extra = options.get("extra", b"")
                info.comment = options.get("member", b"")
                archive.writestr(info, data)
            archive.comment = options.get("comment", b"")

    return put


def replaced(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def related(kind: str, target: str, text: str | bytes, of: str = "worksheets/sheet1.xml") -> Put:
    """A part that the sheet, or another part, refers to."""
    folder, _unused, name = f"xl/{of}".rpartition("/")
    path = f"{folder}/_rels/{name}.rels"
    own = f'<Relationship Id="rIdX" Type="{OFFICE}/{kind}" Target="/{target}"/>'
    whole = f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{own}'

    def put(origin: Path) -> None:
        with zipfile.ZipFile(origin) as archive:
            has = path in archive.namelist()
        if has:
            in_archive({path: replaced("</Relationships>", f"{own}</Relationships>")}, {target: text})(origin)
        else:
            in_archive({}, {target: text, path: f"{whole}</Relationships>"})(origin)

    return put


def behind(path: Path) -> None:
    path.write_bytes(path.read_bytes() + f"{BOB}, 41 years old".encode())


def sheet(state: str) -> Put:
    def change(book: Any) -> None:
        own = book.create_sheet("raw")
        own.append([BOB, 41])
        own.sheet_state = state

    return in_workbook(change)


def commented(book: Any) -> None:
    book.active["B2"].comment = Comment(BOB, "x")


def titled(**properties: str) -> Put:
    def change(book: Any) -> None:
        for name, text in properties.items():
            setattr(book.properties, name, text)

    return in_workbook(change)


def validated(book: Any) -> None:
    own = DataValidation(type="list", formula1=f'"{BOB},Ann"')
    own.add("A2")
    book.active.add_data_validation(own)


def pictured(book: Any) -> None:
    file = io.BytesIO()
    Picture.new("RGB", (2, 2)).save(file, "png")
    file.seek(0)
    book.active.add_image(Image(file), "A1")


def formatted(book: Any) -> None:
    book.active["B2"].number_format = f'0;0;0;"{BOB}"'


def hidden_row(book: Any) -> None:
    book.active.row_dimensions[3].hidden = True


def hidden_column(book: Any) -> None:
    book.active.column_dimensions["D"].hidden = True


def filtered(book: Any) -> None:
    book.active.auto_filter.ref = "A1:F14"
    book.active.auto_filter.add_filter_column(0, [BOB])


def headed(book: Any) -> None:
    book.active.oddHeader.center.text = BOB


def named_style(book: Any) -> None:
    book.active["B2"].style = NamedStyle(name=BOB)


def linked(book: Any) -> None:
    book.active["B2"].hyperlink = "https://example.org/bob-has-flu"


def conditioned(book: Any) -> None:
    book.active.conditional_formatting.add("A1:A9", CellIsRule("equal", [f'"{BOB}"']))


def defined(book: Any) -> None:
    book.defined_names["who"] = DefinedName("who", attr_text=f'"{BOB}"')


def custom(book: Any) -> None:
    book.custom_doc_props.append(StringProperty(name="patient", value=BOB))


def merged(book: Any) -> None:
    book.active.merge_cells("H1:I2")


SHEET, TEXTS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
NOTE = f'<x:c xmlns:x="{MAIN}"><x:comment ref="C3"><x:t>{BOB}</x:t></x:comment></x:c>'
WORKBOOKS: Mapping[str, Payload] = {
    "a further sheet": Payload(sheet("visible"), "sheet", "'raw'"),
    "a hidden sheet": Payload(sheet("hidden"), "sheet", "'raw' (hidden)"),
    "a very hidden sheet": Payload(sheet("veryHidden"), "sheet", "'raw' (veryHidden)"),
    "a sheet that no list names": Payload(
        related("worksheet", "xl/worksheets/x.xml", f'<worksheet xmlns="{MAIN}"><t>{BOB}</t></worksheet>'),
        "sheet",
        "x.xml",
    ),
    "a comment": Payload(in_workbook(commented), "comment", "B2"),
    "a threaded comment": Payload(
        related(
            "threadedComment",
            "xl/threaded.xml",
            f'<T><threadedComment ref="C3"><t>{BOB}</t></threadedComment></T>',
        ),
        "comment",
        "C3",
    ),
    "a comment with prefixes": Payload(related("comments", "xl/c.xml", NOTE), "comment", "C3"),
    "a title": Payload(titled(title=BOB), "property", "title"),
    "keywords": Payload(titled(keywords=BOB), "property", "keywords"),
    "a description": Payload(titled(description=BOB), "property", "description"),
    "a long name of a user": Payload(titled(creator=f"{BOB}. " * 20), "user", "creator"),
    "a property of its own": Payload(in_workbook(custom), "property", "custom.xml"),
    "a manager": Payload(
        in_archive({"docProps/app.xml": replaced("<AppVersion>", f"<Manager>{BOB}</Manager><AppVersion>")}),
        "property",
        "Manager",
    ),
    "a defined name": Payload(in_workbook(defined), "defined_name", "who"),
    "a number format": Payload(in_workbook(formatted), "number_format", "styles.xml"),
    "a style": Payload(in_workbook(named_style), "style", "styles.xml"),
    "a link": Payload(in_workbook(linked), "link", "B2", is_shown=False),
    "a link outside": Payload(in_workbook(linked), "link", "sheet1.xml", is_shown=False),
    "a validation": Payload(in_workbook(validated), "validation", "A2"),
    "a condition": Payload(in_workbook(conditioned), "condition", "formula"),
    "a page header": Payload(in_workbook(headed), "page_text", "oddHeader"),
    "a hidden row": Payload(in_workbook(hidden_row), "hidden", "row 3", is_shown=False),
    "a hidden column": Payload(in_workbook(hidden_column), "hidden", "col 4", is_shown=False),
    "a filter": Payload(in_workbook(filtered), "filter", "Sheet1"),
    "merged cells": Payload(in_workbook(merged), "merged", "H1:I2", is_shown=False),
    "a picture": Payload(in_workbook(pictured), "picture", "image1.png", is_shown=False),
    "an embedded object": Payload(related("package", "xl/embeddings/x.xlsx", BOB), "picture", "x.xlsx"),
    "a text box": Payload(
        related("drawing", "xl/drawings/x.xml", f"<wsDr><twoCellAnchor><t>{BOB}</t></twoCellAnchor></wsDr>"),
        "picture",
        "x.xml",
    ),
    "an external link": Payload(
        related("externalLink", "xl/externalLinks/x.xml", f"<x><v>{BOB}</v></x>", "workbook.xml"),
        "link",
        "x.xml",
    ),
    "a pivot cache": Payload(
        related("pivotCacheDefinition", "xl/pivotCache/x.xml", f"<x><s>{BOB}</s></x>", "workbook.xml"),
        "pivot",
        "x.xml",
    ),
    "a part without relation": Payload(in_archive({}, {"xl/bob.txt": BOB}), "member", "xl/bob.txt"),
    "custom data": Payload(
        related("customXml", "customXml/item1.xml", f"<x><t>{BOB}</t></x>", "workbook.xml"), "member", "item1"
    ),
    "a text that no cell uses": Payload(
        in_archive({TEXTS: replaced("</sst>", f"<si><t>{BOB}</t></si></sst>")}), "unused_text", "(1)"
    ),
    "other texts": Payload(
        related(
            "sharedStrings", "xl/more.xml", f'<sst xmlns="{MAIN}"><si><t>{BOB}</t></si></sst>', "workbook.xml"
        ),
        "member",
        "more.xml",
    ),
    "a phonetic text": Payload(
        in_archive({TEXTS: replaced("</t></si>", f'</t><rPh sb="0" eb="1"><t>{BOB}</t></rPh></si>')}),
        "phonetic",
        "sharedStrings",
    ),
    "a remark in XML": Payload(
        in_archive({SHEET: replaced("<sheetData>", f"<!--{BOB}--><sheetData>")}), "element", "Sheet1"
    ),
    "a text beside elements": Payload(
        in_archive({SHEET: replaced("<sheetData>", f"<sheetData>{BOB}")}), "element", "Sheet1"
    ),
    "a text beside a shared one": Payload(
        in_archive({TEXTS: replaced("</t></si>", f"</t>{BOB}</si>")}), "element", "sharedStrings"
    ),
    "a value beside cells": Payload(
        in_archive({SHEET: replaced("</row>", f"<v>{BOB}</v></row>")}), "element", "Sheet1"
    ),
    "a value before cells": Payload(
        in_archive({SHEET: replaced("<sheetData>", f"<sheetData><v>{BOB}</v>")}), "element", "Sheet1"
    ),
    "a second value of a number": Payload(
        in_archive({SHEET: replaced("</row>", f'<c r="Z1"><v></v><v>{BOB}</v></c></row>')}),
        "element",
        "Sheet1",
    ),
    "an unknown element": Payload(
        in_archive({SHEET: replaced("</worksheet>", f"<who><t>{BOB}</t></who></worksheet>")}),
        "element",
        "who",
    ),
    "an unknown attribute": Payload(
        in_archive({SHEET: replaced("<sheetData>", f'<sheetPr who="{BOB}"/><sheetData>')}),
        "element",
        "sheetPr who",
    ),
    "a property where none is": Payload(
        in_archive({SHEET: replaced("</worksheet>", f"<creator>{BOB}</creator></worksheet>")}),
        "element",
        "creator",
    ),
    "an element of another part": Payload(
        in_archive({SHEET: replaced("<sheetData>", f'<absPath url="{BOB}"/><sheetData>')}),
        "element",
        "absPath",
    ),
    "a cell in another part": Payload(
        in_archive({"xl/styles.xml": replaced("</styleSheet>", f'<c r="{BOB}"/></styleSheet>')}),
        "element",
        "styles.xml",
    ),
    "a list of sheets in a sheet": Payload(
        in_archive({SHEET: replaced("<sheetData>", f'<sheet name="{BOB}"/><sheetData>')}),
        "element",
        "Sheet1",
    ),
    "a property of the book": Payload(
        related(
            "custom-properties",
            "docProps/custom.xml",
            f"<Properties><property name='who'><lpwstr>{BOB}</lpwstr></property></Properties>",
            "workbook.xml",
        ),
        "property",
        "who",
    ),
    "data in a folder of the archive": Payload(in_archive({}, {"xl/bob/": BOB}), "member", "xl/bob/"),
    "a formula": Payload(
        in_archive({SHEET: replaced("</row>", f'<c r="Z1"><f>"{BOB}"</f><v></v></c></row>')}),
        "formula",
        "row 1",
    ),
    "a document type, which could define anything": Payload(
        in_archive({"xl/theme/theme1.xml": replaced("?>", f'?><!DOCTYPE a [<!ENTITY b "{BOB}">]>')}),
        "uninspected",
        "released.xlsx",
        is_shown=False,
    ),
    "a text behind a number": Payload(
        in_archive({SHEET: replaced("</v></c>", f"</v><is><t>{BOB}</t></is></c>")}), "element", "Sheet1"
    ),
    "words in capitals": Payload(
        in_archive({SHEET: replaced("<dimension", '<dimension who="BOB HAS FLU"')}),
        "element",
        "who",
        is_shown=False,
    ),
    "a text of the theme": Payload(
        in_archive({"xl/theme/theme1.xml": replaced("</a:theme>", f"<a:t>{BOB}</a:t></a:theme>")}),
        "element",
        "theme1",
    ),
    "a cell behind another": Payload(
        in_archive(
            {
                SHEET: replaced(
                    '<row r="2"',
                    f'<row r="1"><c r="A1" t="inlineStr"><is><t>{BOB}</t></is></c></row><row r="2"',
                )
            }
        ),
        "repeated_cell",
        "1",
        is_shown=False,
    ),
    "a comment of the archive": Payload(in_archive({}, comment=BOB.encode()), "comment", "archive"),
    "a comment of a part": Payload(in_archive({}, member=BOB.encode()), "comment", "xl/workbook.xml"),
    "a field of a part": Payload(
        in_archive({}, extra=struct.pack("<HH", 0x1234, len(BOB)) + BOB.encode()), "bytes", "extra field"
    ),
    "bytes behind": Payload(behind, "bytes", "after the end"),
}


def in_parquet(change: Callable[[pa.Table], pa.Table]) -> Put:
    def put(path: Path) -> None:
        parquet.write_table(change(parquet.read_table(path)), path)

    return put


def by_pandas(change: Callable[[pd.DataFrame], Any]) -> Put:
    def put(path: Path) -> None:
        frame = pd.read_parquet(path).astype("category")
        changed = change(frame)
        (frame if changed is None else changed).to_parquet(path)

    return put


def named_index(frame: pd.DataFrame) -> None:
    frame.index.name = BOB


def with_attributes(frame: pd.DataFrame) -> None:
    frame.attrs = {"who": BOB}


def more_categories(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(disease=frame["disease"].cat.add_categories([BOB]))


def enumerated(path: Path) -> None:
    frame = pl.read_parquet(path)
    kind = pl.Enum([*frame["disease"].unique().drop_nulls(), BOB])
    frame.with_columns(pl.col("disease").cast(kind)).write_parquet(path)


def with_field(table: pa.Table) -> pa.Table:
    return table.cast(pa.schema([own.with_metadata({"who": BOB}) for own in table.schema]))


def between_pages(path: Path) -> None:
    """Bytes before the metadata, which no page takes."""
    data = path.read_bytes()
    at = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    path.write_bytes(data[:at] + BOB.encode() + data[at:])


PARQUETS: Mapping[str, Payload] = {
    "metadata of the file": Payload(
        in_parquet(lambda t: t.replace_schema_metadata({"who": BOB})), "metadata", "who"
    ),
    "metadata of a column": Payload(in_parquet(with_field), "metadata", "name: who"),
    "an entry that no cell uses": Payload(by_pandas(more_categories), "unused_value", "disease (1)"),
    "a value of polars that no cell has": Payload(enumerated, "unused_value", "_PL_ENUM"),
    "attributes of pandas": Payload(by_pandas(with_attributes), "metadata", "pandas"),
    "the name of an index": Payload(by_pandas(named_index), "metadata", "pandas"),
    "bytes between": Payload(between_pages, "bytes", " to "),
}


def in_spss(**options: Any) -> Put:
    def put(path: Path) -> None:
        frame, _unused = pyreadstat.read_sav(path)
        pyreadstat.write_sav(frame, path, **options)

    return put


def spss_record(kind: int, content: bytes) -> Put:
    """A further record in the dictionary of an SPSS file."""

    def put(path: Path) -> None:
        data = path.read_bytes()
        at = data.index(struct.pack("<ii", 999, 0), 176)
        own = struct.pack("<iiii", 7, kind, 1, len(content)) + content
        path.write_bytes(data[:at] + own + data[at:])

    return put


def labelled(**options: Any) -> Mapping[str, Any]:
    return {"variable_value_labels": {"disease": {"Cancer": "Cancer", "zz": BOB}}, **options}


SPSS: Mapping[str, Payload] = {
    "the label of the file": Payload(in_spss(file_label=BOB), "file_label", "sav"),
    "a note": Payload(in_spss(note=BOB), "note", "document"),
    "the label of a column": Payload(in_spss(column_labels={"age": BOB}), "label", "age"),
    "a label of values": Payload(in_spss(**labelled()), "value_label", "disease (1)"),
    "such a label, packed": Payload(in_spss(**labelled(compress=True)), "value_label", "disease (1)"),
    "an attribute of the file": Payload(spss_record(17, f"who('{BOB}'\n)".encode()), "attribute", "17"),
    "an attribute of a column": Payload(spss_record(18, f"age:who('{BOB}'\n)".encode()), "attribute", "18"),
    "a set of columns": Payload(spss_record(5, f"{BOB}= age".encode()), "attribute", "5"),
    "bytes behind": Payload(behind, "bytes", "after the last record"),
    "bytes behind packed cells": Payload(
        lambda path: (in_spss(row_compress=True)(path), behind(path))[1], "bytes", "after the last record"
    ),
    "bytes behind a packed file": Payload(
        lambda path: (in_spss(compress=True)(path), behind(path))[1], "bytes", "after the last record"
    ),
}


def in_stata(version: int = 14, **options: Any) -> Put:
    def put(path: Path) -> None:
        frame, _unused = pyreadstat.read_dta(path)
        pyreadstat.write_dta(frame, path, version=version, **options)

    return put


def by_pandas_in_stata(version: int, **options: Any) -> Put:
    def put(path: Path) -> None:
        pd.read_stata(path).to_stata(path, version=version, write_index=False, **options)

    return put


def characteristic(name: bytes) -> Put:
    """A characteristic of the table, in the section of a Stata file that holds them."""

    def put(path: Path) -> None:
        data = path.read_bytes()
        content = b"_dta".ljust(129, b"\0") + name.ljust(129, b"\0") + BOB.encode() + b"\0"
        own = b"<ch>" + struct.pack("<I", len(content)) + content + b"</ch>"
        at, start = data.index(b"</characteristics>"), data.index(b"<map>") + 5
        places = [place + len(own) * (place > at) for place in struct.unpack_from("<14Q", data, start)]
        data = data[:start] + struct.pack("<14Q", *places) + data[start + 112 : at] + own + data[at:]
        path.write_bytes(data)

    return put


def more_labels(path: Path) -> None:
    frame = pd.read_stata(path)
    categories = [*sorted(set(frame["gender"])), BOB]
    frame["gender"] = pd.Categorical(frame["gender"], categories=categories)
    frame.to_stata(path, version=118, write_index=False)


def long_text(path: Path) -> None:
    """A text in the section of long texts, of a record that does not exist."""
    data = path.read_bytes()
    content = BOB.encode() + b"\0"
    own = b"GSO" + struct.pack("<IQBI", 1, 5000, 130, len(content)) + content
    at, start = data.index(b"</strls>"), data.index(b"<map>") + 5
    places = [place + len(own) * (place > at) for place in struct.unpack_from("<14Q", data, start)]
    path.write_bytes(data[:start] + struct.pack("<14Q", *places) + data[start + 112 : at] + own + data[at:])


STATA: Mapping[str, Payload] = {
    "the label of the file": Payload(in_stata(file_label=BOB), "file_label", "dta"),
    "the label of the file, by pandas": Payload(by_pandas_in_stata(114, data_label=BOB), "file_label", "dta"),
    "the label of a column": Payload(in_stata(column_labels={"age": BOB}), "label", "age"),
    "a label of values": Payload(more_labels, "value_label", "gender (1)"),
    "a long text that no cell uses": Payload(long_text, "unused_text", "record 5000"),
    "a note": Payload(characteristic(b"note1"), "note", "_dta[note1]"),
    "a characteristic": Payload(characteristic(b"who"), "attribute", "_dta[who]"),
    "bytes behind": Payload(behind, "bytes", "after the end"),
    "bytes behind an old file": Payload(
        lambda path: (by_pandas_in_stata(114)(path), behind(path))[1], "bytes", "after the end"
    ),
}


def packed(name: bytes = b"", comment: bytes = b"", extra: bytes = b"", further: bytes = b"") -> Put:
    """A text packed by hand."""

    def put(path: Path) -> None:
        data = path.read_bytes()
        flags = 4 * bool(extra) + 8 * bool(name) + 16 * bool(comment)
        head = b"\x1f\x8b\x08" + bytes([flags]) + bytes(6)
        head += struct.pack("<H", len(extra)) + extra if extra else b""
        head += b"".join(text + b"\0" for text in (name, comment) if text)
        packing = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        whole = head + packing.compress(data) + packing.flush()
        path.write_bytes(whole + struct.pack("<II", zlib.crc32(data), len(data)) + further)

    return put


TEXTS_PACKED: Mapping[str, Payload] = {
    "a name": Payload(packed(name=BOB.encode()), "header", "name"),
    "a comment": Payload(packed(comment=BOB.encode()), "header", "comment"),
    "a further field": Payload(packed(extra=BOB.encode()), "header", "extra"),
    "a further member": Payload(packed(further=gzip.compress(b"")), "member", "2", is_shown=False),
    "bytes behind": Payload(packed(further=BOB.encode()), "bytes", "after the last member"),
}


def listing(change: Callable[[dict[str, Any]], None]) -> Put:
    def put(folder: Path) -> None:
        path = folder / "_manifest.json"
        whole = json.loads(path.read_text(encoding="utf-8"))
        change(whole)
        path.write_text(json.dumps(whole), encoding="utf-8")

    return put


def repeated(folder: Path) -> None:
    path = folder / "_manifest.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("{", f'{{"records": "{BOB}",', 1), encoding="utf-8")


def packed_part(folder: Path) -> None:
    part = folder / "part-00001.csv"
    packed(comment=BOB.encode())(part)
    digest = hashlib.sha256(part.read_bytes()).hexdigest()
    listing(lambda whole: whole["parts"][0].update(sha256=digest))(folder)


FOLDERS: Mapping[str, Payload] = {
    "a key": Payload(listing(lambda whole: whole.update(who=BOB)), "metadata", "_manifest.json: who"),
    "a key of a part": Payload(
        listing(lambda whole: whole["parts"][0].update(who=BOB)), "metadata", "_manifest.json: who"
    ),
    "a key twice": Payload(repeated, "metadata", "_manifest.json: records"),
    "a comment in a part": Payload(packed_part, "header", "comment"),
}
PAYLOADS: Mapping[str, Mapping[str, Payload]] = {
    "csv": TEXTS_PACKED,
    "folder": FOLDERS,
    "xlsx": WORKBOOKS,
    "parquet": PARQUETS,
    "sav": SPSS,
    "dta": STATA,
}


GUID = "{00000000-0001-0000-0000-000000000000}"
MARKUP = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_AS_EXCEL = (
    (
        '<fileVersion appName="xl" lastEdited="4" lowestEdited="4" rupBuild="4505"/>',
        '<fileVersion appName="xl" lastEdited="7" lowestEdited="7" rupBuild="27928"/>',
    ),
    (
        "<bookViews>",
        f'<mc:AlternateContent xmlns:mc="{MARKUP}"><mc:Choice Requires="x15"><x15ac:absPath '
        'url="C:\\Users\\ann\\Desktop\\" xmlns:x15ac="urn:x15ac"/></mc:Choice></mc:AlternateContent>'
        f'<xr:revisionPtr xmlns:xr="urn:xr" revIDLastSave="0" documentId="13_ncr:1_{GUID}" '
        f'xr:coauthVersionLast="47" xr:uidLastSave="{GUID}"/><bookViews>',
    ),
    (
        "</workbook>",
        '<extLst><ext uri="{140A7094-0E35-4892-8432-C4D2E57EDEB5}" xmlns:x15="urn:x15"><x15:workbookPr '
        'chartTrackingRefBase="1"/></ext><ext uri="{B58B0392-4F1F-4190-BB64-5DF3571DCE5F}" xmlns:x="urn:x">'
        '<x:calcFeatures><x:feature name="microsoft.com:RD"/><x:feature name="microsoft.com:LET_WF"/>'
        "</x:calcFeatures></ext></extLst></workbook>",
    ),
)


def as_excel(path: Path) -> None:
    """Add what Excel writes into a plain workbook, as its format documents it."""

    def book(text: str) -> str:
        for old, new in _AS_EXCEL:
            text = replaced(old, new)(text)
        return text

    changes = {
        "xl/workbook.xml": book,
        "xl/styles.xml": replaced(
            "</styleSheet>",
            '<extLst><ext uri="{EB79DEF2-80B8-43e5-95BD-54CBDDF9020C}" xmlns:x14="urn:x14"><x14:slicerStyles '
            'defaultSlicerStyle="SlicerStyleLight1"/></ext><ext uri="{9260A510-F301-46a8-8635-F512D64BE5F5}" '
            'xmlns:x15="urn:x15"><x15:timelineStyles defaultTimelineStyle="TimeSlicerStyleLight1"/></ext>'
            "</extLst></styleSheet>",
        ),
        SHEET: lambda text: replaced(
            "<dimension",
            f'<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><dimension xmlns:xr="urn:xr" xr:uid="{GUID}"',
        )(
            replaced(
                "</worksheet>",
                '<phoneticPr fontId="1" type="noConversion"/><ignoredErrors><ignoredError sqref="A1:F14" '
                'numberStoredAsText="1"/></ignoredErrors></worksheet>',
            )(text)
        ),
        "docProps/app.xml": lambda text: text.replace("Worksheets", "Arbeitsblätter").replace(
            "<Company></Company>", "<Company>Example Hospital</Company>"
        ),
        "docProps/core.xml": replaced("<dc:creator>", "<dc:creator>Ann Example"),
    }
    in_archive(changes)(path)
    related("drawing", "xl/drawings/drawing1.xml", '<x:wsDr xmlns:x="urn:x"/>')(path)  # as other programs do
