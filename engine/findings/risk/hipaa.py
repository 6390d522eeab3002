"""Columns that resemble identifiers of HIPAA's Safe Harbor rule, and their treatment in the release."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import SHARE, Block, FigureTable, Findings, Statement, Tone, as_column, figure_row
from engine.findings.subject import ColumnAlone, Subject
from engine.hierarchies.bounds import read_bounds
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.hierarchies.words import describe_level
from engine.kernels.arrays import BoolArray
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_risk
from engine.qi_detection.hipaa import AGES, OLDEST, OWN_VALUES, ZIP_DIGITS, HipaaMatch, hipaa_match
from engine.qi_detection.safe_harbor import SafeHarbor
from engine.recoding import ReleasedColumn
from engine.recoding.ruled import rule_of
from engine.recoding.transformation import KEPT
from engine.records import Column, DataType, Role, role_word
from engine.records.values import decimal_mark
from engine.words import N_, _, lazy, ngettext, within_sentence

# A year, a decade, or a range of years: the only forms of a date that the rule allows.
_YEARS = re.compile(r"[\[(\]]?\d{3,4}s?(?:\s*(?:-|–|to|,|;)\s*\d{4})?[\])\[]?")
_IN_DOUBT = N_("the released values may still be smaller than a state")


class Treatment(Enum):
    """Treatment of the values of a column; the value is its word."""

    REMOVED = N_("removed")
    CHANGED = N_("changed")
    IN_PART = N_("partly changed")
    UNCHANGED = N_("unchanged")


@figure_row
class HipaaColumn:
    """Column that resembles one of the 18 identifiers.

    Attributes
    ----------
    letter : str
        Of the rule, from A to R.
    is_direct : bool
        Whether it identifies a person by itself, unlike a date or a town.
    identifier : str
        Identifier with its letter: "telephone numbers (D)".
    treatment : Treatment
        Treatment in the records whose cells are readable: the kept ones, and suppressed ones in columns
        that are not blanked.
    release : str
        Treatment in words: "level 2 of 4: years".
    remains : str
        Remaining parts of the identifier in the release, in a few words; empty for none.
    """

    letter: str
    is_direct: bool
    column: str = as_column(N_("Column"))
    role: Role | None = as_column(N_("Role"), shown=role_word)
    identifier: str = as_column(
        N_("Looks like"), "", N_("Identifier of 45 CFR 164.514(b)(2)(i), with its letter.")
    )
    confidence: float = as_column(
        N_("Confidence"), SHARE, N_("Confidence of the detection; 100 % is certain.")
    )
    reason: str = as_column(N_("Reason"))
    treatment: Treatment = as_column(N_("In the release"), shown=lambda treatment: _(treatment.value))
    release: str = as_column(N_("Method"))
    share_unchanged: float = as_column(
        N_("Unchanged"),
        SHARE,
        N_("Share of the kept cells that are released unchanged, without missing ones."),
    )
    remains: str = as_column(
        N_("Still an identifier"),
        "",
        N_("Based on the released values; yes if in doubt."),
        shown=lambda remains: remains or _("nothing"),
    )

    @property
    def still_looks(self) -> bool:
        """Return whether the released values may still be the identifier."""
        return bool(self.remains)


@dataclass(frozen=True)
class HipaaFound(Findings):
    """Columns that resemble identifiers, in the order of the rule; all of the input were examined."""

    columns: tuple[HipaaColumn, ...]
    sentence: str

    @property
    def n_still(self) -> int:
        """Number of columns whose released values still resemble an identifier."""
        return sum(column.still_looks for column in self.columns)

    def statement(self) -> Statement:
        is_open = any(column.still_looks and column.is_direct for column in self.columns)
        tone: Tone = "danger" if is_open else "warn" if self.n_still else "ok" if self.columns else "text"
        return Statement(
            self.sentence, tone, _("based on the names and values of the columns; check them yourself")
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return one row per column."""
        title, tones = _("Columns that look like identifiers"), tuple(map(_tone, self.columns))
        return (FigureTable.of("hipaa", title, HipaaColumn, self.columns, tones=tones),)


def _tone(column: HipaaColumn) -> Tone:
    if not column.still_looks:
        return "ok"
    return "danger" if column.is_direct else "warn"


