"""From answers to requirements: published rules, of which the strictest wins, each with its source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.errors import InputError
from engine.numbers import as_exact_count, as_general, as_percent
from engine.params import Real
from engine.privacy import PrivacyModel
from engine.privacy.average_risk import AverageRisk
from engine.privacy.base import Relation
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.project.answers import KNOWN, OPEN, QUESTIONS, WEAK, Answer, Answers, Question
from engine.project.compile import released_attribute
from engine.project.edits import add_model, replace_model, set_roles
from engine.project.presets import preset_of
from engine.project.project import Project
from engine.records import Role
from engine.words import N_, Translated, _

_IPC = N_("Information and Privacy Commissioner of Ontario, De-identification Guidelines for Structured Data")
_PRECEDENTS = N_("El Emam, Guide to the De-Identification of Personal Health Information, CRC Press")
_DIVERSITY = N_("Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, l-Diversity, TKDD 1(1)")
_WP216 = N_("Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216)")


@dataclass(frozen=True)
class Rule:
    """Demand of some answers together.

    Attributes
    ----------
    when : tuple of (str, tuple of str)
        Questions, each with the answers of which one must be given; columns that an attacker could know are
        the question "known", without answers.
    why : str
        The reason, in one sentence.
    own_source : str
        Publication, unless a preset has it.
    preset_key : str
        Preset whose models are demanded.
    values : int
        Fewest different values of every sensitive column in a class; 0 for none.
    others_known : bool
        Whether attackers must be assumed to know other sensitive columns.
    """

    key: str
    when: tuple[tuple[str, tuple[str, ...]], ...]
    why: str = Translated(None)  # type: ignore[assignment]
    own_source: str = Translated()  # type: ignore[assignment]
    own_year: int = 0
    preset_key: str = ""
    own_models: tuple[PrivacyModel, ...] = ()
    values: int = 0
    others_known: bool = False

    @property
    def models(self) -> tuple[PrivacyModel, ...]:
        """Models that hold for every table."""
        return preset_of(self.preset_key).models if self.preset_key else self.own_models

    @property
    def source(self) -> str:
        """Publication and year."""
        if self.preset_key:
            found = preset_of(self.preset_key)
            return f"{found.source}, {found.year}"
        return f"{self.own_source}, {self.own_year}"

    def applies(self, answers: Answers) -> bool:
        """Return whether all its answers were given."""
        return all(
            bool(answers.known) if question == "known" else getattr(answers, question) in keys
            for question, keys in self.when
        )


def _by_harm() -> Iterator[Rule]:
    """Yield the rules for each harm: by the highest risk where anyone may try, else by the average."""
    for harm, threshold in (("low", 0.1), ("medium", 0.075), ("high", 0.05)):
        yield Rule(
            f"open_{harm}",
            (("recipient", OPEN), ("harm", (harm,))),
            N_("Someone will try the record that is easiest to find, so every class must be large enough."),
            preset_key=f"ontario_{harm}",
        )
        yield Rule(
            f"unbound_{harm}",
            (("recipient", KNOWN), ("contract", WEAK), ("harm", (harm,))),
            N_("Without an enforced agreement the release may reach anyone, so it is treated as public."),
            preset_key=f"ontario_{harm}",
        )
        yield Rule(
            f"bound_{harm}",
            (("recipient", KNOWN), ("contract", ("agreement",)), ("harm", (harm,))),
            N_("Under an enforced agreement no record is a more likely target, so the average risk counts."),
            _IPC,
            2016,
            own_models=(AverageRisk(threshold),),
        )


RULES = (
    Rule(
        "public_cells",
        (("recipient", OPEN),),
        N_("Public releases in the United States use cells of at least 11."),
        _PRECEDENTS,
        2013,
        own_models=(KAnonymity(11),),
    ),
    Rule(
        "partner_cells",
        (("recipient", ("partner",)),),
        N_("Custodians of health data commonly require cells of at least 5."),
        preset_key="common",
    ),
    Rule(
        "internal_cells",
        (("recipient", ("internal",)),),
        N_("An average hides small classes, so that no single risk may be above 0.33."),
        _IPC,
        2016,
        own_models=(KAnonymity(3),),
    ),
    *_by_harm(),
    Rule(
        "known_person",
        (("knowledge", ("acquaintance", "records")),),
        N_("Who knows that a person is in the table learns the value that all records of a class have."),
        _DIVERSITY,
        2007,
        values=2,
    ),
    Rule(
        "ruled_out",
        (("knowledge", ("records",)),),
        N_("Who can rule out one value must still be left with two."),
        _DIVERSITY,
        2007,
        values=3,
    ),
    Rule(
        "others_known",
        (("knowledge", ("records",)),),
        N_("A sensitive value must not follow from the other values of a person."),
        _WP216,
        2014,
        others_known=True,
    ),
    Rule(
        "harm_medium",
        (("harm", ("medium",)),),
        N_("A class whose records all have one sensitive value reveals it, however large it is."),
        _DIVERSITY,
        2007,
        values=2,
    ),
    Rule(
        "harm_high",
        (("harm", ("high",)),),
        N_("Two values must remain if an attacker rules one out."),
        _DIVERSITY,
        2007,
        values=3,
    ),
    Rule("ema", (("rules", ("ema",)),), N_("The guidance sets this threshold."), preset_key="ema"),
    Rule(
        "health_canada",
        (("rules", ("health_canada",)),),
        N_("The guidance sets this threshold."),
        preset_key="health_canada",
    ),
    Rule("hipaa", (("rules", ("hipaa",)),), N_("The policy sets this cell size."), preset_key="hipaa"),
    Rule(
        "known_columns",
        (("known", ()),),
        N_("A column is quasi-identifying if an attacker may know it."),
        _IPC,
        2016,
    ),
)


@dataclass(frozen=True)
class Reason:
    """Reason for a demand.

    Attributes
    ----------
    answers : tuple of (Question, Answer)
        The answers that demand it together; none for known columns.
    words : str
        What this rule alone demands, such as "k ≥ 11".
    decides : bool
        Whether it is the strictest of the reasons.
    """

    rule: Rule
    answers: tuple[tuple[Question, Answer], ...]
    words: str
    decides: bool

    @property
    def because(self) -> str:
        """The answers in words, such as "Recipient: Anyone; Harm: Low"."""
        if not self.answers:
            return _("Known columns")
        return "; ".join(f"{question.title}: {answer.title}" for question, answer in self.answers)


@dataclass(frozen=True)
class Demand:
    """One requirement that follows from answers, and whether a project has it.

    Attributes
    ----------
    key : str
        Kind and column, such as "k_anonymity" or "distinct_l_diversity:illness".
    words : str
        The requirement, such as "k ≥ 11".
    reasons : tuple of Reason
        The strictest first.
    current : str
        The present setting in the same words.
    model : PrivacyModel or None
        The demanded model, if it is one.
    column : str
        The column that must be quasi-identifying, if that is demanded.
    note : str
        Why less is demanded than the rules say; usually empty.
    """

    key: str
    words: str
    reasons: tuple[Reason, ...]
    current: str
    is_met: bool
    model: PrivacyModel | None = None
    column: str = ""
    note: str = ""


def demands(project: Project, answers: Answers | None = None) -> tuple[Demand, ...]:
    """Return what answers demand of a project, one entry for each model, setting and column.

    Rules add up: of rules for the same model, the strictest wins, and no answer removes a demand.

    Parameters
    ----------
    answers : Answers, optional
        Those of the project by default.
    """
    answers = project.answers if answers is None else answers
    rules = [rule for rule in RULES if rule.applies(answers)]
    by_model: dict[str, list[tuple[Rule, PrivacyModel]]] = {}
    for rule in rules:
        for model in (*rule.models, *_of_sensitive(rule, project)):
            by_model.setdefault(":".join((model.key, *model.columns)), []).append((rule, model))
    found = [_of_model(project, answers, key, entries) for key, entries in by_model.items()]
    if len(project.sensitive) > 1:
        others = [rule for rule in rules if rule.others_known]
        if any(name in project.sensitive for name in answers.known):
            others += [rule for rule in rules if rule.key == "known_columns"]
        if others:
            words = _("other sensitive columns may be known")
            reasons = tuple(_reason(rule, answers, words, decides=True) for rule in others)
            current = words if project.others_as_qi else _("not assumed")
            found.append(Demand("others_as_qi", words, reasons, current, project.others_as_qi))
    for rule in rules:
        if rule.key == "known_columns":
            found += _of_columns(project, answers, rule)
    return tuple(found)


def weaker(project: Project) -> tuple[Demand, ...]:
    """Return the demands of the answers that a project does not meet."""
    return tuple(demand for demand in demands(project) if not demand.is_met)


def set_answers(project: Project, answers: Answers) -> Project:
    """Store answers, and add or strengthen what they demand; nothing becomes weaker."""
    project = replace(project, answers=answers)
    columns = [demand.column for demand in weaker(project) if demand.column]
    if columns:
        project = set_roles(project, columns, Role.QUASI_IDENTIFYING)
    for demand in weaker(project):
        project = strengthen(project, demand)
    return project


def strengthen(project: Project, demand: Demand) -> Project:
    """Return the project with one demand met.

    Only k-anonymity can be combined with differential privacy, so that a class size takes the place of an
    average risk.
    """
    if demand.column:
        return set_roles(project, [demand.column], Role.QUASI_IDENTIFYING)
    model = demand.model
    if model is None:
        return replace(project, others_as_qi=True)
    if project.requirement.sampling is not None and isinstance(model, AverageRisk):
        model = KAnonymity(HighestRisk(model.threshold).required_k)
    for place, own in enumerate(project.requirement.models):
        if type(own) is type(model) and own.columns == model.columns:
            return replace_model(project, place, own.with_limit(model.limit))
    return add_model(project, model)


def effects(project: Project, answers: Answers) -> dict[str, tuple[str, ...]]:
    """Return for every question what its answer demands in this project, alone or with other answers."""
    found: dict[str, list[str]] = {question.key: [] for question in QUESTIONS}
    for demand in demands(project, answers):
        for reason in demand.reasons:
            for question, _answer in reason.answers:
                if reason.words not in found[question.key]:
                    found[question.key].append(reason.words)
    return {key: tuple(words) for key, words in found.items()}


def model_words(model: PrivacyModel) -> str:
    """Return a model with its column and threshold, such as "l of illness ≥ 2"."""
    threshold = model.threshold_parameter()
    if isinstance(threshold, Real):
        limit = as_percent(model.limit) if threshold.is_share else as_general(model.limit, 4)
    else:
        limit = as_exact_count(int(model.limit))
    name = model.symbol
    if model.columns:
        name = _("{name} of {columns}").format(name=name, columns=", ".join(model.columns))
    words = f"{name} {model.relation.value} {limit}"
    return f"{words}, {model.details}" if model.details else words


def _of_sensitive(rule: Rule, project: Project) -> Iterator[PrivacyModel]:
    """Yield the models of a rule for each sensitive column, limited by its number of values."""
    if rule.values:
        for name in project.sensitive:
            n_values = _n_released(project, name)
            if n_values > 1:
                yield DistinctLDiversity(name, min(rule.values, n_values))


def _n_released(project: Project, name: str) -> int:
    """Return how many different values of a sensitive column are released; 0 if the column is not."""
    try:
        attribute = released_attribute(project, name)
    except InputError:  # which pre-flight reports
        return len(project.table.column(name).labels)
    return 0 if attribute is None else len(attribute.column.labels)


def _of_model(
    project: Project, answers: Answers, key: str, entries: list[tuple[Rule, PrivacyModel]]
) -> Demand:
    model = max((model for _rule, model in entries), key=_strictness)
    entries = sorted(entries, key=lambda entry: _strictness(entry[1]), reverse=True)
    reasons = tuple(
        _reason(rule, answers, model_words(own), decides=own.limit == model.limit) for rule, own in entries
    )
    known = [own for own in project.requirement.models if _speaks_of(own, model)]
    met = [own for own in known if _implies(own, model)]
    shown = met or known
    current = ", ".join(model_words(own) for own in shown) or _("none")
    note = ""
    wanted = max(rule.values for rule, _model in entries)
    if wanted > model.limit and isinstance(model, DistinctLDiversity):
        note = _("The rules say {n}, but the column has only {n_values} different values.").format(
            n=wanted, n_values=as_exact_count(int(model.limit))
        )
    return Demand(key, model_words(model), reasons, current, bool(met), model, note=note)


def _of_columns(project: Project, answers: Answers, rule: Rule) -> Iterator[Demand]:
    words = _("{column} is quasi-identifying")
    for name in dict.fromkeys(answers.known):
        role = project.role(name)
        if name not in project.table.names or role is Role.SENSITIVE:
            continue  # for sensitive columns, attackers are assumed to know the others
        text = words.format(column=name)
        current = _(role.value) if role is not None else _("no role")
        is_met = role in (Role.QUASI_IDENTIFYING, Role.IDENTIFYING)
        yield Demand(
            f"known:{name}", text, (_reason(rule, answers, text, decides=True),), current, is_met, None, name
        )


def _reason(rule: Rule, answers: Answers, words: str, *, decides: bool) -> Reason:
    asked = {question for question, _keys in rule.when}
    given = tuple((q, answer) for q, answer in answers.pairs if q.key in asked and answer is not None)
    return Reason(rule, given, words, decides)


def _strictness(model: PrivacyModel) -> float:
    return model.limit if model.relation is Relation.AT_LEAST else -model.limit


def _speaks_of(own: PrivacyModel, wanted: PrivacyModel) -> bool:
    """Return whether a model limits the same thing as the wanted one, or implies a limit for it."""
    if isinstance(wanted, KAnonymity):
        return own.required_k is not None
    if isinstance(wanted, AverageRisk):
        return isinstance(own, AverageRisk) or own.required_k is not None
    diverse = (DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity)
    return isinstance(own, diverse) and own.columns == wanted.columns


def _implies(own: PrivacyModel, wanted: PrivacyModel) -> bool:
    """Return whether every release that meets a model of the same kind also meets the wanted one.

    Risks are at most 1 / k, and entropy and recursive l-diversity need at least l different values.
    """
    if isinstance(wanted, KAnonymity):
        return own.required_k is not None and own.required_k >= wanted.k
    if isinstance(wanted, AverageRisk):
        if isinstance(own, AverageRisk):
            return own.threshold <= wanted.threshold
        return own.required_k is not None and 1 / own.required_k <= wanted.threshold
    least: float = getattr(own, "l", 0)
    return least >= wanted.limit
