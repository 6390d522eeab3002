"""Description of a node for hover cards and screen readers: status, loss, model values, levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_scores import EXPECTED_KEPT, Details, NodeScores
from anonymizer_gui.widgets.marks import Mark
from engine.numbers import as_exact_count, as_percent, as_vector
from engine.privacy.measured_text import figure_text, limit_text
from engine.words import _, english, ngettext

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.privacy import PrivacyModel, Requirement


_MOST_ATTRIBUTES = 12  # limit for one line per attribute
_SEPARATOR = " · "


def node_text(
    node: Node,
    name: str,
    problem: Problem,
    words: LevelWords,
    metric: str,
    scores: NodeScores | None = None,
    requirement: Requirement | None = None,
    details: Details | None = None,
) -> str:
    """Return several lines: name, status, values, after an empty line the levels, at the end the vector.

    Parameters
    ----------
    name : str
        Its name among the other nodes.
    words : LevelWords
        Descriptions for the same problem.
    metric : str
        Key of the chosen metric.
    scores : NodeScores, optional
        Without scores of the node, the text says that it is not scored yet.
    requirement : Requirement, optional
        Requirement of the scores.
    details : dict of str to ndarray, optional
        Values of models over the kept records, by the names of `engine.scoring.nodes.kept`.
    """
    number = None if scores is None else scores.scored_number(node)
    lines = [name]
    if scores is None or number is None:
        lines.append(_status_words()[Mark.NOT_SCORED])
    else:
        lines.append(_status_line(number, scores, metric))
        lines.append(_suppressed_line(number, scores, problem, requirement))
        if details is not None and EXPECTED_KEPT in details:
            lines.append(_expected_line(float(details[EXPECTED_KEPT][number])))
        if requirement is not None and details is not None:
            lines += _model_lines(number, problem, requirement, details)
    return "\n".join([*lines, "", *_level_lines(node, words), as_vector(node)])


def mark_of(text: str) -> Mark | None:
    """Return the status in a text of `node_text`; None for other texts."""
    lines = text.split("\n", 2)
    status = lines[1].split(_SEPARATOR)[0] if len(lines) > 1 else ""
    return next((mark for mark, words in _status_words().items() if words == status), None)


def _status_words() -> dict[Mark, str]:
    return {
        Mark.SATISFIES: _("Satisfies"),
        Mark.FAILS: _("Fails"),
        Mark.NOT_SCORED: _("Not scored yet"),
    }


def _status_line(number: int, scores: NodeScores, metric: str) -> str:
    status = _status_words()[Mark.SATISFIES if scores.satisfies[number] else Mark.FAILS]
    line = [status, f"{metric_name(metric)} {metric_text(metric)(float(scores.values[number]))}"]
    if rank := int(scores.ranks[number]):
        rank_text, of_all = as_exact_count(rank), as_exact_count(scores.n_satisfying)
        line.append(_("rank {rank_text} of {of_all}").format(rank_text=rank_text, of_all=of_all))
    return _SEPARATOR.join(line)


def _expected_line(share: float) -> str:
    return _("{share} of the whole table expected to be kept").format(share=as_percent(share))


def _suppressed_line(
    number: int, scores: NodeScores, problem: Problem, requirement: Requirement | None
) -> str:
    from engine.privacy.limit import limits_persons

    suppressed = int(scores.suppressed[number])
    parts = [as_percent(suppressed / max(problem.n_records, 1))]
    if requirement is not None and requirement.sampling is not None:
        parts.append(_("of the drawn"))
    elif requirement is not None:
        limit = as_percent(requirement.suppression_limit)
        if limits_persons(problem, requirement):
            limit = _("{limit} of the people").format(limit=limit)
        is_within = bool(scores.within[number])
        parts.append(
            (_("limit {limit}") if is_within else _("above the limit of {limit}")).format(limit=limit)
        )
    records = ngettext("{n} record suppressed", "{n} records suppressed", suppressed)
    return f"{records.format(n=as_exact_count(suppressed))} ({', '.join(parts)})"


def _model_lines(number: int, problem: Problem, requirement: Requirement, details: Details) -> list[str]:
    """Return the values of the required models over the kept classes, with their thresholds."""
    from engine.privacy import Relation
    from engine.scoring.nodes.kept import figure_models

    within = {
        Relation.AT_LEAST: _("at least {limit}"),
        Relation.AT_MOST: _("at most {limit}"),
        Relation.BELOW: _("below {limit}"),
    }
    if not details["classes"][number] > 0:
        return [_("No record is kept")]
    lines, named = [], figure_models(problem, requirement)
    for model in requirement.models:
        name = figure_name(model, named)
        if name is None:
            continue
        value = float(details[name][number])
        measured = figure_text(type(model), value, 3) if value == value else _("no value")
        bound = within[model.relation].format(limit=limit_text(model))
        title = _("{symbol} of {columns}").format(symbol=model.symbol, columns=", ".join(model.columns))
        lines.append(f"{title if model.columns else model.symbol} {measured} ({bound})")
    return lines


def figure_name(model: PrivacyModel, named: dict[str, PrivacyModel]) -> str | None:
    """Return the name of a model's value among those of nodes; None if it is slow."""
    from engine.privacy.k_anonymity import KAnonymity

    if isinstance(model, KAnonymity):
        return "k"
    same = (name for name, other in named.items() if other == model)
    usual = ".".join((english(model, "symbol"), *model.columns))
    return next(same, usual if type(named.get(usual)) is type(model) else None)


def _level_lines(node: Node, words: LevelWords) -> list[str]:
    """Return a line per generalized attribute, then those that are unchanged."""
    described = list(zip(words.node(node), node, strict=True))
    changed = [f"{name}: {text}" for (name, text), level in described if level]
    kept = [name for (name, _text), level in described if not level]
    if len(changed) > _MOST_ATTRIBUTES:
        n_more = len(changed) - _MOST_ATTRIBUTES + 1
        changed = [*changed[: _MOST_ATTRIBUTES - 1], _("{n_more} more are generalized").format(n_more=n_more)]
    if len(kept) > _MOST_ATTRIBUTES:
        n_more = len(kept) - _MOST_ATTRIBUTES + 1
        kept = [*kept[: _MOST_ATTRIBUTES - 1], _("{n_more} more").format(n_more=n_more)]
    if kept:
        changed.append(_("Unchanged: {kept}").format(kept=", ".join(kept)))
    return changed
