"""What the first bytes of a file show: another format than its ending names."""

from __future__ import annotations

from pathlib import Path

from engine.errors import TableError
from engine.table.formats import FEATHER, JSON_LINES, PARQUET, SAS, SPSS, STATA, format_of
from engine.words import N_, _

BEGIN = 1 << 12  # bytes that show it
_SHORTEST = 4  # bytes of a signature of which a damaged file may have no more
_GZIP = b"\x1f\x8b"
_BINARY = (SPSS, STATA, SAS, PARQUET, FEATHER)  # whose files have bytes that no text has
_SIGNATURES = (  # begin, end, what it is, its ending
    (b"PK\x03\x04", b"", N_("an Excel workbook or a zip archive"), ".xlsx"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", N_("an Excel workbook from before 2007"), ".xls"),
    (b"PAR1", b"PAR1", N_("a Parquet file"), ".parquet"),
    (b"$FL2@(#)", b"", N_("an SPSS file"), ".sav"),
    (b"<stata_dta>", b"", N_("a Stata file"), ".dta"),
    (b"\0" * 12 + b"\xc2\xea\x81\x60", b"", N_("a SAS file"), ".sas7bdat"),
    (b"HEADER RECORD*******LIB", b"", N_("a SAS transport file"), ".xpt"),
    (b"ARROW1", b"ARROW1", N_("a Feather file"), ".feather"),
    (b"FEA1", b"FEA1", N_("a Feather file"), ".feather"),
)


def refuse_no_text(path: Path, raw: bytes) -> bytes:
    """Return the bytes of a text file; refuse another format under a wrong name by its first bytes."""
    for start, end, what, ending in _SIGNATURES:
        if raw.startswith(start) and raw.endswith(end):
            raise TableError(
                _("'{name}' is not a text file: it begins like {format}.").format(
                    name=path.name, format=_(what)
                ),
                hint=_("Give it the ending {ending} (unpacked), or save the table as CSV (UTF-8).").format(
                    ending=ending
                ),
                file=path.name,
            )
    return raw


def refuse_other_format(path: Path, begin: bytes) -> None:
    """Refuse a file that is not of the format of its ending, by its first bytes.

    Raises
    ------
    TableError
        It is empty, of another known format, text instead of a binary format, or not packed.
    """
    own = format_of(path)
    if own is None:  # text is looked at when it is read
        return
    name = path.name
    if not begin and not own.has_sheets:
        raise TableError(
            _("'{name}' is empty.").format(name=name),
            hint=_("Choose a file with records."),
            file=name,
            is_empty=True,
        )
    if path.suffix.lower() == ".gz":
        if not begin.startswith(_GZIP):
            raise TableError(
                _("'{name}' cannot be unpacked, because it is not a complete gzip file.").format(name=name),
                hint=_("Download or pack the file again."),
                file=name,
            )
        return
    alike = [(what, ending) for start, _end, what, ending in _SIGNATURES if begin.startswith(start)]
    if own.has_sheets:  # two workbooks may begin alike
        alike = [found for found in alike if found[1] not in (".xlsx", ".xls")]
    found = alike[0] if alike else None
    if found is None and own is not JSON_LINES and begin.startswith(_GZIP):
        found = (N_("a file packed with gzip"), ".gz")
    if found is not None and format_of(Path(f"file{found[1]}")) is own:
        return
    owned = [start for start, _end, _what, ending in _SIGNATURES if ending in own.endings]
    is_cut = any(begin.startswith(start[:_SHORTEST]) for start in owned)
    if found is None and own in _BINARY and not is_cut and _is_text(begin):
        is_json = begin.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"{")
        found = (N_("a JSON lines file"), ".jsonl") if is_json else (N_("a text"), ".csv")
    if found is None:
        return
    raise TableError(
        _("'{name}' is not a valid {format}: it begins like {other}.").format(
            name=name, format=_(own.name), other=_(found[0])
        ),
        hint=_("If it is one, give it the ending {ending}.").format(ending=found[1]),
        file=name,
    )


def _is_text(begin: bytes) -> bool:
    """Return whether bytes are the beginning of a text in UTF-8."""
    text = begin.decode("utf-8", "ignore")
    n_cut = len(begin) - len(text.encode("utf-8"))
    return n_cut < 4 and all(letter.isprintable() or letter in "\t\r\n" for letter in text)