@risk_analyses.register("hipaa")
@dataclass(frozen=True, slots=True)
class Hipaa(Analysis):
    """Find the identifiers of 45 CFR 164.514(b)(2)(i) by names and values of columns.

    The rule concerns columns and their remaining cells, so shares are of records even if a person column
    is given.
    """

    title: ClassVar[str] = lazy("HIPAA identifiers")
    summary: ClassVar[str] = lazy(
        "Columns that look like one of the 18 identifiers that HIPAA's Safe Harbor requires "
        "to be removed, and what the release does with them."
    )
    reading: ClassVar[str] = lazy(
        "Safe Harbor requires that all eighteen are removed: of places the state may stay, "
        "of postal codes three digits if enough people live there, of dates the year, and "
        "ages up to 89. It has no threshold. Names of people are recognized by the column "
        "name only, and free text may contain anything, so an empty list proves nothing. A "
        "confidence of 0.97 means that name and values agree, 0.92 only the values, 0.7 only "
        "the name, 0.6 that every record has a different value. Shares count records, even "
        "if people have several: the rule concerns cells."
    )
    source: ClassVar[str] = "45 CFR 164.514(b)(2)(i)"
    is_costly: ClassVar[bool] = True
    report_place: ClassVar[int | None] = 45  # after the roles

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> HipaaFound:
        columns = subject.names
        found = []
        for done, name in enumerate(columns):
            monitor.step(done, len(columns), _("Examining {name}").format(name=name))
            alone = subject.alone(name, monitor)
            match = hipaa_match(alone.column, subject.n_records)
            if match is not None:
                found.append(_judged(subject, alone, match))
        found.sort(key=lambda entry: (entry.letter, -entry.confidence))
        return HipaaFound(tuple(found), _sentence(found))


def _judged(subject: Subject, alone: ColumnAlone, match: HipaaMatch) -> HipaaColumn:
    column, released = alone.column, alone.released
    seen = _seen(subject, alone)
    unchanged = _share_unchanged(column, released, seen)
    treatment = _treatment(
        released, seen, unchanged, is_by_rule=rule_of(subject.project, column.name) is not None
    )
    remains = {
        Treatment.REMOVED: "",
        Treatment.UNCHANGED: _("completely"),
        Treatment.IN_PART: _("{unchanged} of the cells unchanged").format(unchanged=as_risk(unchanged)),
    }.get(treatment)
    if remains is None:
        assert released is not None, "what is not released is removed"
        remains = remaining(match, column, released, seen)
    return HipaaColumn(
        match.identifier.value,
        match.is_direct,
        column.name,
        subject.project.role(column.name),
        match.text,
        match.confidence,
        _reason(match),
        treatment,
        _in_words(subject, column, released),
        unchanged,
        remains,
    )


def _seen(subject: Subject, alone: ColumnAlone) -> BoolArray:
    """Return the rows with readable cells: suppressed ones too, in columns that are not blanked."""
    if (
        subject.release.cells == KEPT
        and subject.project.role(alone.column.name) is not Role.QUASI_IDENTIFYING
    ):
        return np.ones(len(alone.kept), dtype=np.bool_)
    return alone.kept


def _share_unchanged(column: Column, released: ReleasedColumn | None, seen: BoolArray) -> float:
    """Return the share of the readable cells that are unchanged, missing ones excluded."""
    if released is None:
        return 0.0
    if released.labels is column.labels:
        same = np.arange(len(column.labels), dtype=np.int64)
    else:
        place = {label: code for code, label in enumerate(released.labels)}
        same = np.array([place.get(label, -1) for label in column.labels], dtype=np.int64)
    chosen = seen if not column.has_missing else seen & (column.codes != len(column.labels) - 1)
    if not chosen.any():
        return 0.0
    records = None if column.records is None else column.records[chosen]
    return float(np.average(same[column.codes[chosen]] == released.codes[chosen], weights=records))


def _treatment(
    released: ReleasedColumn | None, seen: BoolArray, unchanged: float, *, is_by_rule: bool
) -> Treatment:
    if released is None or not seen.any():
        return Treatment.REMOVED
    texts = [released.labels[code] for code in np.unique(released.codes[seen]).tolist()]
    # `*`, or one constant that replaces every identifier.
    is_hidden = texts == [SUPPRESSED] or (len(texts) == 1 and is_by_rule)
    if is_hidden and not unchanged:
        return Treatment.REMOVED
    if unchanged == 1:
        return Treatment.UNCHANGED
    return Treatment.IN_PART if unchanged else Treatment.CHANGED


def _reason(match: HipaaMatch) -> str:
    if not match.by_values:
        return _("the column name")
    is_text = match.form == OWN_VALUES
    text = _(match.form) if is_text else _("values are {form}").format(form=_(match.form))
    if 0 < match.share < 1:
        text = _("{text} ({share} of the records examined)").format(text=text, share=as_risk(match.share))
    return _("{text}, and the column name").format(text=text) if match.by_name else text


