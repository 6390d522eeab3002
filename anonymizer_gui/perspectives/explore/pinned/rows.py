"""Rows of the table of pinned nodes and applied releases, and of their comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, nan
from typing import TYPE_CHECKING

from anonymizer_gui.models.node_name import LevelWords, NamedNode, node_name
from anonymizer_gui.perspectives.explore.metric_text import (
    metric_change,
    metric_name,
    metric_text,
    metric_title,
)
from anonymizer_gui.tables.rows_model import Cell, Heading
from engine.frequency.counted import RECORDS, Noun
from engine.numbers import (
    DASH,
    as_change,
    as_count,
    as_decimal,
    as_exact_count,
    as_percent,
    as_saved_moment,
    with_unit,
)
from engine.privacy import Relation, Requirement
from engine.privacy.measured_text import is_count, is_share, limit_text, titled, value_text
from engine.project.pins_and_runs import Choice, Pin, Run
from engine.words import N_, _, ngettext

if TYPE_CHECKING:
    from engine.privacy.values import MeasuredModel
    from engine.project import Project
    from engine.project.node_comparison import NodeComparison, Side
    from engine.project.pins_and_runs import Run


Entry = Pin | Run


def entries_of(pins: Sequence[Pin], runs: Sequence[Run]) -> tuple[Entry, ...]:
    """Return the pins in order, the releases fixed at the top, then the others, the latest first."""
    latest = tuple(reversed(runs))
    held = [run for run in latest if run.is_pinned]
    return (*pins, *held, *(run for run in latest if not run.is_pinned))


def settings_words(requirement: Requirement) -> str:
    """Return a requirement in one line: "k = 5 · l = 3 · t = 0.20 · limit 5 %"."""
    parts = [f"{model.symbol} = {limit_text(model)}" for model in requirement.models]
    if requirement.sampling is not None:
        return " · ".join([*parts, requirement.sampling.details])
    return " · ".join(
        [
            *parts,
            _("limit {suppression_limit}").format(
                suppression_limit=as_percent(requirement.suppression_limit)
            ),
        ]
    )


def choice_name(choice: Choice) -> str:
    """Name the node of a choice by what it generalizes, or return that it has none."""
    return _("levels vary by record") if choice.node is None else node_name(choice.node, choice.columns)


def headings() -> list[Heading]:
    """Return the headings of the table."""
    return [
        Heading(_("Entry")),
        Heading(_("Node")),
        Heading(_("Value"), True, _("Value of the utility metric")),
        Heading(_("Suppressed"), True, _("Suppressed records")),
        Heading(_("Settings")),
        Heading(_("Note")),
    ]


def row_of(
    entry: Entry, why_not: str, named: NamedNode | None = None, figures: Mapping[str, float] | None = None
) -> list[Cell]:
    """Return one line.

    Parameters
    ----------
    why_not : str
        Why its node cannot be shown any more.
    named : NamedNode, optional
        Its name and levels in the present lattice.
    figures : mapping, optional
        Values of a pin, if they are known.
    """
    choice = entry.choice
    tone = "text_3" if why_not else "text"
    settings = settings_words(choice.requirement)
    name, glyph = (choice_name(choice), None) if named is None else (named.name, named.glyph)
    details = _levels_words(choice) if named is None else named.details
    known = figures if isinstance(entry, Pin) else entry.figures
    value, suppressed = (known or {}).get(choice.metric), (known or {}).get("suppressed")
    shown = DASH if value is None else f"{metric_name(choice.metric)} {metric_text(choice.metric)(value)}"
    why_none = _("Pinned with other settings; compare it to see its values") if isinstance(entry, Pin) else ""
    note = entry.note.split("\n")[0]
    return [
        _kind(entry),
        Cell(name, why_not or details, tone, is_strong=not why_not, glyph=glyph),
        Cell(shown, why_none if value is None else "", tone),
        Cell(DASH if suppressed is None else as_exact_count(suppressed), tone=tone),
        Cell(settings, settings, tone),
        Cell(note, entry.note, tone),
    ]


def _kind(entry: Entry) -> Cell:
    if isinstance(entry, Pin):
        return Cell(_("Pinned"), tone="text_2")
    day = as_saved_moment(entry.made_at)
    applied = _("Applied {day}").format(day=day)
    words = f"{entry.name}\n{applied}" if entry.name else applied
    if entry.is_pinned:
        return Cell(_("On top: {name}").format(name=entry.name or day), words, "text", is_strong=True)
    return Cell(entry.name or _("Applied {day}").format(day=day), words, "text" if entry.name else "text_2")


def _levels_words(choice: Choice) -> str:
    if choice.node is None:
        return ""
    return "\n".join(f"{name}: {level}" for name, level in zip(choice.columns, choice.node, strict=True))


MOST_RECORDS = 200
_LARGE = 100


_COUNTS = {
    "records": N_("Records"),
    "suppressed": N_("Suppressed records"),
    "classes": N_("Kept classes"),
    "k": N_("Smallest kept class (k)"),
}
_BETTER = {"records": 0, "classes": 0, "k": 1}  # sign of an improvement; 0 if neither is better


def figure_headings() -> list[Heading]:
    """Return the headings of the table of settings, levels and scores."""
    return [
        Heading(""),
        Heading(_("Left"), True),
        Heading(_("Right"), True),
        Heading(_("Right minus left"), True, _("Whether the right is better or worse than the left")),
    ]


def figure_rows(found: NodeComparison, words: LevelWords) -> list[list[Cell]]:
    """Return what differs in settings and levels, privacy and utility, and then what is the same."""
    left, right = found.left, found.right
    settings = [
        _row(
            _("Suppression limit"),
            as_percent(left.choice.requirement.suppression_limit),
            as_percent(right.choice.requirement.suppression_limit),
        )
    ]
    sides = [(side.choice.requirement, side.report.table.problem.counted) for side in (left, right)]
    settings += [_row(*texts) for texts in _thresholds(sides)]
    for q, name in enumerate(left.choice.columns):
        settings.append(_row(name, words.level(q, left.node[q]), words.level(q, right.node[q])))
    privacy = [_row(_("Its requirement"), _status(left), _status(right))]
    utility = [
        _row(
            _("Suppressed records"),
            _suppressed(left),
            _suppressed(right),
            _difference(left.report.suppressed, right.report.suppressed),
            _sign(left.report.suppressed, right.report.suppressed, -1),
        )
    ]
    counted = left.report.table.problem.counted
    smallest = _("Smallest kept class (k)")
    smallest = smallest if counted is RECORDS else f"{smallest}, {counted.many}"
    counts: list[tuple[list[list[Cell]], str, int | None, int | None, int]] = [
        (utility, _("Kept classes"), left.report.kept_classes, right.report.kept_classes, 0),
        (privacy, smallest, left.report.kept_k or None, right.report.kept_k or None, 1),
    ]
    for group, name, one, other, better in counts:
        texts = as_exact_count(one), as_exact_count(other)
        group.append(_row(name, *texts, _difference(one, other), _sign(one, other, better)))
    privacy += _measured(left, right)
    for key in left.metrics:
        text, pair = metric_text(key), (left.metrics[key], right.metrics[key])
        before, after = (DASH if value != value else text(value) for value in pair)
        change = metric_change(key, pair[1] - pair[0])
        utility.append(_row(metric_title(key), before, after, change, _sign(*pair, -1)))
    return _grouped(settings, privacy, utility)


def kept_rows(left: Run, right: Run) -> list[list[Cell]]:
    """Return the stored values of two releases in the groups of `figure_rows`."""
    limits = [as_percent(run.choice.requirement.suppression_limit) for run in (left, right)]
    settings = [_row(_("Suppression limit"), limits[0], limits[1])]
    required = [(run.choice.requirement, RECORDS) for run in (left, right)]
    settings += [_row(*texts) for texts in _thresholds(required)]
    privacy: list[list[Cell]] = []
    utility: list[list[Cell]] = []
    for key in dict.fromkeys((*left.figures, *right.figures)):
        if (kind := _figure_kind(key)) is None:
            continue
        title, text = kind
        pair = [run.figures.get(key) for run in (left, right)]
        shown = [DASH if value is None else text(value) for value in pair]
        change, sign = "", 0
        if pair[0] is not None and pair[1] is not None:
            difference, is_whole = pair[1] - pair[0], key in _COUNTS or key.startswith("l.")
            is_metric = not is_whole and not key.startswith("t.")
            sign = _sign(pair[0], pair[1], _BETTER.get(key, 1 if key.startswith("l.") else -1))
            change = (
                metric_change(key, difference) if is_metric else as_change(difference, 0 if is_whole else 3)
            )
        is_privacy = key == "k" or key.startswith(("l.", "t."))
        (privacy if is_privacy else utility).append(_row(title, shown[0], shown[1], change, sign))
    return _grouped(settings, privacy, utility)


def _figure_kind(key: str) -> tuple[str, Callable[[float], str]] | None:
    """Return title and formatter of a stored value; None if its key is unknown."""
    from engine.utility import utility_metrics

    if key in _COUNTS:
        return _(_COUNTS[key]), as_exact_count
    measure, _unused, column = key.partition(".")
    if column and measure == "l":
        return _("Fewest distinct values (l) · {column}").format(column=column), as_exact_count
    if column and measure == "t":
        return _("Largest distance (t) · {column}").format(column=column), lambda value: as_decimal(value, 3)
    return (metric_title(key), metric_text(key)) if key in utility_metrics else None


def record_headings(columns: Sequence[str]) -> list[Heading]:
    """Return the record, then every quasi-identifying column."""
    return [Heading(_("Record"), True), Heading(""), *(Heading(name) for name in columns)]


def record_rows(found: NodeComparison, project: Project) -> list[list[Cell]]:
    """Return three lines per record: the original cells, those of the left release and of the right one."""
    columns, rows = found.left.choice.columns, []
    originals = [project.table.column(name) for name in columns]
    released = [[side.release.column(name) for name in columns] for side in (found.left, found.right)]
    for record in found.records[:MOST_RECORDS].tolist():
        cells = [[column.text(record) for column in originals]]
        cells += [[c.text(record) if c is not None else "" for c in side] for side in released]
        differs = [bool(found.differing[name][record]) for name in columns]
        for number, (who, texts) in enumerate(
            zip((_("original"), _("left"), _("right")), cells, strict=True)
        ):
            head = Cell(as_exact_count(record + 1) if number == 0 else "", tone="text_2")
            line = [
                Cell(text, tone="text_3" if number == 0 else "text", is_strong=number > 0 and differing)
                for text, differing in zip(texts, differs, strict=True)
            ]
            rows.append([head, Cell(who, tone="text_2"), *line])
    return rows


def differing_words(found: NodeComparison) -> str:
    """Return how many records differ, and in which columns most."""
    n_records, n_all = len(found.records), found.left.release.n_records
    if not n_records:
        return _("Both releases write every record the same.")
    counts = sorted(((int(mask.sum()), name) for name, mask in found.differing.items()), reverse=True)
    most = ", ".join(f"{name} {as_count(count)}" for count, name in counts[:4] if count)
    text = _("{n_records} of {n_all} records differ ({n_records_2}): {most}.")
    words = text.format(
        n_records=as_exact_count(n_records),
        n_all=as_exact_count(n_all),
        n_records_2=as_percent(n_records / n_all),
        most=most,
    )
    if n_records > MOST_RECORDS:
        words += " " + _("The first {MOST_RECORDS} are listed.").format(
            MOST_RECORDS=as_exact_count(MOST_RECORDS)
        )
    return words


def _status(side: Side) -> str:
    return _("satisfies") if side.report.satisfies else _("fails")


def _suppressed(side: Side) -> str:
    share = as_percent(side.report.suppressed / max(side.release.n_records, 1))
    return f"{as_exact_count(side.report.suppressed)} ({share})"


def _thresholds(sides: Sequence[tuple[Requirement, Noun]]) -> list[tuple[str, str, str]]:
    """Return every model required on either of two sides, with its thresholds."""
    limits: dict[tuple[str, ...], list[str]] = {}
    for place, (requirement, counted) in enumerate(sides, start=1):
        for model in requirement.models:
            further = (*model.columns, *([model.details] if model.is_of_attackers else []))
            name = " · ".join([counted.worded(model, "title"), *further])
            texts = [_("Required {value}").format(value=name), *[_("not required")] * 2]
            limits.setdefault((model.key, *further), texts)[place] = f"{model.symbol} = {limit_text(model)}"
    return [(name, one, other) for name, one, other in limits.values()]


def _measured(left: Side, right: Side) -> list[list[Cell]]:
    """Return the value of every model over the kept classes of both sides."""
    shown: dict[str, list[str]] = {}
    values: dict[str, list[float]] = {}
    better: dict[str, int] = {}
    differences: dict[str, Callable[[float], str]] = {}
    decimals: dict[str, int] = {}
    for place, side in enumerate((left, right)):
        for found in side.report.values:
            name = " · ".join([titled(found), *([found.column] if found.column else [])])
            shown.setdefault(name, [DASH, DASH])[place] = value_text(found)
            if name not in differences or not _decimals(found):
                differences[name] = _difference_text(found)
            better[name] = 1 if found.kind.relation is Relation.AT_LEAST else -1
            values.setdefault(name, [nan, nan])[place] = nan if found.value is None else float(found.value)
            if not is_share(found.kind) and not is_count(found.kind):
                decimals[name] = min(decimals.get(name, 3), _decimals(found))
    for name, n in decimals.items():  # both sides with the same ones
        shown[name] = [
            as_decimal(v, n) if isfinite(v) else text
            for v, text in zip(values[name], shown[name], strict=True)
        ]
    return [
        _row(
            name,
            texts[0],
            texts[1],
            _difference(values[name][0], values[name][1], differences[name]),
            _sign(values[name][0], values[name][1], better[name]),
        )
        for name, texts in shown.items()
    ]


def _count_change(difference: float) -> str:
    return as_change(difference, 0)


def _difference(one: float | None, other: float | None, text: Callable[[float], str] = _count_change) -> str:
    return DASH if one is None or other is None or not isfinite(other - one) else text(other - one)


def _difference_text(found: MeasuredModel) -> Callable[[float], str]:
    """Return the formatter of a difference of a model's values, with the decimals of the values."""
    if is_share(found.kind):
        return lambda difference: with_unit(as_change(difference * 100, 2), _("points"))
    decimals = _decimals(found)
    return lambda difference: as_change(difference, decimals)


