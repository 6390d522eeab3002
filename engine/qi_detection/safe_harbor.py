"""The 18 identifiers that Safe Harbor of HIPAA requires to remove, and names of columns for them.

Source: 45 CFR 164.514(b)(2)(i), (A) to (R). Words are English, German, Italian, Spanish and French.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import MappingProxyType

from engine.hierarchies.names import words_of
from engine.words import N_, _


class SafeHarbor(Enum):
    """One of the 18 identifiers; the value is its letter in the rule."""

    NAMES = "A"
    GEOGRAPHY = "B"
    DATES = "C"
    TELEPHONE = "D"
    FAX = "E"
    EMAIL = "F"
    SOCIAL_SECURITY = "G"
    MEDICAL_RECORD = "H"
    HEALTH_PLAN = "I"
    ACCOUNT = "J"
    LICENCE = "K"
    VEHICLE = "L"
    DEVICE = "M"
    URL = "N"
    IP_ADDRESS = "O"
    BIOMETRIC = "P"
    PHOTOGRAPH = "Q"
    OTHER = "R"

    @property
    def title(self) -> str:
        """Plain name of the identifier."""
        return _(TITLES[self])


TITLES: Mapping[SafeHarbor, str] = MappingProxyType(
    {
        SafeHarbor.NAMES: "names",
        SafeHarbor.GEOGRAPHY: N_("places smaller than a state"),
        SafeHarbor.DATES: N_("dates except the year, and ages over 89"),
        SafeHarbor.TELEPHONE: N_("telephone numbers"),
        SafeHarbor.FAX: N_("fax numbers"),
        SafeHarbor.EMAIL: N_("e-mail addresses"),
        SafeHarbor.SOCIAL_SECURITY: N_("social security numbers"),
        SafeHarbor.MEDICAL_RECORD: N_("medical record numbers"),
        SafeHarbor.HEALTH_PLAN: N_("health plan numbers"),
        SafeHarbor.ACCOUNT: N_("account numbers"),
        SafeHarbor.LICENCE: N_("certificate and licence numbers"),
        SafeHarbor.VEHICLE: N_("vehicle identifiers and plates"),
        SafeHarbor.DEVICE: N_("device identifiers and serial numbers"),
        SafeHarbor.URL: N_("web addresses"),
        SafeHarbor.IP_ADDRESS: "IP addresses",
        SafeHarbor.BIOMETRIC: N_("biometric identifiers"),
        SafeHarbor.PHOTOGRAPH: N_("photographs of faces"),
        SafeHarbor.OTHER: N_("other unique numbers"),
    }
)

# Phrases that name a column, separated by commas. Of one word, it must occur as a word of the name; of
# several, they must follow each other. "name" and its like are not here: see `is_persons_name`.
PHRASES: Mapping[SafeHarbor, str] = MappingProxyType(
    {
        SafeHarbor.NAMES: (
            "surname, lastname, firstname, fullname, forename, maidenname, middlename, username, login, "
            "nickname, nachname, vorname, familienname, geburtsname, rufname, benutzername, cognome, "
            "nominativo, apellido, apellidos, prenom, prénom, patronyme"
        ),
        SafeHarbor.GEOGRAPHY: (
            "zip, zipcode, postal, postcode, postalcode, city, town, village, county, precinct, "
            "municipality, place of birth, birth place, birthplace, location, lat, lng, neighborhood, "
            "neighbourhood, geocode, latitude, longitude, census tract, parish, plz, postleitzahl, ort, "
            "wohnort, stadt, gemeinde, landkreis, stadtteil, geburtsort, lugar de nacimiento, luogo di "
            "nascita, lieu de naissance, breitengrad, comune, città, citta, frazione, quartiere, "
            "latitudine, longitudine, codpostal, código postal, codigo postal, ciudad, municipio, "
            "localidad, barrio, latitud, longitud, code postal, ville, commune, quartier, arrondissement"
        ),
        SafeHarbor.DATES: (
            "date, dates, dob, birthday, birthdate, admission date, discharge date, date of birth, date "
            "of death, geburtsdatum, datum, geburtstag, todesdatum, aufnahmedatum, entlassungsdatum, "
            "sterbedatum, data nascita, data di nascita, data ricovero, data decesso, fecha, fecha "
            "nacimiento, date naissance, date de naissance, date deces"
        ),
        SafeHarbor.TELEPHONE: (
            "phone, telephone, mobile, cellphone, cell phone, phonenumber, telefon, telefonnummer, handy, "
            "handynummer, mobilnummer, rufnummer, telefono, teléfono, cellulare, celular, móvil, movil, "
            "téléphone"
        ),
        SafeHarbor.FAX: ("fax, telefax, faxnummer, faxnumber, télécopie, telecopie"),
        SafeHarbor.EMAIL: ("email, mail, e mail, emailaddress, correo, courriel, mailadresse"),
        SafeHarbor.SOCIAL_SECURITY: (
            "ssn, social security, nhs, nino, national id, national insurance, tax id, "
            "sozialversicherungsnummer, rentenversicherungsnummer, steuernummer, svnr, codicefiscale, "
            "codice fiscale, dni, nie, nif, nss, nir, sécurité sociale, securite sociale"
        ),
        SafeHarbor.MEDICAL_RECORD: (
            "mrn, medical record, patient id, patient no, patient number, patientid, chart number, case "
            "number, record number, patientennummer, patientennr, fallnr, patientenid, fallnummer, "
            "aktenzeichen, cartella clinica, numero cartella, historia clínica, historia clinica, nhc, "
            "dossier médical, dossier medical, numero dossier, ipp"
        ),
        SafeHarbor.HEALTH_PLAN: (
            "health plan, beneficiary, member id, member number, policy number, insurance number, "
            "insurance id, subscriber id, versichertennummer, krankenkassennummer, kvnr, policennummer, "
            "tessera sanitaria, numero polizza, tarjeta sanitaria, número de póliza, carte vitale"
        ),
        SafeHarbor.ACCOUNT: (
            "iban, account number, accountnumber, bank account, credit card, card number, cardnumber, "
            "kontonummer, kreditkarte, kartennummer, conto corrente, numero conto, carta di credito, "
            "tarjeta, numero compte, carte bancaire, account id, account no"
        ),
        SafeHarbor.LICENCE: (
            "licence, license, driver license, licence number, certificate, certificate number, passport, "
            "führerschein, führerscheinnummer, fuehrerschein, reisepass, passnummer, ausweis, "
            "ausweisnummer, patente, passaporto, carta identità, carta identita, pasaporte, carnet, "
            "licencia, passeport, permis, carte identité, carte identite"
        ),
        SafeHarbor.VEHICLE: (
            "vin, license plate, licence plate, number plate, vehicle id, vehicle identification, "
            "kennzeichen, fahrgestellnummer, targa, telaio, matrícula, bastidor, immatriculation, plate "
            "number"
        ),
        SafeHarbor.DEVICE: (
            "imei, imsi, mac, mac address, serial, serial number, serialnumber, device id, deviceid, udi, "
            "seriennummer, gerätenummer, geraetenummer, numero seriale, número de serie, numero de serie, "
            "numéro de série"
        ),
        SafeHarbor.URL: ("url, urls, website, homepage, webpage, webseite, sito web, sitio web, site web"),
        SafeHarbor.IP_ADDRESS: ("ip, ip address, ipaddress, ip adresse, indirizzo ip, adresse ip, ipv"),
        SafeHarbor.BIOMETRIC: (
            "biometric, biometrics, fingerprint, fingerprints, voiceprint, retina, iris scan, faceprint, "
            "genome, dna, fingerabdruck, stimmabdruck, impronta, impronte, huella, huellas, empreinte, "
            "empreintes"
        ),
        SafeHarbor.PHOTOGRAPH: (
            "photo, photos, photograph, picture, portrait, selfie, headshot, lichtbild, passbild, "
            "fotografia, foto, ritratto, fotografía, retrato, photographie"
        ),
        SafeHarbor.OTHER: (
            "id, ids, identifier, uuid, guid, pid, matricola, kennung, kundennummer, personalnummer, "
            "mitarbeiternummer, identificativo, identificador, identifiant, numero cliente, customer "
            "number, employee number, subject id"
        ),
    }
)
STREETS = (
    "address, street, streetaddress, home address, straße, strasse, anschrift, hausnummer, adresse, "
    "indirizzo, dirección, direccion, domicilio, calle, rue, domicile"
)
"""The exact home address of a person: it identifies, unlike a town."""

_NAMED_AFTER = {
    "first", "last", "full", "family", "given", "middle", "maiden", "patient", "user", "person", "subject",
    "customer", "client", "employee", "doctor", "physician", "provider", "contact", "employer",
    "mother", "father", "parent", "child", "spouse", "partner", "relative", "guardian", "nurse", "insured",
    "subscriber", "member",
}  # fmt: skip
# What ends so tells of the thing, not the thing itself: the type of a licence, how many photographs.
_ABOUT_IT = {
    "type",
    "kind",
    "count",
    "brand",
    "length",
    "size",
    "status",
    "used",
    "flag",
    "country",
    "result",
}
_NAME_WORDS = {"name", "names", "nome", "nombre", "nom", "noms"}


def names_identifier(name: str) -> SafeHarbor | None:
    """The identifier that a column's name stands for; the longest phrase decides.

    Examples
    --------
    >>> names_identifier("Home phone")
    <SafeHarbor.TELEPHONE: 'D'>
    """
    words = words_of(name)
    if is_persons_name(words):
        return SafeHarbor.NAMES
    if not words or words[-1] in _ABOUT_IT:
        return None
    if is_street(name):
        return SafeHarbor.GEOGRAPHY
    found = [
        (len(p.split()), kind) for kind, phrases in _phrases().items() for p in phrases if _has(words, p)
    ]
    return max(found, key=lambda entry: entry[0])[1] if found else None


def is_persons_name(words: list[str]) -> bool:
    """Return whether a column's name refers to names of people, not of countries or files."""
    if not words:
        return False
    if words[-1] in _NAME_WORDS:
        return len(words) == 1 or words[-2] in _NAMED_AFTER
    return words[0] in _NAME_WORDS and len(words) > 1 and words[-1] in {"paziente", "paciente", "patient"}


def is_street(name: str) -> bool:
    """Return whether the name says that a column holds home addresses, not those of mail or computers."""
    words = words_of(name)
    if not words or words[-1] in _ABOUT_IT:
        return False
    if any(_has(words, p) for kind in _ELSEWHERE for p in _phrases()[kind]):
        return False
    return any(_has(words, phrase) for phrase in _split(STREETS))


_ELSEWHERE = (SafeHarbor.EMAIL, SafeHarbor.IP_ADDRESS, SafeHarbor.DEVICE, SafeHarbor.URL)


@cache
def _phrases() -> dict[SafeHarbor, tuple[str, ...]]:
    return {kind: _split(text) for kind, text in PHRASES.items()}


@cache
def _split(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in text.split(","))


def _has(words: list[str], phrase: str) -> bool:
    """Return whether a phrase occurs in a name, or is the name written as one word."""
    return f" {phrase} " in f" {' '.join(words)} " or "".join(words) == phrase.replace(" ", "")
