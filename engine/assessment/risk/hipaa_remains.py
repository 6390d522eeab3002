"""What of a HIPAA identifier is still there in values that a release has changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from engine.hierarchies.hierarchy import SUPPRESSED
from engine.hierarchies.label_bounds import read_bounds
from engine.kernels.arrays import BoolArray
from engine.qi_detection.hipaa import OLDEST, ZIP_DIGITS, HipaaMatch, hipaa_match
from engine.qi_detection.safe_harbor import SafeHarbor
from engine.recoding import ReleasedColumn
from engine.table import Column, DataType
from engine.table.values import decimal_mark

# A year, a decade, or a range of years: all that the rule leaves of a date.
_YEARS = re.compile(r"[\[(\]]?\d{3,4}s?(?:\s*(?:-|–|to|,|;)\s*\d{4})?[\])\[]?")
AGES = "ages over 89"  # as the detection calls them
_IN_DOUBT = "what is left may still be smaller than a state"


def remaining(match: HipaaMatch, column: Column, released: ReleasedColumn, seen: BoolArray) -> str:
    """Say what of an identifier remains in changed values; empty where nothing does, as far as they tell.

    In doubt something does: of a place by name nobody can tell how many people live there.

    Parameters
    ----------
    match : HipaaMatch
        What the original column looks like.
    column : Column
    released : ReleasedColumn
    seen : ndarray of bool, shape (n_records,)
        Records whose cells can be read.
    """
    used = np.unique(released.codes[seen]).tolist()
    missing = column.missing_label
    texts = [text for code in used if (text := released.labels[code]) not in (SUPPRESSED, missing)]
    if match.identifier is SafeHarbor.DATES:
        return _of_ages(texts, column) if match.form == AGES else _of_dates(texts)
    if match.identifier is SafeHarbor.GEOGRAPHY:
        return _of_places(texts)
    nothing = np.full(len(released.labels), np.nan)
    written = Column(released.name, DataType(), released.labels, released.codes, False, nothing).take(seen)
    again = hipaa_match(written, len(written.codes))
    has_form = again is not None and again.by_values and again.identifier is match.identifier
    return "values of the same form" if has_form else ""


def _of_dates(texts: Sequence[str]) -> str:
    return "" if all(map(_YEARS.fullmatch, texts)) else "more than the year"


def _of_ages(texts: Sequence[str], column: Column) -> str:
    """Ages over 89 may stay in one category: 90 and more."""
    numbers, over, narrower = column.numbers, 0, 0
    oldest = int(np.nanmax(numbers))
    for text in texts:
        bounds = read_bounds(text, decimal_mark(column.data_type))
        if bounds is None:
            if not text.isdigit():
                return "labels that do not tell whether ages over 89 are apart"
            over += int(text) > OLDEST
            narrower += int(text) > OLDEST
        elif bounds.low is not None and bounds.low > OLDEST:
            over += 1
            ends = bounds.high is not None and bounds.high + bounds.has_high <= oldest
            narrower += ends or bounds.low > OLDEST + bounds.has_low
    if over > 1:
        return "several groups of ages over 89"
    return "a group of ages over 89 that is narrower than 90 and more" if narrower else ""


def _of_places(texts: Sequence[str]) -> str:
    """Of postal codes three digits may stay, where enough people live; names of places do not tell."""
    digits = [sum(character.isdigit() for character in text) for text in texts]
    is_masked = all(set(text) <= set("0123456789*xX ") for text in texts)
    if not is_masked or not any(digits):
        return _IN_DOUBT if texts else ""
    return f"more than {ZIP_DIGITS} digits" if max(digits) > ZIP_DIGITS else ""
