"""Settings of the attack test, which recipes and project files store."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from engine.params import LARGEST, ColumnRef, ColumnRefs, Configurable, Flag, Integer, Real, param
from engine.words import N_

RELEASED = "released"  # columns that forms offer: all released ones but the identifying ones


@dataclass(frozen=True, slots=True)
class AttackSettings(Configurable):
    """Control group, targets and knowledge of attackers of an attack test.

    Attributes
    ----------
    share : float
        Share of the records that is held back as the control group; at least 100 records are.
    targets : int
        Attacks on each group, at most its records.
    level : float
        Level of the intervals.
    seed : int
        Of the control group and of everything else that is drawn.
    columns : tuple of str
        Columns that an attacker may know; empty for all released ones but the identifying ones.
    width : int
        Columns of a guess that singles out.
    first : tuple of str
        Columns of the first part when records are linked, the second part has the others; empty for every
        second column.
    nearest : int
        Records in each of both lists when records are linked.
    secret : str
        Column that is inferred; empty for each sensitive one.
    leave_out_suppressed : bool
        Whether suppressed records are excluded from the attacks.
    choose_again : bool
        Whether the levels of the test release are searched without the control group, instead of taken from
        the release.
    """

    share: float = param(
        0.1,
        Real(
            label=N_("Control group"),
            help=N_("Share of the records that is held back as the control group, at least 100 records."),
            minimum=0.01,
            maximum=0.5,
            usual=(0.1, 0.2, 0.3),
            is_share=True,
            is_option=True,
        ),
    )
    targets: int = param(
        500,
        Integer(
            label=N_("Targets"),
            help=N_("Attacks on each of both groups, at most its records; more narrow the intervals."),
            minimum=1,
            maximum=100_000,
            usual=(200, 500, 2000),
            is_option=True,
        ),
    )
    level: float = param(
        0.95,
        Real(
            label=N_("Level of intervals"),
            help=N_("Level of the intervals; 95 % is usual."),
            is_advanced=True,
            minimum=0.5,
            maximum=0.999,
            usual=(0.9, 0.95, 0.99),
            is_share=True,
            is_option=True,
        ),
    )
    seed: int = param(
        0,
        Integer(
            label=N_("Seed"),
            help=N_("Seed of the control group and of the attacks: the same seed gives the same result."),
            maximum=LARGEST,
            rule=N_("a whole number of at least 0"),
            is_option=True,
        ),
    )
    columns: tuple[str, ...] = param(
        (),
        ColumnRefs(
            label=N_("Known columns; all if none is ticked"),
            help=N_("Columns that an attacker may know; none means all released columns."),
            role=RELEASED,
            is_option=True,
        ),
    )
    width: int = param(
        3,
        Integer(
            label=N_("Columns of a guess"),
            help=N_("Columns that are combined to single out a record; 3 is usual."),
            minimum=1,
            maximum=10,
            usual=(2, 3, 4),
            is_option=True,
        ),
    )
    first: tuple[str, ...] = param(
        (),
        ColumnRefs(
            label=N_("First part; every second column if none is ticked"),
            help=N_(
                "Known columns of the first of two parts that are linked, the second part has the others; "
                "none means every second column."
            ),
            role=RELEASED,
            is_advanced=True,
            is_option=True,
        ),
    )
    nearest: int = param(
        1,
        Integer(
            label=N_("Records per part"),
            help=N_("Closest records in each part that are compared when records are linked; 1 is usual."),
            is_advanced=True,
            minimum=1,
            maximum=1000,
            usual=(1, 5, 10),
            is_option=True,
        ),
    )
    secret: str = param(
        "",
        ColumnRef(
            label=N_("Secret"),
            help=N_("Column that is inferred from the others; none means each sensitive column."),
            role="",
            may_be_empty=True,
            empty_title=N_("Each sensitive column"),
            is_option=True,
        ),
    )
    leave_out_suppressed: bool = param(
        False,
        Flag(
            label=N_("Leave out suppressed records"),
            help=N_("Excludes suppressed records, which otherwise could be any record, from inferences."),
            is_option=True,
            opposite="with-suppressed",
        ),
    )

    choose_again: bool = param(
        False,
        Flag(
            label=N_("Choose levels again"),
            help=N_(
                "Searches the levels of the test release without the control group, so that it has no "
                "influence on them; this takes as long as the search of the project."
            ),
            is_advanced=True,
            is_option=True,
            opposite="same-levels",
        ),
    )

    def without(self, removed: Collection[str]) -> AttackSettings:
        """Return the settings without columns that no longer exist."""

        def kept(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in names if name not in removed)

        secret = "" if self.secret in removed else self.secret
        return replace(self, columns=kept(self.columns), first=kept(self.first), secret=secret)

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Columns that the settings name, each once."""
        names = (*self.columns, *self.first, *([self.secret] if self.secret else []))
        return tuple(dict.fromkeys(names))
