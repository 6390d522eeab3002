"""The 18 identifiers of Safe Harbor, by names of columns in five languages and by made-up values."""
# ruff: noqa: E501  a table of names reads best in long lines

from __future__ import annotations

import numpy as np
import pytest

from engine.qi_detection.hipaa import HipaaMatch, hipaa_match
from engine.qi_detection.safe_harbor import PHRASES, TITLES, SafeHarbor, names_identifier
from engine.records import Column, DataType, Kind
from engine.records.values import make_column


def column(name: str, texts: list[str], kind: Kind = Kind.TEXT, format: str = "") -> Column:
    distinct = list(dict.fromkeys(texts))
    codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
    return make_column(name, distinct, codes, DataType(kind, format))


def match(name: str, texts: list[str], kind: Kind = Kind.TEXT, format: str = "") -> HipaaMatch | None:
    return hipaa_match(column(name, texts, kind, format), len(texts))


def test_the_rule_has_18_entries_lettered_a_to_r() -> None:
    assert [entry.value for entry in SafeHarbor] == list("ABCDEFGHIJKLMNOPQR")
    assert set(TITLES) == set(PHRASES) == set(SafeHarbor)


@pytest.mark.parametrize(
    ("name", "letter"),
    [
        ("name", "A"), ("LastName", "A"), ("patient_name", "A"), ("Nachname", "A"), ("cognome", "A"),
        ("nome", "A"), ("apellidos", "A"), ("prénom", "A"), ("nom", "A"), ("nombre paciente", "A"),
        ("contact name", "A"), ("mother_name", "A"), ("employer name", "A"),
        ("city", "B"), ("ZIP", "B"), ("PLZ", "B"), ("comune_residenza", "B"), ("ville", "B"), ("Home address", "B"),
        ("place of birth", "B"), ("lat", "B"),
        ("birth date", "C"), ("Geburtsdatum", "C"), ("data di nascita", "C"), ("fecha", "C"), ("date naissance", "C"),
        ("phone", "D"), ("Telefonnummer", "D"), ("cellulare", "D"), ("teléfono", "D"), ("téléphone", "D"),
        ("fax", "E"), ("Fax number", "E"), ("télécopie", "E"),
        ("E-Mail", "F"), ("email_address", "F"), ("correo", "F"), ("courriel", "F"),
        ("SSN", "G"), ("Sozialversicherungsnummer", "G"), ("codice fiscale", "G"), ("DNI", "G"), ("sécurité sociale", "G"),
        ("MRN", "H"), ("medical record number", "H"), ("patient id", "H"), ("Fallnummer", "H"), ("cartella clinica", "H"),
        ("member id", "I"), ("health plan beneficiary", "I"), ("Versichertennummer", "I"), ("tessera sanitaria", "I"),
        ("account number", "J"), ("IBAN", "J"), ("Kontonummer", "J"), ("conto corrente", "J"), ("numero compte", "J"),
        ("driver license", "K"), ("passport", "K"), ("Führerscheinnummer", "K"), ("patente", "K"), ("permis", "K"),
        ("VIN", "L"), ("license plate", "L"), ("Kennzeichen", "L"), ("targa", "L"), ("bastidor", "L"),
        ("serial number", "M"), ("IMEI", "M"), ("mac address", "M"), ("Seriennummer", "M"), ("número de serie", "M"),
        ("url", "N"), ("website", "N"), ("sito web", "N"),
        ("ip", "O"), ("IP address", "O"), ("ipv4", "O"), ("indirizzo ip", "O"),
        ("fingerprint", "P"), ("Fingerabdruck", "P"), ("impronta", "P"), ("huella", "P"), ("empreinte", "P"),
        ("photo", "Q"), ("Lichtbild", "Q"), ("fotografia", "Q"), ("photographie", "Q"),
        ("id", "R"), ("uuid", "R"), ("Kundennummer", "R"), ("matricola", "R"), ("identifiant", "R"),
    ],
)  # fmt: skip
def test_names_of_columns_tell_in_five_languages(name: str, letter: str) -> None:
    found = names_identifier(name)
    assert found.value == letter


@pytest.mark.parametrize(
    "name",
    ["age", "sex", "country name", "file name", "occupation", "bmi", "state", "capital-gain", "video", "idea",
     "blood pressure", "year", "visits", "hours-per-week", "Residence_type", "diagnosis", "score", "license_type", "photo_count", "email status", "passport country", "address type",
     "product_name", "credit_score", ""],
)  # fmt: skip
def test_names_of_other_columns_tell_nothing(name: str) -> None:
    assert names_identifier(name) is None


@pytest.mark.parametrize(
    ("texts", "letter"),
    [
        (["a@b.org", "c@d.it", "e@f.net"], "F"),
        (["+39 055 123456", "(055) 987-6543", "055/11 22 33"], "D"),
        (["192.0.2.1", "2001:db8::1"], "O"),
        (["https://example.org/1", "www.example.org"], "N"),
        (["123-45-6789", "001-01-0001"], "G"),
        (["p1.jpg", "faces/p2.png"], "Q"),
        (["GB82WEST12345698765432", "DE89370400440532013000"], "J"),
        (["AAAAAAAA300000001", "AAAAAAAA500000002", "11111111111111111"], "L"),
        (["123e4567-e89b-12d3-a456-426614174000"], "R"),
        (["43.7696, 11.2558", "45.4642, 9.1900"], "B"),
        (["12 Example Street", "3 Sample Road"], "B"),
        (["2020-03-01T10:00", "2020-04-01T11:00"], "C"),
    ],
)
def test_values_tell_whatever_the_column_is_called(texts: list[str], letter: str) -> None:
    found = match("x", texts)
    assert (found.identifier.value, found.by_name, found.by_values) == (letter, False, True)
    assert found.share >= 0.9
    assert found.confidence > 0.9