def _decimals(found: MeasuredModel) -> int:
    """Return the decimals that a difference of a model's values needs: none for counts and large values."""
    return 0 if is_count(found.kind) or (found.value or 0.0) >= _LARGE else 3


def _sign(one: float | None, other: float | None, better: int) -> int:
    """Return 1 if the right value is better, -1 if it is worse, else 0."""
    if one is None or other is None or not better or one == other or one != one or other != other:
        return 0
    return better if other > one else -better


def _row(name: str, left: str, right: str, difference: str = "", sign: int = 0) -> list[Cell]:
    differs = left != right
    tone = "text" if differs else "text_2"
    change, change_tone = difference if differs else "", "text_2"
    if differs and sign > 0:
        change, change_tone = _("{change}, better").format(change=difference), "ok"
    elif differs and sign < 0:
        change, change_tone = _("{change}, worse").format(change=difference), "warn"
    return [
        Cell(name, tone="text_2"),
        Cell(left, left, tone, is_strong=differs),
        Cell(right, right, tone, is_strong=differs),
        Cell(change, tone=change_tone),
    ]


def _grouped(
    settings: list[list[Cell]], privacy: list[list[Cell]], utility: list[list[Cell]]
) -> list[list[Cell]]:
    """Return the rows that differ in groups, each below a line of its own, then the others."""
    groups = [(_("Settings and levels"), settings), (_("Privacy"), privacy), (_("Utility"), utility)]
    shown = [(title, [row for row in rows if row[1].text != row[2].text]) for title, rows in groups]
    same = [row for _title, rows in groups for row in rows if row[1].text == row[2].text]
    return [
        row
        for title, rows in (*shown, (_("Same on both sides"), same))
        for row in ([[Cell(title, tone="text_3", is_strong=True), *[Cell("")] * 3], *rows] if rows else ())
    ]


