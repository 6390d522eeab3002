"""Questions about the recipients of a release, and the answers that a project stores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from engine.params import Choice, Texts, check_declared, param
from engine.words import N_, Translated

_NONE = ("", N_("Not answered"))
OPEN, KNOWN = ("public", "registered"), ("partner", "internal")  # recipients
WEAK = ("none", "terms")  # agreements


@dataclass(frozen=True)
class Answer:
    """One possible answer.

    Attributes
    ----------
    key : str
        Word in recipes and commands.
    effect : str
        What it means for the requirement, in plain words.
    """

    key: str
    title: str = Translated(None)  # type: ignore[assignment]
    effect: str = Translated(None)  # type: ignore[assignment]


@dataclass(frozen=True)
class Question:
    """A question with its answers, the strictest first.

    Attributes
    ----------
    key : str
        Name of the parameter of `Answers`.
    title : str
        A few words for tables.
    """

    key: str
    title: str = Translated(None)  # type: ignore[assignment]
    asks: str = Translated(None)  # type: ignore[assignment]
    answers: tuple[Answer, ...] = ()

    def answer(self, key: str) -> Answer | None:
        """Return the answer with a key; None for no answer."""
        return next((answer for answer in self.answers if answer.key == key), None)


QUESTIONS = (
    Question(
        "recipient",
        N_("Recipient"),
        N_("Who receives the release?"),
        (
            Answer(
                "public",
                N_("Anyone"),
                N_("An attempt at re-identification is certain, so the record of highest risk counts."),
            ),
            Answer(
                "registered",
                N_("Anyone who registers"),
                N_("Registration stops no one, so the record of highest risk counts."),
            ),
            Answer(
                "partner",
                N_("Named recipients outside the organization"),
                N_("Known people get the release, who may lose it: common practice limits every class."),
            ),
            Answer(
                "internal",
                N_("Other parts of the organization"),
                N_("Known people get the release: the average risk counts, and very small classes fail."),
            ),
        ),
    ),
    Question(
        "contract",
        N_("Agreement"),
        N_("Under what agreement?"),
        (
            Answer(
                "none",
                N_("None"),
                N_("Nothing keeps a recipient from passing the release on, so it counts as public."),
            ),
            Answer(
                "terms",
                N_("Terms of use that are not enforced"),
                N_("Terms without enforced controls protect little, so the record of highest risk counts."),
            ),
            Answer(
                "agreement",
                N_("An enforced agreement against re-identification"),
                N_(
                    "For named recipients the average risk counts, by the harm. Attempts are still assumed, "
                    "so that no requirement becomes weaker."
                ),
            ),
        ),
    ),
    Question(
        "knowledge",
        N_("Knowledge"),
        N_("What could an attacker know about a person?"),
        (
            Answer(
                "records",
                N_("Own records with sensitive values (insurer, hospital)"),
                N_(
                    "Sensitive columns may be linked too, and one sensitive value can be ruled out, so more "
                    "values must remain."
                ),
            ),
            Answer(
                "acquaintance",
                N_("What neighbours, colleagues and relatives know"),
                N_(
                    "They know who is in the table: a class with one sensitive value reveals it, so classes "
                    "need several."
                ),
            ),
            Answer(
                "registers",
                N_("Registers, media and the web"),
                N_("Only the quasi-identifying columns are linked; class sizes protect these."),
            ),
        ),
    ),
    Question(
        "harm",
        N_("Harm"),
        N_("What harm would re-identification do?"),
        (
            Answer(
                "high",
                N_("High: discrimination, financial loss, danger"),
                N_("The lowest accepted risk, and sensitive values that stay diverse if one is ruled out."),
            ),
            Answer(
                "medium",
                N_("Medium: embarrassment, repairable disadvantages"),
                N_("A medium accepted risk, and no class with a single sensitive value."),
            ),
            Answer(
                "low",
                N_("Low: little that others do not know"),
                N_("The highest accepted risk that is published for such releases."),
            ),
        ),
    ),
    Question(
        "rules",
        N_("Published rules"),
        N_("Whose published rules apply?"),
        (
            Answer("ema", N_("EMA: clinical reports"), N_("The threshold of EMA's guidance applies.")),
            Answer(
                "health_canada",
                N_("Health Canada: clinical information"),
                N_("The threshold of Health Canada's guidance applies."),
            ),
            Answer(
                "hipaa",
                N_("HIPAA or data of CMS"),
                N_("The smallest cell that CMS allows for its own data applies."),
            ),
            Answer("none", N_("None of these"), N_("No authority demands a threshold of its own.")),
        ),
    ),
)


def _asked(number: int) -> Any:
    """Declare the answer to a question; none by default."""
    question = QUESTIONS[number]
    texts = vars(question)  # English, as declarations are
    options = tuple((answer.key, vars(answer)["title"]) for answer in question.answers)
    choice = Choice(label=texts["title"], help=texts["asks"], options=(_NONE, *options), is_option=True)
    return param("", choice)


@dataclass(frozen=True)
class Answers:
    """Answers to the questions; an empty text means no answer.

    Attributes
    ----------
    recipient, contract, knowledge, harm, rules : str
        Keys of answers.
    known : tuple of str
        Columns that an attacker could know and that must therefore be quasi-identifying.
    """

    recipient: str = _asked(0)
    contract: str = _asked(1)
    knowledge: str = _asked(2)
    harm: str = _asked(3)
    rules: str = _asked(4)
    known: tuple[str, ...] = param(
        (),
        Texts(
            label=N_("Known columns"),
            help=N_("Columns that an attacker could know."),
        ),
    )

    def __post_init__(self) -> None:
        check_declared(self)

    @property
    def pairs(self) -> Iterator[tuple[Question, Answer | None]]:
        """Every question with its answer; None for no answer."""
        return ((question, question.answer(getattr(self, question.key))) for question in QUESTIONS)

    @property
    def is_given(self) -> bool:
        """Return whether anything was answered."""
        return self != Answers()

    @property
    def is_open_to_anyone(self) -> bool:
        """Return whether anyone may get the release, also because no agreement is enforced."""
        return self.recipient in OPEN or (self.recipient in KNOWN and self.contract in WEAK)

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """The questions without an answer, if any other has one."""
        return tuple(question for question, answer in self.pairs if answer is None) if self.is_given else ()

    def without(self, columns: set[str]) -> Answers:
        """Return the answers without columns that a table no longer has."""
        return replace(self, known=tuple(name for name in self.known if name not in columns))
