"""Writing of a table as an SPSS or Stata file, with the labels that its columns had.

A column is written as numbers if all its texts are: codes of labelled values, numbers to the last digit, or
dates. All others are texts. A suppressed cell of a column of numbers or dates is a missing value with
the label `*`.
Labels of values that no record has are left out, since programs make labels from the values of a table.
"""

from __future__ import annotations

import datetime
import os
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from engine.errors import ExportError
from engine.kernels.arrays import Codes, FloatArray
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.records.frames.cells import DAYS, number_text
from engine.records.options import SPSS, STATA
from engine.records.plan import WrittenColumn, occurring
from engine.records.programs.workbooks_writing import is_exact_number
from engine.records.table_files import need
from engine.records.types import Kind
from engine.scratch import scratch_folder
from engine.subprocess_job import run_in_subprocess
from engine.words import _

if TYPE_CHECKING:
    import pandas as pd

STAR = "*"
_SECONDS = "%Y-%m-%d %H:%M:%S"
_VERSION = 14  # of Stata; later ones read its files too
_LETTER = "s"  # of Stata's missing value for suppressed cells, .s
_FEW = 200_000  # cells that are written at once; more are written in a process that can be ended
_MOST_CODE = 2_147_483_620  # of a value label of Stata
_FIRST_DAY, _LAST_DAY = 315_532_800, 4_354_819_199  # 1980 to 2107, as in workbooks
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_STAMP = re.compile(rb"<timestamp>\x11.{17}</timestamp>")
_SPSS_DATE = slice(92, 109)  # in the header: day, then time


@dataclass(frozen=True)
class _Program:
    """Limits of a program.

    Attributes
    ----------
    first_day : date
        The day from which dates count.
    units : float
        Units of a date and time in a second.
    day, moment : str
        Display formats of dates, and of dates with times.
    days_are_seconds : bool
        Whether a date counts seconds instead of days.
    longest_text, longest_label, longest_description : int
        Bytes of a text, of the label of a value, and of that of a column.
    keeps_spaces : bool
        Whether spaces at the end of a text remain.
    """

    name: str
    first_day: datetime.date
    units: float
    day: str
    moment: str
    days_are_seconds: bool
    longest_text: int
    longest_label: int
    longest_description: int
    keeps_spaces: bool


_PROGRAMS = {
    SPSS: _Program(
        "SPSS", datetime.date(1582, 10, 14), 1.0, "SDATE10", "DATETIME20", True, 32_767, 120, 255, False
    ),
    STATA: _Program(
        "Stata", datetime.date(1960, 1, 1), 1000.0, "%td", "%tc", False, 2_000_000, 32_000, 80, True
    ),
}


@dataclass
class _Form:
    """Written form of a column.

    Attributes
    ----------
    description : str
        Label of the column.
    display : str
        Display format; empty for the usual one.
    labels : list of (float, str)
        Codes with their labels.
    star : float or None
        The number that stands for a suppressed cell.
    """

    name: str
    description: str = ""
    display: str = ""
    measure: str = ""
    labels: list[Sequence[Any]] = field(default_factory=list)
    star: float | None = None


