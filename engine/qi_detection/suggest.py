"""Suggest a role for every column from its name, its type and its values, each with the reason.

Words in names of columns for people, for outside knowledge, and for sensitive content.

English, and the most frequent ones in German, Italian, Spanish and French.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.hierarchies.names import is_about_postal_codes, words_of
from engine.monitor import SILENT, Monitor
from engine.notebook import Brief, Facts
from engine.numbers import as_exact_count
from engine.qi_detection.hipaa import OWN_VALUES, HipaaMatch, hipaa_match, sampled
from engine.qi_detection.safe_harbor import SafeHarbor, names_identifier
from engine.qi_detection.value_forms import is_date
from engine.records import Column, Kind, Role, Table
from engine.words import N_, _, ngettext

PERSON_WORDS = (
    "patient person client customer member subject participant respondent citizen resident employee student "
    "pupil insured applicant user patientin kunde klient mitglied teilnehmer versicherter bürger schüler "
    "mitarbeiter paziente cliente persona utente assistito paciente usuario ciudadano personne usager "
    "citoyen assuré"
)
KNOWN_WORDS: Mapping[str, str] = {
    "age alter età eta edad âge": N_("Outsiders may know or guess the age of a person."),
    "sex gender geschlecht sesso genere sexo género sexe genre": N_(
        "Visible to anyone who meets the person."
    ),
    "birth birthday birthdate dob yob born geburtsjahr geburtsdatum nascita nacimiento naissance": (
        N_("Birthdays are widely known.")
    ),
    "city town village municipality county district region state province country residence": (
        N_("Outsiders know where a person lives.")
    ),
    "race ethnicity ethnic nationality native citizenship origin nazionalità cittadinanza "
    "nationalität staatsangehörigkeit nacionalidad nationalité": N_("Visible or known to outsiders."),
    "marital married spouse household children family familienstand civile civil": (
        N_("Outsiders know a person's family.")
    ),
    "education degree school schooling university": N_("Outsiders know the education of a person."),
    "occupation profession job work workclass employer employment industry title beruf professione "
    "profesión profesion métier": (N_("Outsiders know the occupation of a person.")),
    "language height weight bmi eye hair": N_("Visible or audible to anyone who meets the person."),
    "insurance": N_("People close to a person know their type of insurance."),
}
SENSITIVE_WORDS: Mapping[str, str] = {
    "diagnosis diagnoses disease illness condition disorder icd symptom symptoms diagnose krankheit "
    "diagnosi malattia diagnóstico diagnostico enfermedad diagnostic maladie dx comorbidity comorbidities "
    "pathology finding findings diagnosen erkrankung erkrankungen krankheiten befund befunde symptome "
    "medikament medikamente medikation therapie behandlung ops": N_("Reveals the health of a person."),
    "medication drug drugs treatment therapy surgery procedure hiv test result stay blood": (
        N_("Reveals the health of a person.")
    ),
    "religion belief politics political party union konfession religione religión": (
        N_("The law protects beliefs in many countries.")
    ),
    "sexual orientation": N_("Protected by law in many countries."),
    "income salary wage wages earnings debt credit loan capital wealth balance hours einkommen gehalt "
    "reddito stipendio ingresos salario revenu salaire": (N_("Reveals the work or income of a person.")),
    "crime offence offense conviction verdict": N_("A record of offences harms the person it is linked to."),
    "grade score mark": N_("Reveals how a person was assessed."),
}


_CODE = re.compile(r"[^\W\d_]{0,6}[ _./-]?\d+[ _./-]?\w?")  # "P233", "pat-00017", "4711"
_PERSON_WORDS = frozenset(PERSON_WORDS.split())
_CODE_WORDS = frozenset(("id", "ids", "no", "nr", "num", "number", "code", "key", "ref", "pseudonym"))
_MOST = 0.9  # share of the sample that must have the form
_FEW_VALUES = 60  # so many values people can still know of each other
_LEAST_STEM = 8  # letters of a word that may end a longer one, such as German Hauptdiagnose
_LONG_TEXT = 40  # characters from which texts are taken for free text
_SURE, _LIKELY = 0.9, 0.6  # confidence from which on a suggestion is called so
_BY_NAME, _BY_TYPE, _CONSTANT, _BY_VARIETY, _LONG, _NOTHING = 0.75, 0.7, 0.95, 0.4, 0.7, 0.4


@dataclass(frozen=True)
class RoleSuggestion(Brief):
    """A role for a column, and why.

    Attributes
    ----------
    reason : str
        What the suggestion rests on, in sentences.
    confidence : float
        From 0 to 1: confidence in a rule of thumb of this kind; not a probability.
    hipaa : HipaaMatch or None
        The identifier of HIPAA Safe Harbor that the column seems to hold.
    """

    column: str
    role: Role
    reason: str
    confidence: float = _NOTHING
    hipaa: HipaaMatch | None = None

    def _facts(self) -> Facts:
        return [(self.column, f"{self.role.value}, {self.confidence_word}")]

    @property
    def is_likely(self) -> bool:
        """Return whether the suggestion is more than a guess."""
        return self.confidence >= _LIKELY

    @property
    def confidence_word(self) -> str:
        """The confidence in English, marked for translation: sure, likely or guess."""
        if self.confidence >= _SURE:
            return N_("sure")
        return N_("likely") if self.is_likely else N_("guess")


def suggest_roles(table: Table, monitor: Monitor = SILENT) -> tuple[RoleSuggestion, ...]:
    """Suggest a role for every column, in table order.

    Rules of thumb, tried in this order: identifiers of HIPAA Safe Harbor that identify a person
    by themselves, codes of people, names of sensitive content, names of outside knowledge, dates
    and postal codes, then the number of different values. A column that no rule knows is quasi-identifying:
    an insensitive one would be released without protection. The user decides; the reason states the basis
    of the suggestion, and how many records have a unique value.
    """
    suggestions = []
    for place, column in enumerate(table.columns):
        monitor.step(place, len(table.columns))
        suggestions.append(suggest_role(column, table.n_records))
    return tuple(suggestions)


def suggest_role(column: Column, n_records: int) -> RoleSuggestion:
    """Suggest the role of one column."""
    match = hipaa_match(column, n_records)
    found = _by_cut(column) or _constant(column) or _identifying(column, match)
    for rule in (_by_codes, _by_name, _by_type, _by_variety):
        found = found or rule(column, n_records)
    role, reason, confidence = found or (Role.QUASI_IDENTIFYING, _unknown(column), _NOTHING)
    if match is not None and match.identifier is SafeHarbor.OTHER and role is not Role.IDENTIFYING:
        match = None  # as many values as records, but of a kind that is known
    if match is not None and role is Role.QUASI_IDENTIFYING and match.by_values:
        confidence = max(confidence, match.confidence)
    return RoleSuggestion(column.name, role, reason + _alone(column, role), confidence, match)


Found = tuple[Role, str, float] | None


def _by_cut(column: Column) -> Found:
    """Recognize columns of which a table in files lists no values, because there are too many."""
    if column.n_values is None:
        reason = _("It has {values}, so that they may identify people.").format(values=column.labels[0])
        return Role.IDENTIFYING, reason, _NOTHING
    return None


def _constant(column: Column) -> Found:
    if len(column.labels) <= 1:
        return (
            Role.INSENSITIVE,
            _("Every record has the same value, so it distinguishes no one."),
            _CONSTANT,
        )
    return None


def _identifying(column: Column, match: HipaaMatch | None) -> Found:
    """Recognize columns that identify a person directly."""
    if match is None or not match.is_direct:
        return None
    if match.form == OWN_VALUES and not match.by_name:
        if _by_name(column, 0) is not None:
            return None
        reason = _("The value is different in every record.")
    elif match.by_values and match.form != OWN_VALUES:
        reason = _("Its values look like {form}.").format(form=_(match.form))
    elif match.identifier is SafeHarbor.NAMES:
        reason = _("Names identify a person directly.")
    elif match.identifier is SafeHarbor.GEOGRAPHY:
        reason = _("Home addresses show where to find a person.")
    else:
        what = _("identifiers") if match.identifier is SafeHarbor.OTHER else match.identifier.title
        reason = (
            _("Named like {what}, with a different value in every record.")
            if match.by_values
            else _("Named like {what}.")
        ).format(what=what)
    return Role.IDENTIFYING, reason, match.confidence


def _by_codes(column: Column, n_records: int) -> Found:
    """A column called after people alone, with codes for values: the same person may have several records."""
    words = set(words_of(column.name))
    if _PERSON_WORDS.isdisjoint(words) or words - _PERSON_WORDS - _CODE_WORDS:
        return None
    has_many = len(column.labels) > _FEW_VALUES or 2 * len(column.labels) > n_records
    if not has_many and not _mostly(column, lambda text: not text.isdigit()):
        return None  # few plain numbers may count people, or their place in a household
    if not _mostly(column, lambda text: _CODE.fullmatch(text) is not None):
        return None
    return (
        Role.IDENTIFYING,
        _("The column name suggests people, and its values are codes for them."),
        _BY_NAME,
    )


def may_number_people(column: Column) -> bool:
    """Return whether a column could number people of whom each has several records, whatever its role is."""
    words = set(words_of(column.name))
    is_named = bool(words) and words <= _PERSON_WORDS | _CODE_WORDS
    is_repeated = _FEW_VALUES < len(column.labels) <= int(column.counts.sum()) // 2
    return is_named and is_repeated and _mostly(column, lambda text: _CODE.fullmatch(text) is not None)


def _by_name(column: Column, n_records: int) -> Found:
    words = set(words_of(column.name))
    for role, table in ((Role.SENSITIVE, SENSITIVE_WORDS), (Role.QUASI_IDENTIFYING, KNOWN_WORDS)):
        for names, reason in table.items():
            known = names.split()
            stems = tuple(word for word in known if len(word) >= _LEAST_STEM)
            if not words.isdisjoint(known) or any(word.endswith(stems) for word in words):
                return role, _(reason), _BY_NAME
    return None


def _by_type(column: Column, n_records: int) -> Found:
    if is_about_postal_codes(column.name) or names_identifier(column.name) is SafeHarbor.GEOGRAPHY:
        return Role.QUASI_IDENTIFYING, _("Outsiders know where a person lives."), _BY_NAME
    if column.data_type.kind is Kind.DATE or _mostly(column, is_date):
        return Role.QUASI_IDENTIFYING, _("Outsiders may know this date."), _BY_TYPE
    return None


def _by_variety(column: Column, n_records: int) -> Found:
    n_values = len(column.labels)
    if column.data_type.kind is Kind.DECIMAL:
        return None
    if column.data_type.kind is Kind.TEXT and _mostly(column, lambda text: len(text) >= _LONG_TEXT):
        return Role.IDENTIFYING, _("Its long texts may contain names; not all of them can be checked."), _LONG
    if n_values <= _FEW_VALUES and 2 * n_values <= max(n_records, 4):
        return (
            Role.QUASI_IDENTIFYING,
            _("Only {n_values} values, so outsiders may know it.").format(n_values=n_values),
            _BY_VARIETY,
        )
    return None


def _unknown(column: Column) -> str:
    """Return the reason for an unrecognized column, with a warning if it singles people out."""
    if 2 * _n_alone(column) > len(column.labels):
        return _("Nothing suggests that outsiders know it; if they can, it singles people out.")
    return _("Nothing recognized in its name or values. Decide yourself.")


def _alone(column: Column, role: Role) -> str:
    """Return a sentence on the records with a unique value; empty if it is obvious."""
    n_alone = _n_alone(column)
    if role is Role.IDENTIFYING or not n_alone or int(column.counts.sum()) == 1:
        return ""
    words = ngettext("{n} record has a unique value.", "{n} records have a unique value.", n_alone)
    return " " + words.format(n=as_exact_count(n_alone))


def _n_alone(column: Column) -> int:
    """Records with a value that no other record has, missing left out."""
    counts = column.counts[:-1] if column.has_missing else column.counts
    return int((counts == 1).sum())


def _mostly(column: Column, has_form: Callable[[str], bool]) -> bool:
    """Return whether nearly all of an even sample of the values have a form."""
    values = sampled(column)
    return bool(values) and sum(map(has_form, values)) >= _MOST * len(values)
