"""Forms of values that show the content of a column: addresses, numbers with check digits, dates.

Every pattern has bounded repeats and is only tried on short texts, so that no value can keep it busy.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engine.hierarchies.names import is_about_postal_codes
from engine.qi_detection.safe_harbor import SafeHarbor
from engine.records import Column, Kind
from engine.records.candidates import candidates_of
from engine.records.values import days_of
from engine.words import N_

LONGEST = 300  # characters; a longer text has none of these forms


@dataclass(frozen=True)
class Form:
    """A form that values may have.

    Attributes
    ----------
    title : str
        Values of this form, in English words marked for translation.
    matches : callable
        Whether a text has the form.
    by_chance : float
        Share of unlike texts of the same length and alphabet that have the form by chance.
    """

    title: str
    identifier: SafeHarbor
    matches: Callable[[str], bool]
    by_chance: float = 0.0


def has_form(form: Form, text: str) -> bool:
    """Return whether a text has a form; blanks around it do not matter."""
    text = text.strip()
    return 0 < len(text) <= LONGEST and form.matches(text)


Check = Callable[[re.Match[str]], bool]


def _pattern(expression: str, flags: int = 0, check: Check = bool) -> Callable[[str], bool]:
    """Return whether a text matches as a whole, and the match passes a check."""
    compiled = re.compile(expression, flags | re.ASCII)

    def matches(text: str) -> bool:
        found = compiled.fullmatch(text)
        return found is not None and check(found)

    return matches


_PHONE = re.compile(r"\+?[0-9(][0-9 ()/.\-]{5,25}[0-9]", re.ASCII)
_RANGE = re.compile(r"([0-9]{2,6}) ?- ?([0-9]{2,6})", re.ASCII)
_DATE_LIKE = re.compile(r"[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}", re.ASCII)


def is_phone(text: str) -> bool:
    """Return whether a text is a telephone number: 7 to 15 digits (E.164), plus sign or separators."""
    digits = sum(c.isdigit() for c in text)
    if _PHONE.fullmatch(text) is None or not 7 <= digits <= 15 or _DATE_LIKE.fullmatch(text):
        return False
    if is_ip_address(text) or is_social_security(text) or is_long_zip(text):
        return False
    limits = _RANGE.fullmatch(text)
    if limits is not None and len(limits[1]) == len(limits[2]):  # such as years from 2019-2021
        return False
    return text.startswith("+") or any(c in " ()/-" for c in text) or text.count(".") > 1


def is_ip_address(text: str) -> bool:
    """Return whether a text is an IPv4 or IPv6 address, as Python's library reads them."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_assigned(found: re.Match[str]) -> bool:
    """Return whether an area of United States social security numbers is in use, not 000, 666, 900 to 999."""
    area, group, serial = found.groups()
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


is_social_security = _pattern(r"([0-9]{3})-([0-9]{2})-([0-9]{4})", check=_is_assigned)


def _has_dni_letter(found: re.Match[str]) -> bool:
    """Return whether the letter of a Spanish identity number is the number modulo 23."""
    number = found[1].upper().translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == found[2].upper()


_NIR = re.compile(r"([12][0-9]{2}(?:0[1-9]|1[0-2]|[2-9][0-9])[0-9]{8})([0-9]{2})", re.ASCII)


def is_nir(text: str) -> bool:
    """Return whether a text is a French social security number, whose last two digits are a checksum."""
    found = _NIR.fullmatch(text.replace(" ", ""))
    return found is not None and 97 - int(found[1]) % 97 == int(found[2])


def _has_luhn_digit(found: re.Match[str]) -> bool:
    return passes_luhn(re.sub("[ -]", "", found[0]))