def write_statistical(
    kind: str,
    file: BinaryIO,
    columns: Sequence[WrittenColumn],
    names: Sequence[str],
    data: Sequence[tuple[Sequence[str], Codes]],
    monitor: Monitor = SILENT,
) -> None:
    """Write a table into an open binary file.

    Parameters
    ----------
    names : sequence of str
        Names that the program allows, as `engine.records.programs.statistical_writing` makes them.
    data : sequence
        Per column its distinct texts and the codes of the records.

    Raises
    ------
    ExportError
        The program cannot hold one of the texts.
    """
    import pandas as pd

    need("pyreadstat", f"*.{kind}")
    program = _PROGRAMS[kind]
    n_records = len(data[0][1]) if data else 0
    forms: list[_Form] = []
    series: dict[str, Any] = {}
    for place, (column, name, (texts, codes)) in enumerate(zip(columns, names, data, strict=True)):
        monitor.step(place, len(names) + 1, _("Writing {column}").format(column=column.name))
        form = _Form(name, description_of(kind, column, name))
        series[name] = _values(kind, program, column, form, texts, codes)
        forms.append(form)
    frame = pd.DataFrame(series, copy=False)
    with scratch_folder("writing") as folder:
        request = {"kind": kind, "forms": [asdict(form) for form in forms], "folder": str(folder)}
        if n_records * len(names) <= _FEW:
            _save(kind, forms, frame, folder / "table")
            _copy(folder / "table", file)
        else:
            frame.to_parquet(folder / "table.parquet")
            with run_in_subprocess(__name__, request, monitor, subject=f"*.{kind}") as made:
                _copy(made / "table", file)
    monitor.step(n_records, n_records, _("Wrote {n} records").format(n=as_exact_count(n_records)))


def work(request: Mapping[str, Any], folder: Path, monitor: Monitor) -> None:
    """Write a file from a table in a folder; called in the subprocess."""
    import pandas as pd

    forms = [_Form(**own) for own in request["forms"]]
    frame = pd.read_parquet(Path(request["folder"]) / "table.parquet")
    _save(request["kind"], forms, frame, folder / "table")


def _copy(path: Path, file: BinaryIO) -> None:
    with path.open("rb") as made:
        shutil.copyfileobj(made, file, 1 << 20)


def _save(kind: str, forms: Sequence[_Form], frame: pd.DataFrame, path: Path) -> None:
    """Write a file by the library, and put a date into it that does not vary.

    Raises
    ------
    ExportError
        The library refuses the table, which has too many columns, for example.
    """
    library = need("pyreadstat", path.name)
    common: dict[str, Any] = {
        "column_labels": {form.name: form.description for form in forms if form.description},
        "variable_value_labels": {form.name: dict(map(tuple, form.labels)) for form in forms if form.labels},
        "variable_format": {form.name: form.display for form in forms if form.display},
    }
    stars = [form for form in forms if form.star is not None]
    if kind == SPSS:
        write = partial(
            library.write_sav,
            missing_ranges={form.name: [form.star] for form in stars},
            variable_measure={form.name: form.measure for form in forms if form.measure},
        )
    else:
        for form in stars:
            own = frame[form.name]
            cells = own.astype(object).where(own.notna(), None)
            frame[form.name] = cells.where(own != form.star, _LETTER)
            labels = common["variable_value_labels"][form.name]
            common["variable_value_labels"][form.name] = {
                _LETTER if code == form.star else int(code): text for code, text in labels.items()
            }
        own_missing = {form.name: [_LETTER] for form in stars}
        write = partial(library.write_dta, version=_VERSION, missing_user_values=own_missing)
    try:
        write(frame, path, **common)
    except (library.ReadstatError, library.PyreadstatError) as error:
        raise ExportError(
            _("{program} cannot hold this release: {reason}.").format(
                program=_PROGRAMS[kind].name, reason=str(error).rstrip(".")
            ),
            hint=_("Export it as CSV or Parquet."),
        ) from None
    _set_date(kind, path)


