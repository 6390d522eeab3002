"""Columns of the list of nodes, and their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.models.node_columns import Kind, NodeColumn, NodeTable
from anonymizer_gui.models.node_name import short_names
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text, metric_title
from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores, more_than
from engine.frequency.counted import RECORDS
from engine.numbers import DASH, as_exact_count, as_percent
from engine.privacy.measured_text import figure_text, is_share
from engine.words import _, english

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.kernels.arrays import BoolArray
    from engine.privacy import PrivacyModel, Requirement

FloatArray = NDArray[np.float64]
MOST_LEVEL_COLUMNS = 24  # more quasi-identifiers have one column together
AFTER_MODELS, SHARE_SUPPRESSED = "classes", "suppressed %"  # keys of columns
USUAL_METRICS = ("loss", "aecs", "precision", "discernibility")  # in addition to the chosen one


def node_table(
    scores: NodeScores,
    problem: Problem,
    requirement: Requirement,
    details: Details | None,
    metric: str,
    listed: BoolArray,
    reasons: Mapping[int, str] | None = None,
) -> NodeTable:
    """Return the scores of all nodes as columns; without details, the slow columns are empty.

    Parameters
    ----------
    scores, problem, requirement, details, metric
        Those displayed.
    listed : ndarray of bool, shape (n_nodes,)
        Nodes with a row.
    reasons : mapping of int to str, optional
        Why nodes are on the short list, by index; adds a column.
    """
    columns = [
        *_first(scores, problem, metric, reasons),
        *_of_models(problem, requirement, details),
        *_of_metrics(details, metric),
        *_of_lattice(scores, problem, details),
        *_before_suppression(problem, details),
    ]
    return NodeTable(
        levels=scores.lattice.levels,
        heights=tuple(attribute.hierarchy.height for attribute in problem.attributes),
        optimum=None if scores.optimum is None else scores.lattice.node(scores.optimum),
        satisfies=scores.satisfies,
        colours=scores.classes,
        columns=columns,
        listed=listed & scores.scored,
        shares=np.clip(np.nan_to_num(_share_of_range(scores)), 0.0, 1.0),
    )


def file_columns(table: NodeTable, problem: Problem) -> list[NodeColumn]:
    """Return the columns of a node file, those of `anonymizer lattice` first and in its order."""
    from engine.utility.base import LATTICE_METRICS

    sensitive = [f"all {symbol}.{a.name}" for a in problem.sensitive for symbol in ("l", "t")]
    first = [f"level.{name}" for name in problem.names]
    first += [
        "all classes",
        "all k",
        *sensitive,
        "suppressed",
        "classes",
        "k",
        "mark",
        "group_held",
        *LATTICE_METRICS,
    ]
    known = {column.key: column for column in table.columns if column.kind is not Kind.LEVELS}
    rest = [key for key in known if key not in first and key != "suppressed %"]
    return [known[key] for key in (*first, *rest) if key in known]


def _first(
    scores: NodeScores, problem: Problem, key: str, reasons: Mapping[int, str] | None
) -> Iterator[NodeColumn]:
    names = problem.names
    yield NodeColumn("rank", _("Rank"), Kind.RANK, scores.ranks, tooltip=_("Rank among satisfying nodes"))
    yield NodeColumn(
        "mark",
        "",
        Kind.MARK,
        scores.satisfies,
        tooltip=_("Status"),
        file_name="satisfies",
        has_filter=False,
    )
    is_wide = len(names) > MOST_LEVEL_COLUMNS
    yield NodeColumn("levels", _("Levels"), Kind.LEVELS, tooltip=", ".join(names), is_usual=is_wide)
    for q, (name, short) in enumerate(zip(names, short_names(names), strict=True)):
        yield NodeColumn(
            f"level.{name}",
            short,
            Kind.LEVEL,
            scores.lattice.levels[:, q],
            tooltip=_("Level of {name}").format(name=name),
            is_usual=not is_wide,
        )
    if reasons is not None:
        yield _reasons(reasons, scores.lattice.n_nodes)
    name, title = _sentence(metric_name(key)), metric_title(key)
    yield NodeColumn(key, name, Kind.VALUE, scores.values, metric_text(key), title)
    counts = scores.suppressed if scores.are_known else np.where(scores.is_known, scores.suppressed, np.nan)
    yield NodeColumn(
        "suppressed",
        _("Suppressed"),
        Kind.COUNT,
        counts,
        tooltip=_("Suppressed records"),
        missing=more_than(as_exact_count(scores.allowed)),
        short=_("suppr."),
    )
    n_records = max(problem.n_records, 1)
    yield NodeColumn(
        SHARE_SUPPRESSED,
        "%",
        Kind.PERCENT,
        counts / n_records,
        tooltip=_("Suppressed records as a share of all"),
        missing=more_than(as_percent(scores.allowed / n_records)),
    )


def _reasons(reasons: Mapping[int, str], n_nodes: int) -> NodeColumn:
    texts = list(dict.fromkeys(reasons.values()))
    places = {text: place for place, text in enumerate(texts)}
    values = np.full(n_nodes, np.nan)
    for number, reason in reasons.items():
        values[number] = places[reason]
    return NodeColumn(
        "why",
        _("Short-listed as"),
        Kind.TEXT,
        values,
        lambda place: texts[int(place)],
        _("Why the node is on the short list"),
        has_filter=False,
    )


def _of_models(problem: Problem, requirement: Requirement, details: Details | None) -> Iterator[NodeColumn]:
    """Yield the columns of model values, starting with l and t of every sensitive column."""
    from engine.scoring.nodes.kept import figure_models

    words = _size_words(problem, _("Smallest kept class"))
    yield NodeColumn("k", "k", Kind.COUNT, _of(details, "k"), tooltip=words, file_name="kept_k")
    for key, model in figure_models(problem, requirement).items():
        yield _model_column(key, model, problem, details)
    yield NodeColumn(
        AFTER_MODELS,
        _("Classes"),
        Kind.COUNT,
        _of(details, "classes"),
        tooltip=_("Kept classes"),
        file_name="kept_classes",
    )


def _model_column(
    key: str, model: PrivacyModel, problem: Problem, details: Details | None, *, of_all: bool = False
) -> NodeColumn:
    from engine.params import Integer

    threshold = model.threshold_parameter()
    is_integer = isinstance(threshold, Integer)
    is_only = len(problem.sensitive) == 1 and bool(model.columns)
    symbol = english(model, "symbol")
    title = model.symbol + key.removeprefix(".".join((symbol, *model.columns)) if is_only else symbol)
    columns, short = [attribute.name for attribute in problem.sensitive], title
    for column, shortened in zip(columns, short_names(columns), strict=True):
        short = short.replace(column, shortened)
    name = problem.counted.worded(model, "title")
    words = ", ".join((name, *model.columns, *map(_, filter(None, (getattr(model, "distance", ""),)))))
    words = ", ".join(filter(None, (words, model.details)))
    where = (
        _("{words}, over all classes before suppression") if of_all else _("{words}, of the worst kept class")
    )
    if model.is_table_wide:
        where = _("{words}, of the kept classes")
    return NodeColumn(
        f"all {key}" if of_all else key,
        _("{title} over all classes").format(title=title) if of_all else title,
        Kind.COUNT if is_integer else Kind.PERCENT if is_share(type(model)) else Kind.NUMBER,
        _of(details, f"all {key}" if of_all else key),
        None if is_integer else partial(figure_text, type(model), decimals=3),
        where.format(words=words),
        key if of_all else f"kept_{key.replace(' ', '_')}",
        is_usual=not of_all,
        short="" if of_all else short,
    )


def _size_words(problem: Problem, words: str) -> str:
    """Return the unit of a class size, if it is not records."""
    counted = problem.counted
    return words if counted is RECORDS else f"{words}, {counted.many}"


def _of_metrics(details: Details | None, chosen: str) -> Iterator[NodeColumn]:
    from engine.utility import utility_metrics

    keys = [key for key, member in utility_metrics.items() if key != chosen and not member.costly]
    keys.sort(key=lambda key: USUAL_METRICS.index(key) if key in USUAL_METRICS else len(USUAL_METRICS))
    for key in keys:
        values, title = _of(details, key), metric_title(key)
        yield NodeColumn(key, metric_name(key), Kind.NUMBER, values, metric_text(key), title)


def _of_lattice(scores: NodeScores, problem: Problem, details: Details | None) -> Iterator[NodeColumn]:
    """Yield the columns that compare a node with the others."""
    lattice, minimal = scores.lattice, _of(details, "minimal")
    yield NodeColumn(
        "sum", _("Sum"), Kind.COUNT, lattice.sums, tooltip=_("Sum of levels: the row in the lattice")
    )
    yield NodeColumn(
        "minimal",
        _("Minimal"),
        Kind.NUMBER,
        None if minimal is None else minimal > 0,
        _yes_or_dash,
        _("Satisfies, and no predecessor does"),
        has_filter=False,
    )


def _before_suppression(problem: Problem, details: Details | None) -> Iterator[NodeColumn]:
    from engine.privacy.distinct_l_diversity import DistinctLDiversity
    from engine.privacy.t_closeness import TCloseness

    yield NodeColumn(
        "all classes",
        _("All classes"),
        Kind.COUNT,
        _of(details, "all classes"),
        tooltip=_("Classes before suppression"),
        file_name="classes",
        is_usual=False,
    )
    yield NodeColumn(
        "all k",
        _("k over all classes"),
        Kind.COUNT,
        _of(details, "all k"),
        tooltip=_size_words(problem, _("Smallest class before suppression")),
        file_name="k",
        is_usual=False,
    )
    for attribute in problem.sensitive:
        name = attribute.name
        models: tuple[tuple[str, PrivacyModel], ...] = (
            (f"l.{name}", DistinctLDiversity(name)),
            (f"t.{name}", TCloseness(name)),
        )
        for key, model in models:
            yield _model_column(key, model, problem, details, of_all=True)


def _of(details: Details | None, key: str) -> FloatArray | None:
    return None if details is None else details.get(key)


def _share_of_range(scores: NodeScores) -> FloatArray:
    """Return the length of the bars: from zero to twice the optimum, or to the worst satisfying node."""
    best = 0.0 if scores.optimum is None else float(scores.values[scores.optimum])
    worst = 0.0 if scores.ends is None else scores.ends[1]
    full = 2 * best if best > 0 else worst
    return np.asarray(scores.values / full) if full > 0 else np.zeros(len(scores.values))


def _yes_or_dash(value: float) -> str:
    return _("yes") if value else DASH


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
