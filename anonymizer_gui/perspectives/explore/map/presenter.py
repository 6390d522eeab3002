"""Fills the map card: positions, colours, front, limit and marks; turns input into requests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.canvas_presenter import CanvasPresenter
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.lattice.raster import N_RAMP
from anonymizer_gui.perspectives.explore.map.geometry import (
    Axis,
    MapAxis,
    MapLegend,
    MapLimit,
    MapLook,
    MapPoints,
    axis_of,
)
from anonymizer_gui.perspectives.explore.map.panel import MapPanel
from anonymizer_gui.perspectives.explore.map.scores import (
    SUPPRESSED,
    SUPPRESSED_RECORDS,
    MapScore,
    map_scores,
    score_values,
)
from anonymizer_gui.perspectives.explore.node_scores import NodeScores, dimmed
from anonymizer_gui.theming import ramp_classes
from engine.numbers import as_exact_count, as_nodes, as_percent

if TYPE_CHECKING:
    from engine.kernels.arrays import BoolArray, FloatArray

_MOST_AT_ONCE = 100_000  # nodes whose front is computed without a task


class MapPresenter(CanvasPresenter):
    """Presenter of the map; dragging the limit previews a value, releasing it edits the project."""

    def __init__(self, state: ExploreState, panel: MapPanel) -> None:
        super().__init__(state, panel.view)
        self._runner, self._panel = state.session.runner, panel
        self._chosen = {"x": SUPPRESSED, "y": "", "shade": "", "size": ""}
        self._metric = ""
        self._scores: dict[str, MapScore] = {}
        self._values: dict[str, FloatArray] = {}  # last known values, by axis
        self._axes: dict[str, Axis] = {}
        self._shown_keys = ("", "")
        self._n_front = -1
        self._n_placeless = 0
        state.forgotten.connect(self._on_forgotten)
        state.nodes_placed.connect(self._on_nodes_placed)
        for signal in (state.scores_changed, state.details_changed):
            signal.connect(state.in_turn(self._show, panel))
        state.filter_changed.connect(self._on_filter_changed)
        state.marks_changed.connect(state.in_turn(self._show_marks, panel))
        state.settled.connect(lambda _evaluation: self._show_scores())
        for signal in (state.session.parts.requirement_changed, state.session.shown.changed):
            signal.connect(self._show_limit)
        view = panel.view
        view.nodes_framed.connect(state.filter_by_choice)
        view.clear_requested.connect(lambda: state.filter_by_choice(None))
        view.limit_changing.connect(self._on_limit_changing)
        view.limit_changed.connect(self._on_limit_changed)
        view.limit_cancelled.connect(state.session.shown.cancel)
        panel.axis_requested.connect(self._on_axis_requested)
        panel.empty.action_requested.connect(self._on_usual_requested)
        panel.third_requested.connect(self._on_third_requested)
        panel.error_raised.connect(state.session.runner.error_raised)

    # -- updates -------------------------------------------------------------------------------

    def _on_forgotten(self) -> None:
        self._runner.cancel("explore.front")
        self._values, self._axes, self._scores = {}, {}, {}
        self._n_front = -1
        self._panel.view.show_points(None)
        self._panel.show_choice(False)
        self._panel.set_caption("")
        self._panel.show_empty(self.tr("Nodes appear as they are scored."))

    def _on_nodes_placed(self, is_more: bool) -> None:
        if not is_more:
            self._show_scores()

    def _on_filter_changed(self) -> None:
        self._panel.show_choice(self._state.filter.chosen is not None)
        self._show_look()
        self._show_caption()

    def _show_scores(self) -> None:
        """Offer the scores that exist for the requirement."""
        problem, requirement, metric = (
            self._state.problem,
            self._session.shown.requirement,
            self._session.shown.metric,
        )
        if problem is None or requirement is None:
            return
        scores = {score.key: score for score in map_scores(problem, requirement, metric)}
        if list(scores) == list(self._scores):
            return
        self._scores = scores
        for place, usual in (("x", SUPPRESSED), ("y", metric), ("shade", ""), ("size", "")):
            if self._chosen[place] not in scores:
                self._chosen[place] = usual
        self._panel.show_scores([(key, score.title) for key, score in scores.items()], self._chosen)

    def _show(self) -> None:
        """Show everything with the current scores."""
        scores = self._state.scores
        if scores is None or self._state.layout is None:
            return
        self._follow_metric()
        if not self._scores:
            self._show_scores()
        if not scores.scored.any():
            self._panel.show_empty(self.tr("Nodes appear as they are scored."))
            return
        shown = self._show_points(scores)
        self._show_limit()
        self._show_look()
        self._show_front(scores, shown)
        self._show_marks()
        if self._n_front < 0 or not self._session.shown.is_preview:
            self._show_caption()  # a number follows when the knob pauses

    def _follow_metric(self) -> None:
        """Let an axis with the chosen metric follow when another metric is chosen."""
        before, self._metric = self._metric, self._session.shown.metric
        if before == self._metric:
            return
        for place in ("x", "y"):
            if self._chosen[place] in ("", before):
                self._chosen[place] = self._metric
                self._values.pop(place, None)
        self._scores = {}
        self._show_scores()

    # -- points --------------------------------------------------------------------------------

    def _known(self, place: str, scores: NodeScores) -> tuple[FloatArray, bool]:
        """Return the values of an axis, and whether they belong to the current settings."""
        problem, n_nodes = self._state.problem, len(scores.values)
        n_records = 0 if problem is None else problem.n_records
        found = score_values(
            self._chosen[place],
            scores,
            self._state.details,
            self._session.shown.metric,
            n_records,
            self._values.get(place),
        )
        if found is not None:
            self._values[place] = found
            return found, True
        # Previous values stay until new ones are measured; nodes scored since then have none.
        last = self._values.get(place, np.zeros(0))[:n_nodes]
        return np.append(last, np.full(n_nodes - len(last), np.nan)), False

    def _show_points(self, scores: NodeScores) -> dict[str, tuple[FloatArray, bool]]:
        """Show the nodes; return the values of both axes, and whether they belong to the current settings."""
        axes, places, shown = {}, {}, {}
        for place in ("x", "y"):
            score = self._scores[self._chosen[place]]
            shown[place] = values, is_known = self._known(place, scores)
            axis = axis_of(values, score.scale, score.bounds)
            held = self._axes.get(place)
            if axis is not None and held is not None and self._session.shown.is_preview:
                axis = held.extended_by(axis)
            names = score.axis_names(score.scale if axis is None else axis.scale)
            if not is_known:
                full, short = (self.tr("{name}: updating").format(name=name) for name in names)
                names = full, short
            if axis is None:
                axis = Axis(0.0, 1.0)
            elif is_known:
                self._axes[place] = axis
            axes[place] = MapAxis(axis, *names, score.is_share)
            places[place] = axis.places(values)
        points = MapPoints(axes["x"], axes["y"], places["x"], places["y"])
        before = self._panel.view.points
        if before is not None and _is_same(before, points):
            points = replace(points, across=before.across, up=before.up)
        keys = self._chosen["x"], self._chosen["y"]
        self._panel.view.show_points(points, keep_view=keys == self._shown_keys)
        self._shown_keys = keys
        has_place = np.isfinite(points.across) & np.isfinite(points.up)
        self._n_placeless = int(np.count_nonzero(scores.scored & ~has_place))
        why = "" if has_place.any() else self._why_empty(axes)
        self._panel.show_empty(why, has_usual=bool(why) and self._state.details is not None)
        return shown

    def _why_empty(self, axes: dict[str, MapAxis]) -> str:
        lacking = next(
            (self._scores[self._chosen[p]].title for p in ("x", "y") if p not in self._axes),
            self._scores[self._chosen["y"]].title,
        )
        if self._state.details is None:
            return self.tr("Updating {lacking}.").format(lacking=lacking)
        return self.tr("No node has a value for “{lacking}”: choose another one.").format(lacking=lacking)

    def _show_limit(self) -> None:
        requirement, problem = self._session.shown.requirement, self._state.problem
        limit = None
        has_limit = requirement is not None and requirement.sampling is None
        if requirement is not None and has_limit and problem is not None and self._counts_records:
            share = requirement.suppression_limit
            text = self.tr("limit {share}").format(share=as_percent(share))
            values = {SUPPRESSED: share, SUPPRESSED_RECORDS: share * problem.n_records}
            for place in ("y", "x"):
                if self._chosen[place] in values:
                    limit = MapLimit(values[self._chosen[place]], text, is_across=place == "x")
        self._panel.view.show_limit(limit)

    @property
    def _counts_records(self) -> bool:
        """True if the suppression limit is a number of records, which is a line on the map."""
        from engine.privacy.limit import limits_persons

        requirement, problem = self._session.shown.requirement, self._state.problem
        return requirement is None or problem is None or not limits_persons(problem, requirement)

    # -- colours and sizes ---------------------------------------------------------------------

    def _show_look(self) -> None:
        scores, points = self._state.scores, self._panel.view.points
        if scores is None or points is None or len(points.across) != len(scores.values):
            return
        classes, legend = self._shaded(scores)
        sizes, size_text = self._sized(scores)
        passing = self._state.passing
        legend = replace(legend, size=size_text)
        look = MapLook(dimmed(classes, passing), lambda: scores.ranks, passing, sizes, legend)
        self._panel.view.show_look(look)

    def _shaded(self, scores: NodeScores) -> tuple[NDArray[np.uint8], MapLegend]:
        """Return colours by a third score, those of the lattice if none is chosen."""
        score = self._scores.get(self._chosen["shade"])
        if score is None:
            return scores.classes, MapLegend()
        values, is_known = self._known("shade", scores)
        costs = score.costs(values)
        chosen = np.flatnonzero(scores.satisfies & np.isfinite(costs))
        name = score.title if is_known else self.tr("{title}: updating").format(title=score.title)
        if not len(chosen):
            return scores.classes, MapLegend(shade=name)
        best, worst = float(costs[chosen].min()), float(costs[chosen].max())
        classes = scores.classes.copy()
        classes[scores.satisfies] = N_RAMP - 1
        classes[chosen] = ramp_classes(costs[chosen], best, worst)
        sign = 1 if score.smaller_is_better else -1
        return classes, MapLegend(name, (score.text(sign * best), score.text(sign * worst)))

    def _sized(self, scores: NodeScores) -> tuple[FloatArray | None, str]:
        """Return sizes by a third score, and their meaning."""
        score = self._scores.get(self._chosen["size"])
        if score is None:
            return None, ""
        values, is_known = self._known("size", scores)
        axis = axis_of(values, score.scale, score.bounds)
        if axis is None:
            return None, self.tr("Size: {title}: updating").format(title=score.title)
        known = values[np.isfinite(values)]
        low, high = score.text(float(known.min())), score.text(float(known.max()))
        words = (
            self.tr("Size: {title}, {low} to {high}")
            if is_known
            else self.tr("Size: {title}, {low} to {high}: updating")
        )
        return np.clip(axis.places(values), 0.0, 1.0), words.format(title=score.title, low=low, high=high)

    # -- front ---------------------------------------------------------------------------------

    def _show_front(self, scores: NodeScores, shown: dict[str, tuple[FloatArray, bool]]) -> None:
        """Find the Pareto-optimal nodes for both scores; for many nodes, once the settings are settled.

        `shown` are the values that `_show_points` returned.
        """
        self._runner.cancel("explore.front")
        costs = []
        for place in ("x", "y"):
            values, is_known = shown[place]
            if not is_known:
                self._set_front(None)
                return
            costs.append(self._scores[self._chosen[place]].costs(values))
        shows_limit = {self._chosen["x"], self._chosen["y"]} & {SUPPRESSED, SUPPRESSED_RECORDS}
        shows_limit = shows_limit if self._counts_records else set()
        # With the limit on an axis, better nodes beyond it belong to the front.
        among = scores.scored & scores.is_known if shows_limit else scores.satisfies
        if len(among) <= _MOST_AT_ONCE:
            self._set_front(_front(costs[0], costs[1], among))
            return
        self._set_front(None)
        if not self._session.shown.is_preview:
            self._runner.run(_front, *costs, among, then=self._on_front_found, key="explore.front")

    def _on_front_found(self, front: NDArray[np.int64]) -> None:
        self._set_front(front)
        self._show_caption()

    def _set_front(self, front: NDArray[np.int64] | None) -> None:
        """Draw a front; None while it is being computed."""
        self._n_front = -1 if front is None else len(front)
        self._panel.view.show_front(np.zeros(0, dtype=np.int64) if front is None else front)

    def _show_caption(self) -> None:
        scores = self._state.scores
        if scores is None or self._panel.view.points is None:
            return
        chosen = self._state.filter.chosen
        parts = []
        if chosen is not None:
            parts.append(self.tr("{chosen} framed").format(chosen=as_nodes(int(np.count_nonzero(chosen)))))
        if self._n_front < 0:
            parts.append(self.tr("updating"))
        elif self._n_front:
            parts.append(self.tr("Pareto front: {n_front}").format(n_front=as_nodes(self._n_front)))
        elif not scores.n_satisfying:
            parts.append(self.tr("no node satisfies"))
        if self._n_placeless:
            parts.append(
                self.tr("{n_placeless} without a value").format(n_placeless=as_exact_count(self._n_placeless))
            )
        if scores.is_part:
            parts.append(self.tr("of {n} scored").format(n=as_nodes(len(scores.values))))
        self._panel.set_caption(" · ".join(parts))

    # -- marks and requests --------------------------------------------------------------------

    def _on_scores_rested(self) -> None:
        super()._on_scores_rested()
        if self._session.shown.is_preview and self._state.nodes is not None:
            self._show_caption()

    def _details(self, number: int) -> str:
        """Return the description of a node, with displayed scores that it lacks."""
        lines = []
        for place in self._chosen:
            score, values = self._scores.get(self._chosen[place]), self._values.get(place)
            if score is None or score.key in (SUPPRESSED, SUPPRESSED_RECORDS, self._metric) or values is None:
                continue
            if number < len(values) and np.isfinite(values[number]):
                lines.append(f"{score.title}: {score.text(float(values[number]))}")
        words = super()._details(number)
        return "\n".join([words, "", *dict.fromkeys(lines)]) if lines else words

    def _on_usual_requested(self) -> None:
        """Show suppression and the minimized metric, which every node has."""
        for place, key in (("x", SUPPRESSED), ("y", self._metric)):
            self._on_axis_requested(place, key)
        titles = [(key, score.title) for key, score in self._scores.items()]
        self._panel.show_scores(titles, self._chosen)
        self._panel.view.setFocus()

    def _on_axis_requested(self, place: str, key: str) -> None:
        if key != self._chosen[place]:
            self._chosen[place] = key
            self._values.pop(place, None)
            self._axes.pop(place, None)
            self._show()

    def _on_third_requested(self, use: str, key: str) -> None:
        self._chosen[use] = key
        self._values.pop(use, None)
        self._show_look()

    def _share(self, value: float) -> float:
        """Return a dragged limit rounded to a fraction a user would type."""
        problem = self._state.problem
        is_share = SUPPRESSED in (self._chosen["x"], self._chosen["y"])
        share = value if is_share or problem is None else value / max(problem.n_records, 1)
        return min(max(round(share, 4 if share < 0.01 else 3), 0.0), 1.0)

    def _on_limit_changing(self, value: float) -> None:
        project = self._session.project
        if project is None:
            return
        requirement = replace(project.requirement, suppression_limit=self._share(value))
        if requirement == project.requirement:
            self._session.shown.cancel()  # dragged back to the start
        else:
            self._session.shown.preview(requirement)

    def _on_limit_changed(self, value: float) -> None:
        project = self._session.project
        if project is None:
            return
        share = self._share(value)
        after = replace(project, requirement=replace(project.requirement, suppression_limit=share))
        text = self.tr("Set Suppression to {share}").format(share=as_percent(share))
        self._session.edit(text, after, knob="suppression")


def _front(across: FloatArray, up: FloatArray, among: BoolArray) -> NDArray[np.int64]:
    """Return the nodes on the front of two costs, in the order of the first score."""
    from engine.scoring.optimum import pareto_front

    nodes = np.flatnonzero(pareto_front(across, up, among))
    return nodes[np.lexsort((up[nodes], across[nodes]))]


def _is_same(one: MapPoints, other: MapPoints) -> bool:
    return np.array_equal(one.across, other.across, equal_nan=True) and np.array_equal(
        one.up, other.up, equal_nan=True
    )