def opening_words(loss: tuple[float, float], suppressed: tuple[int, int]) -> str:
    """Return in a sentence how the right of two nodes differs from the left; empty if it is not known."""
    if not isfinite(loss[1] - loss[0]):
        return ""
    more, n = loss[1] - loss[0], suppressed[1] - suppressed[0]
    if as_decimal(abs(more), 3) == as_decimal(0.0, 3):
        if not n:
            return _("Both lose the same and suppress the same number of records.")
        text = (
            ngettext("Both lose the same; right suppresses {n} record more.",
                     "Both lose the same; right suppresses {n} records more.", n)
            if n > 0
            else ngettext("Both lose the same; right suppresses {n} record fewer.",
                          "Both lose the same; right suppresses {n} records fewer.", -n)
        )  # fmt: skip
    elif not n:
        text = (
            _("Right loses {loss} more; both suppress the same number of records.")
            if more > 0
            else _("Right loses {loss} less; both suppress the same number of records.")
        )
    elif more > 0:
        text = (
            ngettext("Right loses {loss} more and suppresses {n} record more.",
                     "Right loses {loss} more and suppresses {n} records more.", n)
            if n > 0
            else ngettext("Right loses {loss} more and suppresses {n} record fewer.",
                          "Right loses {loss} more and suppresses {n} records fewer.", -n)
        )  # fmt: skip
    else:
        text = (
            ngettext("Right loses {loss} less and suppresses {n} record more.",
                     "Right loses {loss} less and suppresses {n} records more.", n)
            if n > 0
            else ngettext("Right loses {loss} less and suppresses {n} record fewer.",
                          "Right loses {loss} less and suppresses {n} records fewer.", -n)
        )  # fmt: skip
    return text.format(loss=as_decimal(abs(more), 3), n=as_exact_count(abs(n)))


def opening_of_runs(left: Run, right: Run) -> str:
    """Return the opening sentence for the stored values of two releases."""
    (loss, n), (other_loss, other_n) = (
        (run.figures.get("loss"), run.figures.get("suppressed")) for run in (left, right)
    )
    if loss is None or n is None or other_loss is None or other_n is None:
        return ""
    return opening_words((loss, other_loss), (int(n), int(other_n)))
