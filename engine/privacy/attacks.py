"""Attacks on a released table, and so the threats a privacy model protects against."""

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
        Its name.
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
        N_(
            "An attacker matches records with another table about the same people, possibly "
            "one with their names."
        ),
    )
    RE_IDENTIFICATION = (
        "re_identification",
        N_("re-identification"),
        N_("An attacker identifies the person behind a single record."),
    )
    HOMOGENEITY = (
        "homogeneity",
        N_("homogeneity"),
        N_(
            "All records that may belong to a person have the same sensitive value, so "
            "the attacker learns it without finding the record."
        ),
    )
    BACKGROUND_KNOWLEDGE = (
        "background_knowledge",
        N_("background knowledge"),
        N_("Knowledge about a person rules out sensitive values until only one remains."),
    )
    SKEWNESS = (
        "skewness",
        N_("skewness"),
        N_(
            "A value that is rare in the whole table is frequent among the records that may "
            "belong to a person."
        ),
    )
    SIMILARITY = (
        "similarity",
        N_("similarity"),
        N_(
            "The sensitive values of the records that may belong to a person differ, but mean"
            " nearly the same."
        ),
    )
    INFERENCE = (
        "inference",
        N_("inference"),
        N_(
            "Rules and patterns mined from the table predict sensitive values of people, "
            "whether they are in it or not."
        ),
    )
    MEMBERSHIP = (
        "membership",
        N_("membership"),
        N_("An attacker learns that a person is in the table, which may be sensitive in itself."),
    )

    def __new__(cls, key: str, title: str, meaning: str) -> Attack:
        """Make a member whose value is its key."""
        member = object.__new__(cls)
        member._value_ = key
        member._title, member._meaning = title, meaning
        return member

    @property
    def title(self) -> str:
        """Name of the attack."""
        return _(self._title)

    @property
    def meaning(self) -> str:
        """Action of the attacker, in one sentence."""
        return _(self._meaning)