def _set_date(kind: str, path: Path) -> None:
    """Write a fixed date into the header, so that the same release gives the same bytes."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = min(max(int(given) if given.isdecimal() else 0, _FIRST_DAY), _LAST_DAY)
    moment = time.gmtime(seconds)
    month = _MONTHS.split()[moment.tm_mon - 1]
    with path.open("r+b") as file:
        head = file.read(1 << 12)
        if kind == SPSS:
            day = f"{moment.tm_mday:02} {month} {moment.tm_year % 100:02}"
            clock = f"{moment.tm_hour:02}:{moment.tm_min:02}:{moment.tm_sec:02}"
            file.seek(_SPSS_DATE.start)
            file.write(f"{day}{clock}".encode("ascii"))
        elif found := _STAMP.search(head):
            text = f"{moment.tm_mday:02} {month} {moment.tm_year:04} {moment.tm_hour:02}:{moment.tm_min:02}"
            file.seek(found.start() + len(b"<timestamp>\x11"))
            file.write(text.encode("ascii"))


def description_of(kind: str, column: WrittenColumn, name: str) -> str:
    """Return the label of a column: its own, or its name if the program does not allow that."""
    own = "" if column.coding is None else column.coding.label
    text = own or (column.name if name != column.name else "")
    return text.encode("utf-8")[: _PROGRAMS[kind].longest_description].decode("utf-8", "ignore")


def _values(
    kind: str,
    program: _Program,
    column: WrittenColumn,
    form: _Form,
    texts: Sequence[str],
    codes: Codes,
) -> Any:
    """Return the cells of a column, and enter into its form how they are written."""
    occurs = occurring(texts, codes)
    used = [text for text, does in zip(texts, occurs.tolist(), strict=True) if does]
    shown = [text for text in used if text not in (column.missing, STAR)]
    if column.coding is not None:
        form.measure = column.coding.measure if kind == SPSS else ""
    for made in (partial(_coded, kind, program), _numbers, partial(_moments, program)):
        found = made(column, form, shown) if shown else None
        if found is None:
            continue
        if STAR in used:
            form.star = _star(kind, found, form)
            form.labels.append((form.star, STAR))
            found[STAR] = form.star
        numbers: FloatArray = np.full(len(texts), np.nan)
        for place in np.flatnonzero(occurs).tolist():
            numbers[place] = found.get(texts[place], np.nan)
        return numbers[codes]
    form.measure = ""
    _refuse_texts(program, column, used)
    return np.array(list(texts) or [""], dtype=object)[codes]


def _coded(
    kind: str, program: _Program, column: WrittenColumn, form: _Form, shown: Sequence[str]
) -> dict[str, float] | None:
    """Return the codes of labelled values; None if a text has none, or the program cannot hold one."""
    values = {} if column.coding is None else column.coding.values
    if not any(text in values for text in shown):
        return None
    found: dict[str, float] = {}
    for text in shown:
        # The text of a value without a label is its number.
        code = values[text][0] if text in values else float(text) if is_exact_number(text) else None
        if not isinstance(code, float) or code in found.values():
            return None
        found[text] = code
    # The label in the file is that of a code; a label of several codes may have only one of them here.
    labels = [
        (code, values[text][1] if text == number_text(code) else text)
        for text, code in found.items()
        if text in values
    ]
    if any(len(label.encode("utf-8")) > program.longest_label for _unused, label in labels):
        return None
    if kind == STATA and any(not code.is_integer() or abs(code) >= _MOST_CODE for code, _unused in labels):
        return None
    form.labels = list(labels)
    return found


def _numbers(column: WrittenColumn, form: _Form, shown: Sequence[str]) -> dict[str, float] | None:
    """Return the numbers of a column of numbers; None if a text is not one to the last digit."""
    if not column.data_type.is_numeric or not all(map(is_exact_number, shown)):
        return None
    return {text: float(text) for text in shown}


def _moments(
    program: _Program, column: WrittenColumn, form: _Form, shown: Sequence[str]
) -> dict[str, float] | None:
    """Return the numbers of dates; None if the program would not show the same dates."""
    data_type = column.data_type
    if data_type.kind is not Kind.DATE or data_type.format not in (DAYS, _SECONDS):
        return None
    read: Callable[[str], datetime.datetime | None] = partial(_moment, data_type.format)
    moments = {text: read(text) for text in shown}
    start = datetime.datetime.combine(program.first_day, datetime.time())
    earliest = start + datetime.timedelta(days=1) if program.days_are_seconds else datetime.datetime.min
    found: dict[str, float] = {}
    for text, moment in moments.items():
        if moment is None or moment < earliest:
            return None
        span = moment - start
        has_days = data_type.format == DAYS and not program.days_are_seconds
        found[text] = float(span.days) if has_days else span.total_seconds() * program.units
    if data_type.format == _SECONDS and all(text.endswith("00:00:00") for text in shown):
        return None  # they would be read as dates without times
    form.display = program.day if data_type.format == DAYS else program.moment
    return found


def _moment(shape: str, text: str) -> datetime.datetime | None:
    """Return a date whose text is exactly this one."""
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    same = moment.isoformat(" ", "seconds") if shape == _SECONDS else moment.date().isoformat()
    return moment if same == text and moment.tzinfo is None else None


def _star(kind: str, found: Mapping[str, float], form: _Form) -> float:
    """Return a number for suppressed cells that no value has: nines, as is usual for missing values.

    Of dates in SPSS it is the day from which they count: other programs may not read nines as a date.
    """
    if kind == SPSS and form.display:
        return 0.0
    taken = {abs(number) for number in found.values()}
    star = 9.0
    while any(number >= star for number in taken):
        star = star * 10 + 9
    return star


def _refuse_texts(program: _Program, column: WrittenColumn, texts: Sequence[str]) -> None:
    """Refuse texts that the program would change."""
    for text in texts:
        problem = ""
        if "\0" in text:
            problem = _("Column '{name}': a text has a NUL character, which {program} cannot hold.")
        elif not program.keeps_spaces and text != text.rstrip(" "):
            problem = _("Column '{name}': a text ends in a space, which {program} does not keep.")
        elif len(text) > program.longest_text // 4 and len(text.encode("utf-8")) > program.longest_text:
            problem = _("Column '{name}': a text has {n} bytes, but {program} holds at most {limit}.")
        if problem:
            raise ExportError(
                problem.format(
                    name=column.name,
                    program=program.name,
                    n=as_exact_count(len(text.encode("utf-8"))),
                    limit=as_exact_count(program.longest_text),
                ),
                hint=_("Export it as CSV or Parquet."),
            )


_OTHERS = {SPSS: re.compile(r"[^\w.]"), STATA: re.compile(r"\W")}
_LONGEST = {SPSS: 64, STATA: 32}  # bytes, so that either way of counting is met
_RESERVED = {
    SPSS: re.compile("all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with"),
    STATA: re.compile(
        "_all|_b|byte|_coef|_cons|double|float|if|in|int|long|_n|_pi|_pred|_rc|_skip|str[0-9]*|strl|using|with"
    ),
}


def variable_names(names: Sequence[str], kind: str) -> tuple[str, ...]:
    """Return the names under which columns are written: their own where the program allows it.

    Other characters become `_`; a name that is too long, reserved or taken gets another end.

    Parameters
    ----------
    names : sequence of str
        All different.
    kind : str
        The format; formats other than those of SPSS and Stata allow all names.
    """
    if kind not in _OTHERS:
        return tuple(names)
    plain = [_plain_name(name, kind) for name in names]
    taken = {own.lower() for own, name in zip(plain, names, strict=True) if own == name}
    found: list[str] = []
    used: set[str] = set()
    for own, name in zip(plain, names, strict=True):
        free, number = own, 1
        while free.lower() in used or (free != name and free.lower() in taken):
            number += 1
            end = f"_{number}"
            free = _cut(own, _LONGEST[kind] - len(end)) + end
        used.add(free.lower())
        found.append(free)
    return tuple(found)


def _plain_name(name: str, kind: str) -> str:
    own = _OTHERS[kind].sub("_", name)
    if not own[:1].isalpha() and (kind == SPSS or not own.startswith("_")):
        own = f"v{own}" if own.startswith("_") else f"v_{own}"
    own = _cut(own, _LONGEST[kind]).rstrip(".")
    return f"{own}_" if _RESERVED[kind].fullmatch(own.lower()) else own


def _cut(name: str, n_bytes: int) -> str:
    return name.encode("utf-8")[:n_bytes].decode("utf-8", "ignore")
