"""Values of the further pages: estimates of uniqueness, HIPAA identifiers, and suppressed records."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log10
from typing import TYPE_CHECKING

from anonymizer_gui.models.measured_text import limit_text
from anonymizer_gui.perspectives.risk.fractions_chart import FractionCurves
from anonymizer_gui.perspectives.risk.population_page import Setting
from anonymizer_gui.widgets.texts_table import Cell, Heading
from engine.numbers import DASH, as_exact_count, as_percent, as_risk, as_risk_limit
from engine.words import N_, _, ngettext

if TYPE_CHECKING:
    from engine.assessment import Subject
    from engine.assessment.risk.population_uniqueness import PopulationUniquenessFound, UniquenessPoint

# Short texts for segments; the engine's titles are for reports.
ESTIMATORS = (
    ("dankar", N_("Dankar's rule")),
    ("pitman", N_("Pitman")),
    ("zayatz", N_("Zayatz")),
    ("snb", "SNB"),
)
Listed = tuple[Sequence[Heading], Sequence[Sequence[Cell]]]


def fraction_curves(found: PopulationUniquenessFound, estimator: str) -> FractionCurves:
    """Return the estimates of one estimator over all fractions."""
    return FractionCurves(
        tuple(point.fraction for point in found.points),
        tuple(point.share_before(estimator) for point in found.points),
        tuple(point.share_after(estimator) for point in found.points),
        None if found.own is None else found.own.fraction,
    )


def uniqueness_rows(found: PopulationUniquenessFound) -> Listed:
    """Return every estimate, including those for the project's own fraction."""
    headings = [
        Heading(_("Sampling fraction"), True, _("Records divided by population size")),
        Heading(_("People"), True, _("Corresponding population size")),
    ]
    for _unused, title in ESTIMATORS:
        headings += [
            Heading(
                _("{estimator}, input").format(estimator=_(title)),
                True,
                _("Estimated share of the population that is unique, {title}").format(title=_(title)),
            ),
            Heading(_("release"), True, _("The same, from the kept records of the release")),
        ]
    points = [(point, False) for point in found.points]
    if found.own is not None:
        points = sorted([*points, (found.own, True)], key=lambda pair: (pair[0].fraction, pair[1]))
    least = min((point.fraction for point, _is_own in points if point.fraction), default=1.0)
    decimals = min(max(ceil(-log10(100 * least) - 1e-9), 2), _MOST_DECIMALS)
    return headings, [_estimates(point, decimals, is_own=is_own) for point, is_own in points]


def _estimates(point: UniquenessPoint, decimals: int, *, is_own: bool) -> list[Cell]:
    """Return one line; `decimals` are those of the sampling fractions in percent."""
    tone = "accent_text" if is_own else "text"
    hint = _("The sampling fraction of this project") if is_own else ""
    cells = [
        Cell(as_percent(point.fraction, decimals, keep_zeros=True), hint, tone, is_own),
        Cell(as_exact_count(point.population), hint, tone, is_own),
    ]
    for key, _unused in ESTIMATORS:
        sides = ((point.share_before(key), point.before), (point.share_after(key), point.after))
        for share, estimates in sides:
            reason = estimates[key].reason if key in estimates else _("No record is kept")
            text = DASH if share is None else as_risk(share)
            exact = reason if share is None else as_percent(share, _MOST_DECIMALS)
            cells.append(Cell(text, exact, "text_3" if share is None else tone))
    return cells


_MOST_DECIMALS = 6  # of tiny shares in percent


def settings_of(subject: Subject, threshold: float) -> tuple[Setting, ...]:
    """Return the settings of the release that affect the values."""
    project, release = subject.project, subject.release
    people = release.problem.people
    population, fraction = _("unknown; this table is used instead"), DASH
    if people is not None:
        n_people = round(people.size)
        population = ngettext("{n} person", "{n} people", n_people).format(n=as_exact_count(n_people))
        if project.population is not None and project.population.table is not None:
            population += _(", known person by person")
        fraction = as_percent(subject.n_people / people.size)
    released = _("all {n} records").format(n=as_exact_count(subject.n_records))
    if project.subset is not None:
        n_all = as_exact_count(project.table.n_records)
        words = _("{n_records} of {n_all} records, a subset")
        if project.subset.draw is not None:
            words = _("{n_records} of {n_all} records, drawn at random")
        released = words.format(n_records=as_exact_count(subject.n_records), n_all=n_all)
    models = ", ".join(f"{model.symbol} = {limit_text(model)}" for model in release.requirement.models)
    return (
        Setting(
            "people",
            _("Population"),
            population,
            _("The people a journalist searches, and for whom uniqueness is estimated: a number or a table."),
            _("Change…"),
        ),
        Setting(
            "",
            _("Sampling fraction"),
            fraction,
            _("{many} of the table divided by the population size.").format(
                many=subject.counted.many.capitalize()
            ),
        ),
        Setting(
            "subset",
            _("Records released"),
            released,
            _("If only a subset is released, the whole table is the population."),
            _("Change…"),
        ),
        Setting(
            "threshold",
            _("Accepted risk"),
            as_risk_limit(threshold),
            _(
                "The accepted risk. 20 % is common in health research (El Emam and Dankar 2008), 9 % "
                "for public data (European Medicines Agency 2016)."
            ),
            _("Change"),
        ),
        Setting(
            "requirement",
            _("Requirement"),
            models or _("none"),
            release.requirement.sampling.covers
            if release.requirement.sampling is not None
            else _(
                "The requirement of the release, with at most {suppression_limit} of the {words} suppressed."
            ).format(
                suppression_limit=as_risk_limit(release.requirement.suppression_limit),
                words=_("people losing a record") if release.losses.are_people else _("records suppressed"),
            ),
            _("Configure"),
        ),
    )
