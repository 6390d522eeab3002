"""Words in names of columns that stand for people, that say what others know, and what nobody should learn.

English, and the most frequent ones in German, Italian, Spanish and French.
"""

from __future__ import annotations

from collections.abc import Mapping

PERSON_WORDS = (
    "patient person client customer member subject participant respondent citizen resident employee student "
    "pupil insured applicant user patientin kunde klient mitglied teilnehmer versicherter bürger schüler "
    "mitarbeiter paziente cliente persona utente assistito paciente usuario ciudadano personne usager "
    "citoyen assuré"
)
KNOWN_WORDS: Mapping[str, str] = {
    "age alter età eta edad âge": "How old somebody is can be known or guessed by others.",
    "sex gender geschlecht sesso genere sexo género sexe genre": "It can be seen.",
    "birth birthday birthdate dob yob born geburtsjahr geburtsdatum nascita nacimiento naissance": (
        "Birthdays are widely known."
    ),
    "city town village municipality county district region state province country residence": (
        "Where somebody lives is known to others."
    ),
    "race ethnicity ethnic nationality native citizenship origin nazionalità cittadinanza "
    "nationalität staatsangehörigkeit nacionalidad nationalité": "It can be seen or is known to others.",
    "marital married spouse household children family familienstand civile civil": (
        "Family circumstances are known to others."
    ),
    "education degree school schooling university": "Where and how long somebody learned is known to others.",
    "occupation profession job work workclass employer employment industry title beruf professione "
    "profesión profesion métier": ("What somebody does for a living is known to others."),
    "language height weight bmi eye hair": "It can be seen or heard.",
    "insurance": "Somebody's kind of insurance is known to those around them.",
}
SENSITIVE_WORDS: Mapping[str, str] = {
    "diagnosis diagnoses disease illness condition disorder icd symptom symptoms diagnose krankheit "
    "diagnosi malattia diagnóstico diagnostico enfermedad diagnostic maladie": (
        "It tells about somebody's health."
    ),
    "medication drug drugs treatment therapy surgery procedure hiv test result stay blood": (
        "It tells about somebody's health."
    ),
    "religion belief politics political party union konfession religione religión": (
        "Beliefs are protected by law in many places."
    ),
    "sexual orientation": "It is protected by law in many places.",
    "income salary wage wages earnings debt credit loan capital wealth balance hours einkommen gehalt "
    "reddito stipendio ingresos salario revenu salaire": ("It tells about somebody's work or money."),
    "crime offence offense conviction verdict": "A record of offences harms whom it is linked to.",
    "grade score mark": "It tells how somebody was judged.",
}
