"""Judges labels by their texts alone: does one lie about its group, or name a part of it for the whole?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from engine.hierarchies import Hierarchy
from tests.engine.hierarchies.builders.label_judge import claims

MONTHS = [date(2000, month, 1).strftime("%B") for month in range(1, 13)]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
Span = tuple[date, date]


def faults(
    hierarchy: Hierarchy,
    kind: str,
    day_format: str,
    typed: Sequence[str] = (),
    stands_for: Callable[[str, Sequence[str]], bool] = lambda _label, _values: False,
) -> list[str]:
    """Every label that breaks the rule of names, with the reason.

    Parameters
    ----------
    kind : str
        "number", "date" or "text"; dates are written in `day_format`.
    typed : sequence of str
        Labels that a person gave.
    stands_for : callable
        Whether a label stands for values by definition, as a rounded number does.
    """
    found = []
    for number, level in enumerate(hierarchy.levels[1:], start=1):
        if len(set(level.labels)) < len(level.labels):
            found.append(f"level {number}: a label twice in {level.labels}")
        for code, label in enumerate(level.labels):
            leaves = [leaf for leaf, own in enumerate(level.codes.tolist()) if own == code]
            values = [hierarchy.values[leaf] for leaf in leaves]
            if label in ("*", *typed) or values == [label] or stands_for(label, values):
                continue
            below = [
                {lower.labels[lower.codes[leaf]]: [] for leaf in leaves}
                for lower in hierarchy.levels[:number]
            ]
            for lower, names in zip(hierarchy.levels[:number], below, strict=True):
                for leaf in leaves:
                    names[lower.labels[lower.codes[leaf]]].append(hierarchy.values[leaf])
            reason = judged(label, values, below, kind, day_format, typed)
            if reason:
                found.append(f"level {number}: {label!r} over {values}: {reason}")
    return found


def judged(
    label: str,
    values: Sequence[str],
    below: Sequence[dict[str, list[str]]],
    kind: str,
    day_format: str,
    typed: Sequence[str],
) -> str:
    """Why a label breaks the rule; empty where it does not."""
    label = re.sub(r" \((?:\d+(?: values)?|values \d+ to \d+)\)$", "", label)
    if re.fullmatch(r"Group \d+|ranks \d+-\d+", label):
        return ""
    rest = [value for value in values if not _is_claimed(label, value, kind, day_format)]
    if not rest:
        if kind == "date" and len(values) > 1 and ", " not in label and any(v in label for v in values):
            return "a date that occurs is its end"
        return ""
    listed: set[str] = set()
    for part in _parts(label):
        if part in ("*", *typed) or part.startswith("ranks "):
            return ""
        listed.update(value for value in values if _is_claimed(part, value, kind, day_format))
        listed.update(next((names[_name(part)] for names in below if _name(part) in names), ()))
    left_out = set(values) - listed
    return f"says nothing of {sorted(left_out)}" if left_out else ""


def _parts(label: str) -> list[str]:
    """The names in a list; what is in brackets is one name."""
    return re.split(r", (?!week )(?![^\[(]*[\])])", label)


def _name(part: str) -> str:
    return "" if part == "missing" else part


def _is_claimed(label: str, value: str, kind: str, day_format: str) -> bool:
    if "*" in label and ", " not in label:
        pattern = "".join(".?" if letter == "*" else re.escape(letter) for letter in label)
        return re.fullmatch(pattern, value) is not None
    if kind == "number":
        close = re.sub(r"^(<=|>=) ", r"\1", label)
        return any(claims(part, value) for part in (close, *_parts(close))) if value else False
    if kind == "date" and value:
        day = datetime.strptime(value, day_format).date()
        spans = [*([] if (whole := span(label, day_format, day)) is None else [whole])]
        spans += [s for part in _parts(label) if (s := span(part, day_format, day)) is not None]
        return any(first <= day <= last for first, last in spans)
    if kind == "text" and (both := re.fullmatch(r"\[(.+), (.+)\]|(.+) to (.+)", label)):
        first, last = (end for end in both.groups() if end is not None)
        return first <= value <= last
    return False


def span(label: str, day_format: str, day: date) -> Span | None:
    """The days that a label of dates claims; of days of the week and months of any year, around one day."""
    if half := re.fullmatch(r"(<|>=)(\d{4})", label):
        year = date(int(half[2]), 1, 1)
        return (date.min, year - timedelta(1)) if half[1] == "<" else (year, date.max)
    if years := re.fullmatch(r"(\d{4})-(\d{4})", label):
        return _years(int(years[1]), int(years[2]), day)
    if within := re.fullmatch(r"\[(.+), (.+)\]", label):
        label = f"{within[1]} to {within[2]}"
    for names, own in ((DAYS, day.weekday()), (MONTHS, day.month - 1)):
        ends = label.split(" to ")
        if set(ends) <= set(names):
            return (day, day) if names.index(ends[0]) <= own <= names.index(ends[-1]) else None
    if " to " in label:
        first, last = (span(part, day_format, day) for part in label.split(" to ", 1))
        last_part = re.sub(r" \(\d+ values\)$", "", label.split(" to ", 1)[1])
        last = last or span(last_part, day_format, day)
        return None if first is None or last is None else (first[0], last[1])
    if re.fullmatch(r"\d{4}", label):
        return _years(int(label), int(label), day)
    if quarter := re.fullmatch(r"(\d{4})-Q(\d)", label):
        return _months(int(quarter[1]), 3 * int(quarter[2]) - 2, 3)
    if week := re.fullmatch(r"(\d{4})-W(\d\d)", label):
        monday = date.fromisocalendar(int(week[1]), int(week[2]), 1)
        return monday, monday + timedelta(6)
    if week := re.fullmatch(r"(.+), ?week (\d)", label):
        month = span(week[1], day_format, day)
        if month is None:
            return None
        begin = month[0] - timedelta(month[0].weekday()) + timedelta(7 * int(week[2]) - 7)
        return max(month[0], begin), min(month[1], begin + timedelta(6))
    for form, n_months in ((day_format, 0), (_without_day(day_format), 1)):
        try:
            start = datetime.strptime(label, form).date()
        except ValueError:
            continue
        return _months(start.year, start.month, 1) if n_months else (start, start)
    return None


def _years(first: int, last: int, day: date) -> Span:
    """Years, or years of whole weeks, which are written alike."""
    if first <= day.isocalendar()[0] <= last:
        return min(day, date(first, 1, 1)), max(day, date(last, 12, 31))
    return date(first, 1, 1), date(last, 12, 31)


def _without_day(day_format: str) -> str:
    return {"%Y-%m-%d": "%Y-%m", "%d-%m-%Y": "%m-%Y", "%m/%d/%Y": "%m/%Y", "%d.%m.%Y": "%m.%Y"}[day_format]


def _months(year: int, month: int, n_months: int) -> Span:
    after = year * 12 + month - 1 + n_months
    return date(year, month, 1), date(after // 12, after % 12 + 1, 1) - timedelta(1)
