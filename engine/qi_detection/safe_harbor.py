"""The 18 identifiers that the Safe Harbor method of HIPAA wants removed, and the words columns have for them.

Source: 45 CFR 164.514(b)(2)(i), (A) to (R). Words are English, German, Italian, Spanish and French.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType


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
        """What it is, in plain words."""
        return TITLES[self]


TITLES: Mapping[SafeHarbor, str] = MappingProxyType(
    {
        SafeHarbor.NAMES: "names",
        SafeHarbor.GEOGRAPHY: "places smaller than a state",
        SafeHarbor.DATES: "dates but for the year, and ages over 89",
        SafeHarbor.TELEPHONE: "telephone numbers",
        SafeHarbor.FAX: "fax numbers",
        SafeHarbor.EMAIL: "e-mail addresses",
        SafeHarbor.SOCIAL_SECURITY: "social security numbers",
        SafeHarbor.MEDICAL_RECORD: "medical record numbers",
        SafeHarbor.HEALTH_PLAN: "health plan numbers",
        SafeHarbor.ACCOUNT: "account numbers",
        SafeHarbor.LICENCE: "certificate and licence numbers",
        SafeHarbor.VEHICLE: "vehicle identifiers and plates",
        SafeHarbor.DEVICE: "device identifiers and serial numbers",
        SafeHarbor.URL: "web addresses",
        SafeHarbor.IP_ADDRESS: "IP addresses",
        SafeHarbor.BIOMETRIC: "biometric identifiers",
        SafeHarbor.PHOTOGRAPH: "photographs of faces",
        SafeHarbor.OTHER: "other unique numbers",
    }
)

# Phrases that name a column, separated by commas. Of one word, it must occur as a word of the name; of
# several, they must follow each other. "name" and its like are not here: see `engine.qi_detection.naming`.
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
"""Where somebody lives to the door: it identifies, unlike a town."""
