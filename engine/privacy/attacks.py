"""What somebody may try with a released table, and so what a privacy model protects from."""

from __future__ import annotations

from enum import Enum

from engine.words import N_, _


class Attack(Enum):
    """A way to learn about a person from a table without names.

    The first seven are those of Sáinz-Pardo Díaz and López García [1], tables 1 and 2; membership is
    the one that Nergiz, Atzori and Clifton [2] add.

    Attributes
    ----------
    title : str
        Its name in plain words.
    meaning : str
        What the attacker does, in one sentence.

    References
    ----------
    .. [1] Sáinz-Pardo Díaz, López García (2022). A Python library to check the level of anonymity of
       a dataset. Scientific Data 9, 785.
    .. [2] Nergiz, Atzori, Clifton (2007). Hiding the Presence of Individuals from Shared Databases.
       SIGMOD.
    """

    _title: str
    _meaning: str

    LINKAGE = (
        "linkage",
        N_("linkage"),
        N_("Records are matched with another table about the same people, one that may hold their names."),
    )
    RE_IDENTIFICATION = (
        "re_identification",
        N_("re-identification"),
        N_("The person behind a single record is found out."),
    )
    HOMOGENEITY = (
        "homogeneity",
        N_("homogeneity"),
        N_(
            "All records a person could be have the same sensitive value; which one is "
            "theirs does not matter."
        ),
    )
    BACKGROUND_KNOWLEDGE = (
        "background_knowledge",
        N_("background knowledge"),
        N_("What is known of a person rules out some sensitive values, until one of them is left."),
    )
    SKEWNESS = (
        "skewness",
        N_("skewness"),
        N_("A value that is rare in the whole table is frequent among the records a person could be."),
    )
    SIMILARITY = (
        "similarity",
        N_("similarity"),
        N_("The sensitive values among the records a person could be differ, but mean nearly the same."),
    )
    INFERENCE = (
        "inference",
        N_("inference"),
        N_("Rules and patterns mined from the table tell sensitive values of people, in it or not."),
    )
    MEMBERSHIP = (
        "membership",
        N_("membership"),
        N_("It is found out that a person is in the table at all, which may itself be sensitive."),
    )

    def __new__(cls, key: str, title: str, meaning: str) -> Attack:
        """Make a member whose value is its key."""
        member = object.__new__(cls)
        member._value_ = key
        member._title, member._meaning = title, meaning
        return member

    @property
    def title(self) -> str:
        """What the attack is called."""
        return _(self._title)

    @property
    def meaning(self) -> str:
        """What the attacker does, in one sentence."""
        return _(self._meaning)
