"""Forms of values: synthetic examples of each, near misses, and texts made to keep a pattern busy."""
# ruff: noqa: E501  a table of examples reads best in long lines

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.qi_detection import value_forms
from engine.qi_detection.value_forms import FORMS, LONGEST, Form, has_form
from tests.strategies import modest

# Numbers are the issuers' own examples or made up with a right check digit; no person has them.
CASES = {
    "e-mail addresses": (
        ["a@b.org", "first.last+tag@mail.example.co.uk", "ü@example.de"],
        ["a@b", "a b@c.org", "@b.org", "a@.org", "a@b..org", "a@@b.org"],
    ),
    "web addresses": (
        ["https://example.org/a?b=c", "http://example.org", "www.example.org/x", "ftp://files.example.org"],
        ["example", "https://", "https:///x", "www.", "http//example.org"],
    ),
    "files with pictures": (
        ["faces/p01.jpg", "C:\\scans\\P 2.JPEG", "a.png", "x.tiff"],
        [".jpg", "a.jpg.txt", "jpg", "a.doc"],
    ),
    "IP addresses": (
        ["192.0.2.1", "2001:db8::1", "::1", "203.0.113.255"],
        ["192.0.2.256", "192.0.2", "1.2.3.4.5", "2001:db8:::1", "01.02.03.04"],
    ),
    "social security numbers": (
        ["123-45-6789", "001-01-0001"],
        ["000-12-3456", "666-12-3456", "900-12-3456", "123-00-4567", "123-45-0000", "123-456-789"],
    ),
    "Italian fiscal codes": (["RSSMRA80A01F205X"], ["RSSMRA80F01F205X", "RSSMRA80A01F205", "12345"]),
    "Spanish identity numbers": (["12345678Z", "12345678-Z", "X1234567L"], ["12345678A", "1234567Z"]),
    "French social security numbers": (
        ["255081416802538", "2 55 08 14 168 025 38"],
        ["255081416802539", "355081416802538", "255131416802538"],
    ),
    "account numbers (IBAN)": (
        ["GB82WEST12345698765432", "DE89 3704 0044 0532 0130 00", "NO9386011117947"],
        ["GB82WEST12345698765431", "DE89", "de89370400440532013000"],
    ),
    "vehicle identification numbers": (
        ["1M8GDM9AXKP042788", "11111111111111111", "1m8gdm9axkp042788"],
        ["1M8GDM9A1KP042788", "1M8GDM9AXKP04278", "IM8GDM9AXKP042788"],
    ),
    "numbers of mobile devices (IMEI)": (["490154203237518"], ["490154203237517", "49015420323751"]),
    "addresses of network devices": (["00:00:5e:00:53:01", "00-00-5E-00-53-AF"], ["00:00:5e:00:53", "00005e005301"]),
    "numbers of payment cards": (
        ["4111111111111111", "5500 0000 0000 0004", "3400-0000-0000-009"],
        ["4111111111111112", "9111111111111111", "411111"],
    ),
    "universal identifiers": (
        ["123e4567-e89b-12d3-a456-426614174000"],
        ["123e4567-e89b-12d3-a456-42661417400", "123e4567e89b12d3a456426614174000"],
    ),
    "coordinates of places": (["43.7696, 11.2558", "-33.86;151.21"], ["43, 11", "95.12, 11.25", "43.76 11.25"]),
    "street addresses": (
        ["12 Example Street", "221b Baker St.", "Via Roma 12", "Musterstraße 5a", "10 rue de la Paix", "Calle Mayor, 3"],
        ["Example", "12", "Street", "Florence", "5 mg twice", "3 years"],
    ),
    "nine-digit ZIP codes": (["12345-6789"], ["12345", "123456789", "1234-56789"]),
    "dates": (
        ["2020-03-01", "1/3/2020", "31.12.99", "2020-03", "2020-03-01T10:00:00Z", "3/1/2020 10:15 PM"],
        ["2020", "13/13/2020", "2020-13-01", "1-2", "2020-03-32", "12:30", "0/1/2020"],
    ),
    "telephone numbers": (
        ["+39 055 123456", "(055) 987-6543", "055/11 22 33", "555-0123", "+15550123456", "01.23.45.67.89"],
        ["12345678", "2019-2021", "10000 - 19999", "192.0.2.1", "123-45-6789", "12/31/2020", "12345-6789", "55-01"],
    ),
}  # fmt: skip


def form_of(title: str) -> Form:
    (form,) = (form for form in FORMS if form.title == title)
    return form


def test_every_form_has_examples() -> None:
    assert {form.title for form in FORMS} == set(CASES)


@pytest.mark.parametrize("title", CASES)
def test_a_form_takes_what_has_it_and_nothing_that_comes_near(title: str) -> None:
    right, wrong = CASES[title]
    form = form_of(title)
    assert [text for text in right if not has_form(form, text)] == []
    assert [text for text in right if not has_form(form, f"  {text} ")] == []
    assert [text for text in wrong if has_form(form, text)] == []
    assert not has_form(form, "")


@modest
@given(st.integers(0, 10**15))
def test_of_ten_last_digits_one_passes_luhn(number: int) -> None:
    assert sum(value_forms.passes_luhn(f"{number}{digit}") for digit in range(10)) == 1


@modest
@given(st.from_regex(r"[A-HJ-NPR-Z0-9]{8}[0-9X][A-HJ-NPR-Z0-9]{8}", fullmatch=True))
def test_of_eleven_check_digits_one_makes_a_vehicle_number(text: str) -> None:
    assert sum(value_forms.is_vin(text[:8] + digit + text[9:]) for digit in "0123456789X") == 1


@modest
@given(st.integers(0, 10**10))
def test_of_a_hundred_check_numbers_one_or_two_make_an_iban(number: int) -> None:
    # The two digits are 1 modulo 97 with the rest: 97 remainders for 100 numbers.
    assert sum(value_forms.is_iban(f"XX{check:02}TEST{number:012}") for check in range(100)) in (1, 2)


HARD = [
    "a" * 100_000,
    "a@" * 50_000,
    "a." * 50_000,
    "1" * 100_000,
    "1 " * 50_000,
    "1-" * 50_000,
    "(" * 100_000,
    "A1" * 50_000,
    "12 " + "a " * 50_000 + "street",
    "via " + "x " * 50_000,
    "x" * (LONGEST - 1) + "!",
    "a@" + "b." * 140,
    "12 " + "a " * 140 + "st",
    "1 " * 149 + "x",
    "via " + "1 " * 140 + "x",
    "h" + "ttp://" * 45,
    "0:" * 149,
    "\u0660" * 200,
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.title)
def test_no_text_keeps_a_form_busy(form: Form) -> None:
    start = time.process_time()
    for text in HARD:
        has_form(form, text)
        has_form(form, text[:LONGEST])
    assert time.process_time() - start < 0.5


@modest
@given(st.text(max_size=60))
def test_any_text_has_a_form_or_has_not(text: str) -> None:
    assert all(has_form(form, text) in (True, False) for form in FORMS)