def passes_luhn(digits: str) -> bool:
    """Return whether the last digit checks the others (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _has_iban_check(found: re.Match[str]) -> bool:
    """Return whether an international account number is 1 modulo 97 (ISO 13616)."""
    compact = found[0].replace(" ", "")
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


is_iban = _pattern(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}", check=_has_iban_check)
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_VALUES = {c: int(d) for c, d in zip("ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789", strict=True)}


def _has_vin_digit(found: re.Match[str]) -> bool:
    """Return whether a vehicle identification number has its check digit (49 CFR 565.15)."""
    vin = found[0].upper()
    total = sum(
        (int(c) if c.isdigit() else _VIN_VALUES[c]) * weight
        for c, weight in zip(vin, _VIN_WEIGHTS, strict=True)
    )
    return vin[8] == "0123456789X"[total % 11]


is_vin = _pattern(r"[A-HJ-NPR-Z0-9]{17}", re.IGNORECASE, _has_vin_digit)

_DATE = re.compile(
    r"(?:(?P<year>[12][0-9]{3})[./-](?P<month>[0-9]{1,2})(?:[./-](?P<day>[0-9]{1,2}))?"
    r"|(?P<first>[0-9]{1,2})[./-](?P<second>[0-9]{1,2})[./-](?:[12][0-9]{3}|[0-9]{2}))"
    r"(?:[ T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?: ?[AaPp][Mm]|Z|[+-][0-9]{2}:?[0-9]{2})?)?",
    re.ASCII,
)


def is_date(text: str) -> bool:
    """Return whether a text is a date that says more than the year."""
    found = _DATE.fullmatch(text)
    if found is None:
        return False
    if found["year"]:
        return 1 <= int(found["month"]) <= 12 and 1 <= int(found["day"] or 1) <= 31
    low, high = sorted((int(found["first"]), int(found["second"])))
    return 1 <= low <= 12 and high <= 31


def _is_on_earth(found: re.Match[str]) -> bool:
    return abs(float(found[1])) <= 90 and abs(float(found[2])) <= 180


_STREETS = (
    _pattern(
        r"[0-9]{1,5}[a-z]?,? [\w.' -]{2,60} (?:st|street|ave|avenue|rd|road|blvd|boulevard|ln|lane"
        r"|dr|drive|ct|court|way|sq|square|pl|place)\b[.,]?[\w ,.#-]{0,60}",
        re.IGNORECASE,
    ),
    _pattern(r"[0-9]{1,5},? (?:rue|avenue|boulevard|place|chemin) .{2,80}", re.IGNORECASE),
    _pattern(
        r"(?:via|viale|piazza|corso|calle|avenida|plaza|paseo) .{2,60}[ ,]{1,2}[0-9]{1,5}\S{0,5}",
        re.IGNORECASE,
    ),
    _pattern(r".{2,60}(?:stra(?:ß|ss)e|str\.|weg|platz|gasse|allee) ?[0-9]{1,4} ?[a-z]?", re.IGNORECASE),
)


def is_street_address(text: str) -> bool:
    """Return whether a text looks like street and house number."""
    return any(matches(text) for matches in _STREETS)


is_long_zip = _pattern(r"[0-9]{5}-[0-9]{4}")  # which no other number is written like

FORMS = (
    Form(
        N_("e-mail addresses"),
        SafeHarbor.EMAIL,
        _pattern(r"(?u:[^@\s]{1,64}@[^@\s.]{1,63}(?:\.[^@\s.]{1,63}){1,8})"),
    ),
    Form(
        N_("web addresses"),
        SafeHarbor.URL,
        _pattern(
            r"(?:(?:https?|ftp)://[^\s/]{1,253}(?:/\S{0,250})?|www\.[^\s/]{1,253}(?:/\S{0,250})?)",
            re.IGNORECASE,
        ),
    ),
    Form(
        N_("files with pictures"),
        SafeHarbor.PHOTOGRAPH,
        _pattern(r"[^\n]{1,250}\.(?:jpe?g|png|gif|bmp|tiff?|heic|webp)", re.IGNORECASE),
    ),
    Form("IP addresses", SafeHarbor.IP_ADDRESS, is_ip_address),
    Form(N_("social security numbers"), SafeHarbor.SOCIAL_SECURITY, is_social_security),
    Form(
        N_("Italian fiscal codes"),
        SafeHarbor.SOCIAL_SECURITY,
        _pattern(r"[A-Z]{6}[0-9]{2}[ABCDEHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]", re.IGNORECASE),
    ),
    Form(
        N_("Spanish identity numbers"),
        SafeHarbor.SOCIAL_SECURITY,
        _pattern(r"([0-9XYZ][0-9]{7})-?([A-Z])", re.IGNORECASE, _has_dni_letter),
        1 / 23,
    ),
    Form(N_("French social security numbers"), SafeHarbor.SOCIAL_SECURITY, is_nir, 1 / 97),
    Form(N_("account numbers (IBAN)"), SafeHarbor.ACCOUNT, is_iban, 1 / 97),
    Form(N_("vehicle identification numbers"), SafeHarbor.VEHICLE, is_vin, 1 / 11),
    Form(
        N_("numbers of mobile devices (IMEI)"),
        SafeHarbor.DEVICE,
        _pattern(r"[0-9]{15}", check=_has_luhn_digit),
        1 / 10,
    ),
    Form(
        N_("addresses of network devices"),
        SafeHarbor.DEVICE,
        _pattern(r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}"),
    ),
    Form(
        N_("numbers of payment cards"),
        SafeHarbor.ACCOUNT,
        _pattern(r"[2-6][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{1,7}", check=_has_luhn_digit),
        1 / 10,
    ),
    Form(
        N_("universal identifiers"),
        SafeHarbor.OTHER,
        _pattern(r"\{?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?"),
    ),
    Form(
        N_("coordinates of places"),
        SafeHarbor.GEOGRAPHY,
        _pattern(
            r"([+-]?[0-9]{1,2}\.[0-9]{2,12})\s{0,3}[,;]\s{0,3}([+-]?[0-9]{1,3}\.[0-9]{2,12})",
            check=_is_on_earth,
        ),
    ),
    Form(N_("street addresses"), SafeHarbor.GEOGRAPHY, is_street_address),
    Form(N_("nine-digit ZIP codes"), SafeHarbor.GEOGRAPHY, is_long_zip),
    Form("dates", SafeHarbor.DATES, is_date),
    Form(N_("telephone numbers"), SafeHarbor.TELEPHONE, is_phone),
)
"""In the order they are tried: the first that nearly all values have decides."""


_DIGITS = 5  # of postal codes that spreadsheets read as numbers and so without zeros


@dataclass(frozen=True)
class OfferedForms:
    """Forms in which the values of a column could be read, and the cells that have each as they are.

    Attributes
    ----------
    forms : tuple of str
        See `ReadOptions.forms`.
    n_cells : tuple of int and int
        Cells of four digits or fewer, and of five; or in each format of dates.
    """

    forms: tuple[str, ...]
    n_cells: tuple[int, int]


def offered_forms(column: Column) -> OfferedForms | None:
    """Return the forms of a column of postal codes without their zeros, or of dates in two formats."""
    labels, counts = column.known_labels, column.counts[: len(column.known_labels)]
    if is_about_postal_codes(column.name):
        lengths = np.array([len(label) if re.fullmatch("[0-9]+", label) else 0 for label in labels])
        n_full = int(counts[lengths == _DIGITS].sum())
        n_short = int(counts.sum()) - n_full
        is_mixed = len(labels) and lengths.min() >= _DIGITS - 2 and lengths.max() == _DIGITS
        return (
            OfferedForms(("0" * _DIGITS,), (n_short, n_full)) if is_mixed and 0 < n_short < n_full else None
        )
    if column.data_type.kind is not Kind.TEXT:
        return None
    own = [found for found in candidates_of(column) if found.data_type.kind is Kind.DATE and found.share < 1]
    for one, other in combinations(own, 2):
        if one.n_values + other.n_values == len(labels):
            shapes = one.data_type.format, other.data_type.format
            days = [np.isnan(days_of(labels, shape)) for shape in shapes]
            if (days[0] ^ days[1]).all():
                return OfferedForms(shapes, (one.n_cells, other.n_cells))
    return None
