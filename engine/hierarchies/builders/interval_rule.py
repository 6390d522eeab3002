"""Parameters of interval builders: cuts, labels, and groups outside of the bands."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from engine.errors import ParameterError
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.hierarchies.builders.group_labels import BY_MEMBERS
from engine.hierarchies.builders.numbers import LARGEST, any_number, optional_number
from engine.params import Choice, Configurable, Flag, Integer, Integers, Real, Reals, describe, param
from engine.words import N_, _

LABELS = (("range", N_("range: 20-29")), ("interval", N_("interval: [20, 30)")), *BY_MEMBERS)
SPREADS = (("width", N_("equally wide")), ("records", N_("with equal numbers of records")))
CLOSED = (("left", N_("to the upper band: [20, 30)")), ("right", N_("to the lower band: (20, 30]")))
ENDS = ("minimum", "bottom", "snap_bottom", "snap_top", "top", "maximum")
"""Parameters at the ends, in the order of their numbers."""


@dataclass(frozen=True, slots=True)
class IntervalRule(HierarchyBuilder):
    """The parameters of `IntervalsBuilder`, which says what they do, and what cannot be among them."""

    width: float = param(
        10.0,
        Real(
            label=N_("Width"),
            minimum=1e-6,
            maximum=LARGEST,
            decimals=6,
            ways=(N_("Width"),),
            section=N_("Bands by"),
            help=N_("Width of the bands of level 1."),
            usual=(5, 10, 100),
        ),
    )
    origin: float = param(
        0.0,
        any_number(
            label=N_("Start"),
            ways=(N_("Width"),),
            section=N_("Bands by"),
            help=N_("Number at which a band begins."),
        ),
    )
    cuts: tuple[float, ...] | None = param(
        None,
        Reals(
            label=N_("Cuts"),
            ways=(N_("Cuts"),),
            section=N_("Bands by"),
            help=N_("Numbers at which bands begin; replaces width and start."),
        ),
    )
    bands: int | None = param(
        None,
        Integer(
            label=N_("Number of bands"),
            minimum=2,
            maximum=1000,
            ways=(N_("Number", "of bands"),),
            section=N_("Bands by"),
            help=N_("Number of bands on level 1; replaces width and start."),
            usual=(5, 10, 20),
        ),
    )
    spread: str = param(
        "width",
        Choice(
            label=N_("These bands are"),
            options=SPREADS,
            ways=(N_("Number", "of bands"),),
            section=N_("Bands by"),
            help=N_("What the bands have in common."),
        ),
    )
    nice: bool = param(
        True,
        Flag(
            label=N_("Round cuts"),
            ways=(N_("Number", "of bands"),),
            section=N_("Bands by"),
            help=N_("Cuts the bands at round numbers; the number of bands may differ slightly."),
        ),
    )
    merge: tuple[int, ...] = param(
        (),
        Integers(
            label=N_("Merged per level"),
            minimum=2,
            first_level=2,
            unit=N_("bands"),
            help=N_("Number of bands that each higher level merges."),
            usual=((2,), (2, 2)),
        ),
    )
    closed: str = param(
        "left",
        Choice(
            label=N_("A value on a cut goes"),
            options=CLOSED,
            help=N_("Band of a value that is exactly on a cut."),
        ),
    )
    label: str = param(
        "range",
        Choice(
            label=N_("Labels"),
            options=LABELS,
            by_example=True,
            help=N_("A range shows whole numbers; decimal numbers get an interval."),
        ),
    )
    bottom: float | None = optional_number(
        label=N_("Bottom"),
        switch=N_("One group below"),
        section=N_("Outside the range"),
        help=N_(
            "All numbers below this one form one group, and the number itself if values on a "
            "cut go to the lower band."
        ),
    )
    top: float | None = optional_number(
        label=N_("Top"),
        switch=N_("One group from"),
        section=N_("Outside the range"),
        help=N_(
            "All numbers from this one form one group, without the number itself if values on "
            "a cut go to the lower band."
        ),
    )
    snap_bottom: float | None = optional_number(
        label=N_("Whole bands from"),
        switch=N_("Whole bands from"),
        section=N_("Whole bands"),
        is_advanced=True,
        help=N_("Lower numbers, down to bottom or minimum, go to the band of this number."),
    )
    snap_top: float | None = optional_number(
        label=N_("Whole bands up to"),
        switch=N_("Whole bands up to"),
        section=N_("Whole bands"),
        is_advanced=True,
        help=N_("Numbers from this one, up to top or maximum, go to the band before it."),
    )
    minimum: float | None = optional_number(
        label=N_("Minimum"),
        switch=N_("None below"),
        section=N_("Refuse numbers"),
        is_advanced=True,
        help=N_("A lower number is an error."),
    )
    maximum: float | None = optional_number(
        label=N_("Maximum"),
        switch=N_("None above"),
        section=N_("Refuse numbers"),
        is_advanced=True,
        help=N_("A higher number is an error."),
    )

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        if self.cuts is not None and len(self.cuts) < 1:
            raise ParameterError(
                _("Cuts cannot be empty."), hint=_("Give at least one number."), parameter="cuts"
            )
        if self.cuts is not None and self.bands is not None:
            raise ParameterError(
                _("Cuts and Number of bands cannot be used together."),
                hint=_("Use only one of the two."),
                parameter="bands",
            )
        self._check_ends()

    def _check_ends(self) -> None:
        labels = {descriptor.name: descriptor.label for descriptor in describe(type(self))}
        given = [(name, value) for name in ENDS if (value := getattr(self, name)) is not None]
        for (below, low), (above, high) in pairwise(given):
            at_one_end = (below in ENDS[:3]) == (above in ENDS[:3])
            if low > high or (low == high and not at_one_end):
                raise ParameterError(
                    _("{label} {low:g} is not below {label_2} {high:g}.").format(
                        label=labels[below], low=low, label_2=labels[above], high=high
                    ),
                    hint=_("Remove one of them, or move them apart."),
                    parameter=below,
                )