def _in_words(subject: Subject, column: Column, released: ReleasedColumn | None) -> str:
    """Return the treatment of a column in words."""
    release, role = subject.release, subject.project.role(column.name)
    if released is None:
        return _("not in the release")
    if role is Role.IDENTIFYING:
        return within_sentence(release.transformation.identifier_rule(column.name).title)
    if (rule := rule_of(subject.project, column.name)) is not None:
        return within_sentence(rule.title)
    if role is not Role.QUASI_IDENTIFYING:
        return _("released unchanged")
    if column.name in release.aggregates:
        return _("{title} of each class").format(title=within_sentence(release.aggregates[column.name].title))
    if release.recoding is not None or release.levels is None:
        return _("on levels that vary by record")
    attribute = next(a for a in release.problem.attributes if a.name == column.name)
    level = release.levels[column.name]
    words = describe_level(attribute.hierarchy, level, column.data_type, column.name)
    return _("level {level} of {height}: {words}").format(
        level=level, height=attribute.hierarchy.height, words=words
    )


def _sentence(found: list[HipaaColumn]) -> str:
    if not found:
        return _(
            "No column looks like one of the 18 identifiers of HIPAA's Safe Harbor; free text "
            "may contain any of them."
        )
    n, n_still = len(found), sum(column.still_looks for column in found)
    if not n_still:
        text = ngettext(
            "One column looks like an identifier of HIPAA's Safe Harbor; it no longer appears in the "
            "release.",
            "{n} columns look like identifiers of HIPAA's Safe Harbor; none of them appears in the release.",
            n,
        )
    else:
        text = ngettext(
            "One column looks like an identifier of HIPAA's Safe Harbor, and may still be one in the "
            "release.",
            "{n} columns look like identifiers of HIPAA's Safe Harbor; {n_still} may still be one in the "
            "release.",
            n,
        )
    return text.format(n=as_exact_count(n), n_still=as_exact_count(n_still))


def remaining(match: HipaaMatch, column: Column, released: ReleasedColumn, seen: BoolArray) -> str:
    """Return the remaining parts of an identifier in changed values; empty if none is found.

    In doubt something remains: the number of inhabitants of a named place is unknown.

    Parameters
    ----------
    match : HipaaMatch
        Identifier that the original column resembles.
    seen : ndarray of bool, shape (n_records,)
        Records with readable cells.
    """
    used = np.unique(released.codes[seen]).tolist()
    missing = column.missing_label
    texts = [text for code in used if (text := released.labels[code]) not in (SUPPRESSED, missing)]
    if match.identifier is SafeHarbor.DATES:
        return _of_ages(texts, column) if match.form == AGES else _of_dates(texts)
    if match.identifier is SafeHarbor.GEOGRAPHY:
        return _of_places(texts)
    nothing = np.full(len(released.labels), np.nan)
    written = Column(
        released.name, DataType(), released.labels, released.codes, False, nothing, column.records
    )
    written = written.take(seen)
    again = hipaa_match(written, int(written.counts.sum()))
    has_form = again is not None and again.by_values and again.identifier is match.identifier
    return _("values of the same form") if has_form else ""


def _of_dates(texts: Sequence[str]) -> str:
    return "" if all(map(_YEARS.fullmatch, texts)) else _("more than the year")


def _of_ages(texts: Sequence[str], column: Column) -> str:
    """Say what remains of ages; above 89 the rule allows one category only, 90 and more."""
    numbers, over, narrower = column.numbers, 0, 0
    oldest = int(np.nanmax(numbers))
    for text in texts:
        bounds = read_bounds(text, decimal_mark(column.data_type))
        if bounds is None:
            if not text.isdigit():
                return _("labels that may hide whether ages over 89 are separate")
            over += int(text) > OLDEST
            narrower += int(text) > OLDEST
        elif bounds.low is not None and bounds.low > OLDEST:
            over += 1
            ends = bounds.high is not None and bounds.high + bounds.has_high <= oldest
            narrower += ends or bounds.low > OLDEST + bounds.has_low
    if over > 1:
        return _("several groups of ages over 89")
    return _("a group of ages over 89 that is narrower than “90 and over”") if narrower else ""


def _of_places(texts: Sequence[str]) -> str:
    """Say what remains of places; three digits of a postal code are allowed for large areas."""
    digits = [sum(character.isdigit() for character in text) for text in texts]
    is_masked = all(set(text) <= set("0123456789*xX ") for text in texts)
    if not is_masked or not any(digits):
        return _(_IN_DOUBT) if texts else ""
    return (
        _("more than {ZIP_DIGITS} digits").format(ZIP_DIGITS=ZIP_DIGITS) if max(digits) > ZIP_DIGITS else ""
    )
