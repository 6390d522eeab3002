"""Scores available on the map: names, formats, direction and values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.map.geometry import Scale
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text, metric_title
from anonymizer_gui.perspectives.explore.node_scores import EXPECTED_KEPT, Details, NodeScores
from engine.frequency.counted import RECORDS, Noun, either
from engine.numbers import as_count, as_percent, as_significant
from engine.privacy.highest_risk import TITLE, HighestRisk
from engine.privacy.measured_text import is_share
from engine.words import _, english, within_sentence

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.privacy import PrivacyModel, Requirement

FloatArray = NDArray[np.float64]
SUPPRESSED, SUPPRESSED_RECORDS, SUM = "suppressed", "suppressed records", "sum of levels"
_RISK, _AVERAGE_RISK = english(HighestRisk, "title"), "average risk"


@dataclass(frozen=True)
class MapScore:
    """One score.

    Attributes
    ----------
    key : str
        Key of the metric, a name of `node_figures`, or a key of this module.
    title : str
        For a list of scores.
    name : str
        For the name of an axis, followed by its unit.
    text : callable
        Formats a value.
    is_share : bool
        Whether values are formatted as percent.
    """

    key: str
    title: str
    name: str
    unit: str
    text: Callable[[float], str]
    scale: Scale = Scale.LINEAR
    smaller_is_better: bool = True
    bounds: tuple[float, float] | None = None
    is_share: bool = False

    def axis_names(self, scale: Scale) -> tuple[str, str]:
        """Return the name with its unit, and its scale unless linear, in full and in short."""
        name = f"{self.name}, {self.unit}" if self.unit else self.name
        if scale is Scale.ROOT:
            return _("{name} (square-root scale)").format(name=name), _("{name} (root scale)").format(
                name=self.name
            )
        if scale is Scale.LOG:
            return _("{name} (logarithmic scale)").format(name=name), _("{name} (log scale)").format(
                name=name
            )
        return name, self.name

    def costs(self, values: FloatArray) -> FloatArray:
        """Return values such that smaller is better."""
        return values if self.smaller_is_better else -values


def map_scores(problem: Problem, requirement: Requirement, metric: str) -> list[MapScore]:
    """Return every score of the nodes of a problem; of the slow metrics only the chosen one."""
    from engine.scoring.nodes.kept import figure_models
    from engine.utility import utility_metrics

    keys = [key for key, member in utility_metrics.items() if key == metric or not member.costly]
    keys.sort(key=lambda key: key != metric)
    share = partial(MapScore, unit="", text=as_percent, scale=Scale.ROOT, bounds=(0.0, 1.0), is_share=True)
    count = partial(MapScore, text=as_count, scale=Scale.LOG, smaller_is_better=False)
    records, classes, counted = _("records"), _("number"), problem.counted
    # People in several classes have no class values; a model that needs them is measured.
    average = [share(_AVERAGE_RISK, _("Average risk"), _("average risk of kept records"))]
    average = average if counted is RECORDS else []
    return [
        share(SUPPRESSED, _("Suppressed"), _("suppressed records")),
        MapScore(
            SUPPRESSED_RECORDS,
            _("Suppressed records"),
            _("suppressed"),
            records,
            as_count,
            Scale.ROOT,
            bounds=(0.0, float(max(problem.n_records, 1))),
        ),
        *(_metric_score(key) for key in keys),
        count("k", _("Smallest class (k)"), _("smallest kept class (k)"), counted.many),
        count("classes", _("Classes"), _("kept classes"), classes),
        share(
            _RISK,
            _(TITLE),
            either(counted, _("highest risk of a kept record"), _("highest risk of a kept person")),
        ),
        *average,
        *(_model_score(name, model, counted) for name, model in figure_models(problem, requirement).items()),
        count(_("all k"), _("k before suppression"), _("smallest class before suppression"), counted.many),
        count(_("all classes"), _("Classes before suppression"), _("classes before suppression"), classes),
        *_expected(requirement),
        MapScore(SUM, _("Sum of levels"), _("sum of levels"), _("generalization steps"), as_count),
    ]


def _expected(requirement: Requirement) -> list[MapScore]:
    """Return the expected kept records of the whole table, if records are drawn."""
    if requirement.sampling is None:
        return []
    return [
        MapScore(
            EXPECTED_KEPT,
            _("Expected kept"),
            _("records of the whole table expected to be kept"),
            "",
            as_percent,
            smaller_is_better=False,
            bounds=(0.0, 1.0),
            is_share=True,
        )
    ]


def score_values(
    key: str,
    scores: NodeScores,
    details: Details | None,
    metric: str,
    n_records: int,
    last: FloatArray | None = None,
) -> FloatArray | None:
    """Return values by index, nan for nodes without one; None while they are being measured.

    A node whose values are unknown keeps its value in `last`, but suppresses more than the limit.
    """
    suppressed = np.where(scores.scored, scores.suppressed, np.nan)
    if scores.are_known or last is None or len(last) != len(suppressed):
        last = None
    if key in (SUPPRESSED, SUPPRESSED_RECORDS):
        found = suppressed / max(n_records, 1) if key == SUPPRESSED else suppressed
        return np.asarray(found) if last is None else np.where(scores.is_known, found, np.fmax(last, found))
    if key == SUM:
        return np.where(scores.scored, scores.lattice.sums.astype(np.float64), np.nan)
    if key == metric:
        return scores.values if last is None else np.where(scores.is_known, scores.values, last)
    if details is None:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        if key == _RISK:
            return np.asarray(1.0 / details["k"])
        if key == _AVERAGE_RISK:
            kept = n_records - suppressed
            return np.where(kept > 0, details["classes"] / kept, np.nan)
    return details.get(key)


def _metric_score(key: str) -> MapScore:
    from engine.utility import utility_metrics

    unit = _(utility_metrics[key].unit) or (_("multiples of k") if key == "c_avg" else _("0 to 1"))
    is_wide = bool(utility_metrics[key].unit) or key == "c_avg"
    name = within_sentence(metric_title(key)) if key != "kl_divergence" else metric_name(key)
    scale = Scale.LOG if is_wide else Scale.LINEAR
    return MapScore(key, metric_title(key), name, unit, metric_text(key), scale)


def _model_score(name: str, model: PrivacyModel, counted: Noun) -> MapScore:
    from engine.privacy import Relation

    columns = ", ".join(model.columns)
    short = f"{model.symbol} ({columns})" if columns else model.symbol
    title = counted.worded(model, "title")
    return MapScore(
        name,
        short,
        f"{title}, {short}" if columns else f"{title}, {model.symbol}",
        "",
        as_percent if is_share(type(model)) else as_significant,
        smaller_is_better=model.relation is not Relation.AT_LEAST,
        is_share=is_share(type(model)),
    )