def test_name_and_values_together_are_the_surest() -> None:
    both, name = match("email", ["a@b.org", "c@d.it"]), match("email", ["hidden 1", "hidden 2", "hidden 3"])
    values = match("contact", ["a@b.org", "c@d.it"])
    assert both.confidence > values.confidence > name.confidence
    assert (both.by_name, both.by_values) == (True, True)
    assert (name.by_name, name.by_values, name.share) == (True, False, 0.0)


def test_numbers_that_pass_a_check_digit_by_chance_are_not_believed() -> None:
    # One 16-digit number in ten passes Luhn's check; two of them say little, four a lot.
    cards = ["4111111111111111", "5500000000000004", "4012888888881881", "6011000990139424"]
    few, many = match("x", cards[:2]), match("x", cards)
    assert few is None
    assert many.identifier is SafeHarbor.ACCOUNT
    assert match("card number", cards[:2]) is not None


def test_a_vehicle_number_with_a_wrong_check_digit_is_none() -> None:
    assert match("x", ["AAAAAAAA300000001", "AAAAAAAA500000002", "AAAAAAAA000000003"]) is None


def test_a_share_of_wrong_values_is_told_and_too_many_are_none() -> None:
    texts = [f"p{i}@example.org" for i in range(19)] + ["unknown"]
    found = match("x", texts)
    assert found.share == pytest.approx(0.95)
    assert match("x", [*texts[:5], "none", "unknown"]) is None


@pytest.mark.parametrize(
    ("texts", "is_one"), [(["501", "502"], False), (["50122", "50133"], True), (["501**", "502**"], False)]
)
def test_postal_codes_may_stay_to_three_digits(texts: list[str], is_one: bool) -> None:
    found = match("zip", texts)
    assert (found is not None) == is_one
    if found is not None:
        assert found.identifier is SafeHarbor.GEOGRAPHY
        assert not found.is_direct


def test_shares_count_records_as_often_as_a_value_occurs() -> None:
    mails = match("x", [f"p{i}@example.org" for i in range(19)] + ["unknown"] * 21)
    ages = match("age", ["20"] * 96 + ["50"] * 2 + ["90", "91"], Kind.INTEGER)
    codes = match("postal code", ["10115"] * 3 + [f"2009{i}" for i in range(9)] + ["101"] * 28)
    for found, share in ((mails, 19 / 40), (ages, 0.02), (codes, 12 / 40)):
        assert found.share == pytest.approx(share)


@pytest.mark.parametrize(("oldest", "share"), [(89, None), (90, 1 / 3), (120, 1 / 3)])
def test_ages_count_above_89_only(oldest: int, share: float | None) -> None:
    found = match("age", ["20", "50", str(oldest)], Kind.INTEGER)
    if share is None:
        assert found is None
    else:
        assert found.identifier is SafeHarbor.DATES
        assert found.share == pytest.approx(share)


def test_years_may_stay_and_dates_may_not() -> None:
    assert match("birth year", ["1950", "1960"], Kind.INTEGER) is None
    assert match("admission date", ["1950", "1960"], Kind.INTEGER) is None
    dates = match("visit", ["2020-01-02", "2020-02-03"], Kind.DATE, "%Y-%m-%d")
    assert dates.identifier is SafeHarbor.DATES
    months = match("visit", ["2020-01", "2020-02"], Kind.DATE, "%Y-%m")
    assert months is not None
    assert match("visit", ["2019", "2020"], Kind.DATE, "%Y") is None


def test_a_yes_or_no_about_a_licence_is_no_number_of_one() -> None:
    assert match("driver license", ["yes", "no"] * 10) is None
    assert match("passport", ["eu", "us", "other"] * 20) is None
    assert match("driver license", [f"L{i}" for i in range(20)]) is not None


def test_a_value_for_every_record_is_an_identifier_of_its_own_kind() -> None:
    found = match("row", [str(i) for i in range(20)], Kind.INTEGER)
    assert (found.identifier, found.by_values) == (SafeHarbor.OTHER, True)
    assert match("row", [str(i) for i in range(5)], Kind.INTEGER) is None  # too few to tell
    assert match("dose", [f"{i}.5" for i in range(20)], Kind.DECIMAL) is None


def test_addresses_are_an_identifier_and_a_sex_is_none() -> None:
    found = match("mail", ["a@b.org", "c@d.it"])
    assert found.identifier is SafeHarbor.EMAIL
    assert match("sex", ["f", "m"]) is None


def test_missing_values_say_nothing() -> None:
    codes = np.array([0, 1, 2], dtype=np.int32)
    made = make_column("x", ["a@b.org", "c@d.it", ""], codes, DataType(Kind.TEXT), "")
    found = hipaa_match(made, 3)
    assert found.share == 1.0
    nothing = make_column("phone", [""], np.zeros(3, dtype=np.int32), DataType(Kind.TEXT), "")
    assert hipaa_match(nothing, 3) is None
