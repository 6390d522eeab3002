"""Differences of the present figures from the kept ones, except the explained ones.

Texts may be worded anew; figures, which are values with a digit, may not change unnoticed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import zip_longest

from tests.frozen.writing import Figure

# Sensitive columns of the cases; each has tables of its own in a report.
_SENSITIVE = ("answer", "cost", "disease", "illness", "religion", "severity")
_DISCLOSURE = "report/internal/sections/{section}/blocks/disclosure.{column}/rows/{side}"
# New place of figures by the old one. An entry is a key, or the beginning of keys before a `/`.
MOVED: Mapping[str, str] = {
    "report/internal/sections/sensitive": "report/internal/sections/attribute_disclosure",
    "report/internal/sections/distributions": "report/internal/sections/distribution",
    "report/internal/sections/suppressed/blocks/suppressed_groups": (
        "report/internal/sections/suppressed_groups/blocks/suppressed_groups"
    ),
    "report/internal/sections/suppressed/blocks/suppressed_pairs": (
        "report/internal/sections/suppressed_groups/blocks/suppressed_pairs"
    ),
    "html/sensitive": "html/attribute_disclosure",
    "html/distributions": "html/distribution",
    **{
        _DISCLOSURE.format(section="sensitive", column=column, side=old): _DISCLOSURE.format(
            section="attribute_disclosure", column=column, side=new
        )
        for column in _SENSITIVE
        for old, new in (("before", "input"), ("after", "release"))
    },
}
_ORDER = "the same values in another order: "
_ADDED = "added, as report and command show what only the window had: "
_MOVED_TABLES = "the tables of groups that lose most have a section of their own"
_JOURNALIST = "a given table has all three attackers, each with its knowledge, as a release has"
_COST_BENEFIT = "the values are a table, as in the window; units are in the titles of its rows"
# Why figures differ, by their new place; an entry is a key or such a beginning too.
DIFFERENCES: Mapping[str, str] = {
    "analyze/attacks/caption": _ADDED + "numbers of attacks by resistance",
    "analyze/attribute_disclosure/tables/disclosure/meaning": _ADDED + "what each measure says",
    "analyze/attribute_disclosure/tables/worst_classes": _ADDED + "classes that reveal most, also by command",
    "analyze/classification/tables/classification/by_fold": _ADDED + "accuracy of each fold",
    "analyze/contingency/sentence": "worded anew with the same values",
    "analyze/cost_benefit/sentence": "worded anew with the same values",
    "analyze/exposed_records/tables/exposed_records/risk_before": _ADDED + "risk in the input",
    "analyze/local_queries/tables/local_queries": _ORDER + "the row of all queries is the first",
    "analyze/metrics/tables/metrics/meaning": _ADDED + "meaning of both ends",
    "analyze/survey_risk/tables/survey_risk/value": "the title of a row names the accepted risk",
    "html/attack_test/text": _ADDED + "chart of the intervals",
    "report/internal/sections/attack_test/blocks/attack_intervals": _ADDED + "chart of the intervals",
    "html/attribute_disclosure/p": _ADDED + "sentence on classes of one value",
    "report/internal/sections/attribute_disclosure/blocks/paragraph/text": _ADDED + "classes of one value",
    "report/internal/sections/survey/blocks/paragraph/text": "worded anew with the same values",
    "html/cost_benefit": _COST_BENEFIT,
    "report/internal/sections/cost_benefit": _COST_BENEFIT,
    "html/data": _ORDER + "records and columns of a given table come before its file",
    "html/distribution/p": _ADDED + "sentence on values and cells",
    "report/internal/sections/distribution/blocks/paragraph/text": _ADDED + "sentence on values and cells",
    "html/hipaa/p": _ADDED + "purpose of the section",
    "report/internal/sections/hipaa/blocks/paragraph/text": _ADDED + "purpose of the section",
    "html/risks": _JOURNALIST,
    "report/internal/sections/risks/blocks/attackers/rows": _JOURNALIST,
    "report/internal/sections/risks/blocks/paragraph/text": _JOURNALIST,
    "report/public/sections/risks/blocks/attackers/rows": _JOURNALIST,
    "report/public/sections/risks/blocks/paragraph/text": _JOURNALIST,
    "html/suppressed": _MOVED_TABLES,
    "html/suppressed_groups": _MOVED_TABLES,
    "report/internal/sections/suppressed_groups/blocks/paragraph/text": _ADDED + "sentence on the group",
    "html/survey": _ADDED + "number and expected re-identifications of households",
    "report/internal/sections/survey/blocks/survey/facts/households": _ADDED + "number of households",
    "report/internal/sections/survey/blocks/survey/facts/household_expected": (
        _ADDED + "expected re-identifications of households"
    ),
    "risk/blank_rows": _ADDED + "blank rows, as `check` counts them",
}
_MOST_LINES = 12  # of a difference
_ATTACKS = ("homogeneity", "background_knowledge", "skewness", "similarity", "inference", "membership")
_DECIDED = "what decides on an attack, and weaker models, are shown of the chosen one"
# Numbers that the window does not show any more, by the beginning of their old keys.
LOST: Mapping[str, str] = {
    "window/utility/contingencyTable": "shares of both sides are tables of their own, chosen above the table",
    "window/given/judge.lower": "the chart shows every class size in place of ranges",
    "window/given/judge.upper": "attacks are listed, the number of open ones is not shown",
    "window/risk/subsetsSentence": "the sentence of fewer columns is in the report, its figures in rows",
    **{f"window/risk/attack.{attack}": _DECIDED for attack in _ATTACKS},
    "window/risk-population_uniqueness/uniquenessTable": "estimates are shown of the chosen estimator",
}
# Numbers that are no figures: years of the sources of models, which help names, a part of a label, and a
# share beside its percentage.
_IN_WORDS = {f"given: {n}" for n in ("1998", "2002", "2006", "2007", "2008", "2012", "0", "0.15767")}
_SHOWN_NUMBER = re.compile(r"\d(?:[\d.,\u202f]*\d)?(?:\u202f[MG]\b)?")
_NUMBER = re.compile(r"\d(?:[\d.,\u202f]*\d)?")
_DECIMAL = re.compile(r"(\d+\.\d+(?:e[+-]?\d+)?)")
_ROUNDING = 1e-12  # by which a sum differs that is added in another order


def differences(
    before: Sequence[Figure],
    now: Sequence[Figure],
    moved: Mapping[str, str] = MOVED,
    explained: Mapping[str, str] = DIFFERENCES,
    needed: set[str] | None = None,
) -> list[str]:
    """Return figures that are only before or only now, or have another value, as lines of differences.

    The entries that are needed are added to `needed`.
    """
    used: set[str] = set() if needed is None else needed
    old, new = _by_key(before, moved, used), _by_key(now, {}, used)
    found = []
    for key in dict.fromkeys((*old, *new)):
        if _are_equal(old.get(key, ()), new.get(key, ())):
            continue
        if (reason := _entry(key, explained)) is not None:
            used.add(reason)
            continue
        lines = [*unified_diff(old.get(key, ()), new.get(key, ()), n=0, lineterm="")][2:]
        found.append("\n".join((key, *lines[:_MOST_LINES])))
    return found


def _are_equal(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether texts are equal, but for the last digits of the numbers in them."""
    return len(old) == len(new) and all(
        math.isclose(float(a), float(b), rel_tol=_ROUNDING) if i % 2 else a == b
        for before, now in zip(old, new, strict=True)
        if before != now
        for i, (a, b) in enumerate(zip_longest(_DECIMAL.split(before), _DECIMAL.split(now), fillvalue="nan"))
    )


