"""Table files: endings, opening, unpacking, conversion to UTF-8, and their errors."""

from __future__ import annotations

import codecs
import gzip
import importlib
import os
import warnings
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from engine.errors import AnonymizerError, CancelledError, InputError, TableError, closest, nearest
from engine.files import open_regular, unreadable
from engine.numbers import as_exact_count
from engine.records.chunks import find_in
from engine.records.formats import (
    BEGIN,
    FORMATS,
    JSON_LINES,
    PARQUET,
    SAS,
    ending_of,
    endings_of,
    refuse_no_text,
    refuse_other_format,
)
from engine.shipped import install_words
from engine.words import N_, _

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET_ENDINGS, JSON_ENDINGS = PARQUET.endings, JSON_LINES.endings
TABLE_ENDINGS = (*TEXT_ENDINGS, *endings_of(*FORMATS))
ARX_ENDING, ARX_HIERARCHY_ENDING = ARX_ENDINGS = (".deid", ".ahs")
OTHER_FORMATS = {  # known by name, but not supported
    ".xlsb": N_("binary Excel workbooks"),
    ".rds": N_("R data files"),
    ".json": N_("JSON files"),
    ".xml": N_("XML files"),
    ".db": N_("databases"),
    ".sqlite": N_("databases"),
    ".sqlite3": N_("databases"),
    ".duckdb": N_("databases"),
    ".zip": N_("zip archives"),
    ".pdf": N_("PDF documents"),
    ARX_ENDING: N_("ARX projects"),
    ARX_HIERARCHY_ENDING: N_("hierarchies that only ARX reads"),
    SAS.catalog: N_("catalogs of SAS"),
}
_OF_DATABASE = N_(
    "The table of a recipe or command may be in a database, by its URL: sqlite:///people.db?table=people. "
    "Export this one as CSV."
)
OTHER_HINTS = {
    **dict.fromkeys((".db", ".sqlite", ".sqlite3", ".duckdb"), _OF_DATABASE),
    ".rds": N_("Write the table in R by arrow::write_parquet, or as CSV by write.csv, and open that."),
    ARX_ENDING: N_(
        "Open it as a project, or convert it with the command: anonymizer convert PROJECT.deid --out FOLDER."
    ),
    ARX_HIERARCHY_ENDING: N_(
        "In ARX, create the hierarchy from it (Edit > Create hierarchy > Load). Then export it (File > "
        "Export hierarchy) and import the CSV file here."
    ),
    SAS.catalog: N_("Open the SAS table (.sas7bdat) whose labels it has; put the catalog in its folder."),
}
_WEB = ("http:", "https:", "ftp:", "s3:")  # beginnings of a URL that is taken for a path
UNWRITABLE = {  # a release is text, and its name must not claim another format
    **{ending: own.files for own in FORMATS for ending in own.endings},
    **OTHER_FORMATS,
}
_SUGGESTED = (".csv", ".tsv", ".csv.gz", ".xlsx", ".sav", ".dta", ".sas7bdat", ".jsonl", ".parquet")
COMMON_ENCODINGS = ("utf-8", "cp1252", "latin-1", "cp1250", "cp1251", "utf-16", "shift_jis", "gb18030")
_MARKS = (  # the longer mark first: UTF-32 little endian begins like UTF-16 little endian
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_MARKS = tuple(mark for mark, name in _MARKS if name != "utf-8-sig")
_ENDS = (b"\n", b"\r")
_LONGEST_HEAD = 1 << 24  # bytes; two lines of a table are not longer
_BLOCK = 1 << 20
_PATTERN = 1 << 12  # bytes searched for the zeros of wide characters
# Members of a packed file: how each begins, and how many bytes each has on average where they are many.
_MEMBER, _MANY_MEMBERS, _LEAST_MEMBER = b"\x1f\x8b\x08", 10_000, 64
# Limits of the unpacked size of a packed file.
_SMALL, _MOST_BYTES, _MOST_RATIO = 1 << 28, 1 << 33, 300


@dataclass(eq=False)
class Source:
    """A text file in memory.

    Attributes
    ----------
    name : str
        Name of the file in messages.
    data : bytes
        The complete text in UTF-8, without byte order mark.
    encoding : str
        Encoding of the file.
    encoding_is_guessed : bool
        Whether nothing in the file proves the encoding.
    path : Path or None
        The file, if its bytes are the text; it can then be read in pieces instead.
    """

    name: str
    data: bytes
    encoding: str
    encoding_is_guessed: bool = False
    path: Path | None = None


def load(path: Path, encoding: str | None = None, *, guess: bool = False) -> Source:
    """Read a text file completely and convert it to UTF-8.

    Parameters
    ----------
    path : Path
        A text file, or one packed with gzip.
    encoding : str, optional
        Name of the encoding; without it, a byte order mark, the zeros of UTF-16 and UTF-32, or valid UTF-8
        decides.
    guess : bool
        Whether to fall back to a Western European encoding if none of them decides.

    Raises
    ------
    TableError
        The file is missing, a folder, in another format, packed badly, empty, not in the encoding, or
        contains NUL characters.
    """
    raw, is_packed = _bytes(path)
    source = _source(path.name, raw, encoding, guess=guess)
    if source.data is raw and not is_packed:
        source.path = path
    return source


def load_beginning(path: Path, n_bytes: int, encoding: str | None = None) -> tuple[Source, bool]:
    """Read the first records of a text file; also return whether these are all.

    Parameters
    ----------
    n_bytes : int
        Number of bytes read, more if they hold less than two lines; a last line that may be cut is dropped.

    Raises
    ------
    TableError
        See `load`; also if the first line is too long.
    """
    while True:
        raw = _bytes(path, n_bytes + 1)[0]
        if len(raw) <= n_bytes:
            return _source(path.name, raw, encoding, guess=True), True
        raw = _whole_lines(raw[:n_bytes], width_and_encoding(raw, encoding)[0])
        if n_bytes >= _LONGEST_HEAD or max(map(raw.count, _ENDS)) > 1:
            break
        n_bytes *= 4  # a header of many columns
    if not raw:
        raise TableError(
            _("'{name}' has no line end in its first {n_bytes} bytes.").format(
                name=path.name, n_bytes=as_exact_count(n_bytes)
            ),
            hint=_("Check that it is a text table."),
            file=path.name,
            line=1,
        )
    return _source(path.name, raw, encoding, guess=True), False


def width_and_encoding(raw: bytes, encoding: str | None = None) -> tuple[int, str]:
    """Return the bytes per code unit and the name of the encoding, given or detected from the beginning.

    An unknown name counts as UTF-8.
    """
    name = encoding or _shown_encoding(raw, is_whole=False) or "utf-8"
    try:
        b"a".decode(name, "replace")  # decoding nothing would not look up the codec
    except (LookupError, ValueError):
        name = "utf-8"
    plain = name.lower().replace("_", "").replace("-", "")
    return 4 if plain.startswith("utf32") else 2 if plain.startswith("utf16") else 1, name


def _whole_lines(raw: bytes, width: int) -> bytes:
    """Return the text up to its last line end."""
    if width == 1:
        return raw[: max(raw.rfind(b"\n"), raw.rfind(b"\r")) + 1]
    for end in range(len(raw) - len(raw) % width, 0, -width):
        if raw[end - width : end].strip(b"\0") in (b"\n", b"\r"):
            return raw[:end]
    return b""


def _source(name: str, raw: bytes, encoding: str | None, *, guess: bool) -> Source:
    if _is_blank(raw):
        raise TableError(
            _("'{name}' is empty.").format(name=name),
            hint=_("Choose a file with a header and records."),
            file=name,
            is_empty=True,
        )
    if shown := encoding or _shown_encoding(raw):
        return Source(name, _checked(name, _decoded(name, raw, shown)), shown)
    try:
        _check_encoding(raw, "utf-8")
    except UnicodeDecodeError as error:
        if not guess:
            raise not_in_encoding(name, raw, "utf-8", error.start) from None
        # cp1252 has five unassigned bytes; latin-1 reads everything.
        offered = "cp1252" if _fits(raw, "cp1252") else "latin-1"
        return Source(name, _checked(name, _decoded(name, raw, offered)), offered, True)
    return Source(name, _checked(name, raw), "utf-8")


def _is_blank(raw: bytes) -> bool:
    """Return whether there are only blanks and marks; stops at the first piece with more."""
    pieces = (raw[start : start + _BLOCK] for start in range(0, len(raw), _BLOCK))
    return not any(piece.strip(b"\0\r\n\t \xef\xbb\xbf\xff\xfe") for piece in pieces)


def _shown_encoding(raw: bytes, *, is_whole: bool = True) -> str | None:
    """Return the encoding that a byte order mark or the zeros of wide characters show."""
    marked = (name for mark, name in _MARKS if raw.startswith(mark))
    return next(marked, None) or _zero_pattern(raw, is_whole=is_whole)


def _zero_pattern(raw: bytes, *, is_whole: bool) -> str | None:
    """Return the multi-byte encoding of a file without byte order mark, detected from its zeros.

    Delimiters, line ends and digits are ASCII: their zeros are all on the same side.
    """
    start = raw[:_PATTERN]
    if b"\0" not in start:
        return None
    for width, name, letter in (
        (4, "utf-32-le", 0),
        (4, "utf-32-be", 3),
        (2, "utf-16-le", 0),
        (2, "utf-16-be", 1),
    ):
        units = [start[i : len(start) - len(start) % width : width] for i in range(width)]
        is_cut_well = not is_whole or (len(raw) % width == 0 and _fits(raw, name))
        if units[letter] and _are_zeros(units, letter) and is_cut_well:
            return name
    return None


def _are_zeros(units: list[bytes], letter: int) -> bool:
    """Return whether at least half of the units are ASCII by their zeros, and few have one at the letter."""
    others = [unit for i, unit in enumerate(units) if i != letter]
    n_ascii = sum(not any(zeros) for zeros in zip(*others, strict=True))
    ends_lines = any(end in unit for unit in others for end in _ENDS)
    if ends_lines and not any(
        not any(rest) and bytes((own,)) in _ENDS for own, *rest in zip(units[letter], *others, strict=True)
    ):
        return False  # its lines end with one byte: a NUL in an ordinary text
    return 4 * units[letter].count(0) < len(units[letter]) <= 2 * n_ascii


def checked_path(path: Path) -> None:
    """Check that a path is a file that can be read.

    Raises
    ------
    TableError
        It does not exist, is a folder, a device, a pipe or a socket, cannot be read, or is obviously not of
        the format that its ending names.
    """
    if not exists(path):
        others = [p.name for p in path.parent.iterdir()] if os.path.isdir(path.parent) else []
        raise TableError(
            _("The file '{path}' does not exist.").format(path=path),
            hint=_("Files are not downloaded. Download it first.")
            if path.as_posix().startswith(_WEB)
            else nearest(path.name, others)
            if closest(path.name, others)
            else _("Check its name and folder."),
            file=path.name,
        )
    if path.is_dir():
        raise TableError(
            _("'{path}' is a folder.").format(path=path), hint=_("Choose a file inside it."), file=path.name
        )
    try:
        with open_regular(path) as file:
            begin = file.read(BEGIN)
    except OSError as error:
        raise _unreadable(path, error) from error
    refuse_other_format(path, begin)


def need(module: str, file: str, part: str = "") -> Any:
    """Return a library that a format needs.

    Parameters
    ----------
    part : str
        The part of the program that has it, as for `install_words`.

    Raises
    ------
    TableError
        It is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise TableError(
            _("'{file}' requires the library {module}, which is not installed.").format(
                file=file, module=module.partition(".")[0]
            ),
            hint=_("Install it with: {command}").format(command=install_words(part)),
            file=file,
        ) from None


@contextmanager
def read_by_library(file: str, format_name: str) -> Iterator[None]:
    """Turn any error that a library raises over a damaged file into one sentence.

    Parameters
    ----------
    file : str
        Name of the file.
    format_name : str
        The format, such as "Excel workbook".

    Raises
    ------
    TableError
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles, extensions and other things that hold no values
            yield
    except (AnonymizerError, CancelledError, GeneratorExit):
        raise
    except MemoryError:
        raise too_large(file) from None
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise TableError(
            _("'{file}' is damaged or not a valid {format} ({reason}).").format(
                file=file, format=format_name, reason=reason or type(error).__name__
            ),
            hint=_("Open it in the program that created it and save it again, or save the table as CSV."),
            file=file,
        ) from error


def too_large(file: str) -> TableError:
    """Return the error for a file whose table needs more memory than there is."""
    return TableError(
        _("'{file}' does not fit into memory.").format(file=file),
        hint=_("Save the table as CSV and open that."),
        file=file,
    )


def _bytes(path: Path, most: int | None = None) -> tuple[bytes, bool]:
    """Return the content of a text file, at most `most` bytes, and whether it was unpacked."""
    with _opened_text(path) as (file, is_packed):
        if not is_packed:
            return refuse_no_text(path, file.read(-1 if most is None else most)), False
        unpacked = bytearray()
        for block in _unpacked(path.name, file, most):
            unpacked += block
        return refuse_no_text(path, bytes(unpacked)), True


def text_blocks(path: Path) -> Generator[bytes, None, None]:
    """Yield the content of a text file in blocks of up to 1 MiB, unpacked if it is packed.

    Raises
    ------
    TableError
        The file is missing, not a regular file, in another format by its name, or packed badly.
    """
    with _opened_text(path) as (file, is_packed):
        yield from _unpacked(path.name, file, None) if is_packed else iter(lambda: file.read(_BLOCK), b"")


@contextmanager
def _opened_text(path: Path) -> Iterator[tuple[IO[bytes], bool]]:
    """Open a text file without a buffer, which would hold it twice; also yield whether it is packed."""
    ending = ending_of(path)
    checked_path(path)
    if ending in UNWRITABLE:
        if ending in OTHER_FORMATS:
            problem = _("'{name}': this format cannot be read ({format}).")
            hint = _("Save the table as CSV (UTF-8) and open that. Supported: {endings}.")
            hint = _(OTHER_HINTS[ending]) if ending in OTHER_HINTS else hint
        else:
            problem = _("'{name}': a text file is needed here ({format} cannot be used).")
            hint = _("Save the table as CSV (UTF-8) and open that.")
        raise TableError(
            problem.format(name=path.name, format=_(UNWRITABLE[ending])),
            hint=hint.format(endings=", ".join(_SUGGESTED)),
            file=path.name,
        )
    try:
        with path.open("rb", buffering=0) as file:
            is_packed = ending == ".gz" or file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if is_packed:
                _refuse_members(path.name, file)
            yield file, is_packed
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(
            _("'{name}' cannot be unpacked, because it is not a complete gzip file.").format(name=path.name),
            hint=_("Download or pack the file again."),
            file=path.name,
        ) from error
    except OSError as error:
        raise _unreadable(path, error) from error


def _unpacked(name: str, file: IO[bytes], most: int | None) -> Iterator[bytes]:
    """Yield the content of a gzip file, up to `most` bytes; a crafted file could fill the memory."""
    size, done = os.fstat(file.fileno()).st_size, 0
    with gzip.GzipFile(fileobj=file) as packed:
        while block := packed.read(_BLOCK if most is None else min(_BLOCK, most - done)):
            done += len(block)
            refuse_bomb(name, done, size)
            yield block


def _refuse_members(name: str, file: IO[bytes]) -> None:
    """Raise `TableError` for a gzip file of very many small members, which take long and hold nothing."""
    n_members = size = 0
    while block := file.read(_BLOCK):
        n_members += block.count(_MEMBER)
        size += len(block)
    file.seek(0)
    if n_members > _MANY_MEMBERS and size < n_members * _LEAST_MEMBER:
        raise TableError(
            _("'{name}' consists of {n} packed parts, which is implausible for its size.").format(
                name=name, n=as_exact_count(n_members)
            ),
            hint=_("If the file is genuine, unpack it first and open the table itself."),
            file=name,
        )


def refuse_bomb(name: str, done: int, size: int) -> None:
    """Raise `TableError` if a packed file of `size` bytes has unpacked to implausibly many."""
    if done > max(_SMALL, min(_MOST_BYTES, _MOST_RATIO * size)):
        raise TableError(
            _(
                "'{name}' would unpack to more than {done} MB, which is "
                "implausible for a table in a file of this size."
            ).format(name=name, done=as_exact_count(done / 1000000.0)),
            hint=_("If the file is genuine, unpack it first and open the table itself."),
            file=name,
        )


def _unreadable(path: Path, error: OSError) -> InputError:
    hint = _("Check that you may read the file and that no other program has locked it.")
    return unreadable(TableError, path, error, hint)


def exists(path: Path) -> bool:
    """Return whether a file exists; a file of an impossible name does not."""
    return os.path.exists(path)


def _check_encoding(raw: bytes, encoding: str) -> None:
    """Check that `raw` is valid, block by block, so that no second copy is held."""
    for _block in _texts_of_blocks(raw, encoding, is_checked=encoding == "utf-8"):
        pass


def _texts_of_blocks(raw: bytes, encoding: str, *, is_checked: bool = False) -> Iterator[str]:
    """Yield the text block by block: one call for all of it would block every other thread.

    Where UTF-8 is only checked, blocks of ASCII are passed over, which is faster.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(raw), _BLOCK):
        block = raw[start : start + _BLOCK]
        if is_checked and block.isascii() and not decoder.getstate()[0]:
            continue
        try:
            yield decoder.decode(block, final=start + _BLOCK >= len(raw))
        except UnicodeDecodeError as error:
            # Bytes left from the previous block come before those of this block.
            error.start += start - (len(error.object) - len(block))
            raise


def _decoded(name: str, raw: bytes, encoding: str) -> bytes:
    try:
        proper = codecs.lookup(encoding).name
    except (LookupError, ValueError):  # ValueError: the name has a NUL character
        raise TableError(
            _("Unknown encoding '{encoding}'.").format(encoding=encoding),
            hint=nearest(encoding, COMMON_ENCODINGS),
            file=name,
            encoding=encoding,
        ) from None
    if proper in ("utf-8", "utf-8-sig"):
        try:
            _check_encoding(raw, "utf-8")
        except UnicodeDecodeError as error:
            raise not_in_encoding(name, raw, encoding, error.start) from None
        return raw.removeprefix(codecs.BOM_UTF8)
    if proper in ("utf-16", "utf-32") and not raw.startswith(_WIDE_MARKS):
        raise TableError(  # the decoder would assume an order of bytes and read nonsense
            _("'{name}' has no byte order mark, so its encoding is not {encoding}.").format(
                name=name, encoding=encoding.upper()
            ),
            hint=_("Try {proper}-le, {proper}-be or utf-8.").format(proper=proper),
            file=name,
        )
    try:
        return _transcoded(raw, encoding).removeprefix(codecs.BOM_UTF8)
    except UnicodeDecodeError as error:
        raise not_in_encoding(name, raw, encoding, error.start) from None
    except (UnicodeError, LookupError) as error:  # a mark is missing, or the codec is not one for text
        raise TableError(
            _("'{name}' cannot be read as {encoding}: {error}.").format(
                name=name, encoding=encoding, error=error
            ),
            hint=_("Choose another encoding, such as {encodings}.").format(
                encodings=", ".join(COMMON_ENCODINGS[:3])
            ),
            file=name,
        ) from None


def _transcoded(raw: bytes, encoding: str) -> bytes:
    """Return the text in UTF-8."""
    b"".decode(encoding)  # refuses codecs that are not for text
    made = bytearray()
    for text in _texts_of_blocks(raw, encoding):
        made += text.encode("utf-8")
    return bytes(made)


def not_in_encoding(name: str, raw: bytes, encoding: str, position: int, first_line: int = 1) -> TableError:
    """Return the error for a byte that is not in the encoding; the bytes begin in `first_line`."""
    line = raw.count(b"\n", 0, position) + first_line
    column = position - (raw.rfind(b"\n", 0, position) + 1) + 1
    fitting = [other for other in ("utf-8", "cp1252", "latin-1", "cp1250") if _fits(raw, other)]
    return TableError(
        _("'{name}' is not valid {encoding}: byte 0x{raw:02X} in line {line}, position {column}.").format(
            name=name, encoding=encoding.upper(), raw=raw[position], line=line, column=column
        ),
        hint=_("Choose an encoding; it can be read as {encodings}.").format(encodings=", ".join(fitting))
        if fitting
        else "",
        file=name,
        line=line,
        position=column,
        encodings=tuple(fitting),
    )


def _fits(raw: bytes, encoding: str) -> bool:
    try:
        _check_encoding(raw, encoding)
    except UnicodeDecodeError:
        return False
    return True


def _checked(name: str, data: bytes) -> bytes:
    position = find_in(data, b"\0")
    if position < 0:
        return data
    raise nul_character(name, data.count(b"\n", 0, position) + 1)


def nul_character(name: str, line: int) -> TableError:
    """Return the error for a NUL character in a line."""
    return TableError(
        _("'{name}' has a NUL character in line {line}. It is damaged, or not text in this encoding.").format(
            name=name, line=line
        ),
        hint=_("If another program opens the file as text, try the encoding utf-16-le or utf-16-be."),
        file=name,
        line=line,
    )