def lost_numbers(
    before: Sequence[Figure], now: Sequence[Figure], explained: Mapping[str, str] = LOST
) -> list[str]:
    """Return the numbers that a page of the window showed before and shows nowhere any more, not explained.

    A page is the first part of the second name of a key: `window/risk-wildcards/...` is of `risk`. A number
    is still shown if both texts may stand for the same number and the new one has as many decimals, or three
    digits.
    """
    old = _numbers_of_pages(figure for figure in before if _entry(figure[0], explained) is None)
    new = _numbers_of_pages(now)
    lost: list[str] = []
    for page, texts in old.items():
        shown = [_read(text) for text in new.get(page, set()) if text.count(".") < 2]
        for text in sorted(texts - new.get(page, set())):
            number, half = _read(text) if text.count(".") < 2 else (math.inf, 0.0)
            if not any(
                abs(value - number) <= half + rounded and (rounded <= half or value >= 200 * rounded)
                for value, rounded in shown
            ):
                lost.append(f"{page}: {text}")
    return [line for line in lost if line not in _IN_WORDS]


def _numbers_of_pages(figures: Iterable[Figure]) -> dict[str, set[str]]:
    """Return the numbers of each page with a decimal point and without zeros at the end."""
    found: dict[str, set[str]] = {}
    for key, value in figures:
        page = key.split("/")[1].partition("-")[0]
        shown = found.setdefault(page, set())
        shown.update(map(_plain, _SHOWN_NUMBER.findall(value)))
    return found


def _plain(text: str) -> str:
    plain = text.replace("\u202f", "").replace(",", ".")
    return plain.rstrip("0").rstrip(".") if plain.count(".") == 1 else plain


def _read(text: str) -> tuple[float, float]:
    """Return a number and half a unit of its last digit; whole numbers of few digits are exact."""
    unit = {"M": 1e6, "G": 1e9}.get(text[-1], 1.0)
    digits = text.rstrip("MG")
    decimals = len(digits.partition(".")[2])
    return float(digits) * unit, 0.5 * unit / 10**decimals if decimals or len(text) > 2 else 0.0


def _by_key(figures: Sequence[Figure], moved: Mapping[str, str], used: set[str]) -> dict[str, list[str]]:
    """Return the sequence of values of each key, under its new one."""
    found: dict[str, list[str]] = {}
    for key, value in figures:
        if not _NUMBER.search(value):
            continue
        entry = _entry(key, moved)
        if entry is not None:
            used.add(entry)
        place = key if entry is None else moved[entry] + key.removeprefix(entry)
        found.setdefault(place, []).append(value)
    return found


def _entry(key: str, entries: Mapping[str, str]) -> str | None:
    """Return the longest entry for a key."""
    return next((part for part in _beginnings(key) if part in entries), None) if entries else None


def _beginnings(key: str) -> Iterator[str]:
    while key:
        yield key
        key = key.rpartition("/")[0]
