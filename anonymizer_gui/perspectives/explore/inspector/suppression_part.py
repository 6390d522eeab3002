"""Inspector part about suppression: its causes by column, rare values, and suggested changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.inspector.line_grid import RIGHT, Item, LineGrid, bar, name, number
from anonymizer_gui.perspectives.explore.inspector.section import LazyContent
from anonymizer_gui.perspectives.explore.inspector.values import allowed_words
from anonymizer_gui.perspectives.explore.metric_text import metric_change, metric_name, metric_text
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.layouts import gridbox, hbox, named, vbox
from engine.numbers import as_exact_count, as_percent
from engine.privacy.measured_text import limit_text
from engine.words import _

if TYPE_CHECKING:
    from engine.advice.remedies import Remedy
    from engine.project import Project
    from engine.scoring.nodes.suppression_causes import AttributeCause, RareValue, SuppressionCauses


FIRST_VALUES, FIRST_REMEDIES = 5, 6  # shown until the user requests all


class SuppressionPart(LazyContent):
    """Shows the causes; requests a remedy by its index in the list."""

    def __init__(self) -> None:
        super().__init__()
        self.sentence = named(make_label("", Text.CELL, wraps=True), "starsSentence")
        self.causes = LineGrid(
            name(tone="text_2"),
            bar,
            number(Text.CELL, "text_2"),
            number(),
            stretched=1,
            spacing=(8, 4),
            head=(
                self.tr("Records recovered by generalizing one column"),
                self.tr("| one level up"),
                self.tr("hidden"),
            ),
        )
        self.values = LineGrid(
            name(),
            number(),
            number(Text.CELL, "text_2"),
            stretched=0,
            spacing=(8, 4),
            head=(self.tr("Rare values"), self.tr("suppressed"), self.tr("share")),
            first=FIRST_VALUES,
            what=self.tr("rare values"),
        )
        self.values.more.setObjectName("moreRareValues")
        self.remedies = RemedyLines()
        self.remedies.grid.lines_added.connect(self.controls_added)
        vbox(self.sentence, self.causes, self.values, self.remedies, spacing=8, margins=0, of=self)
        self.show_sentence("")

    def show_sentence(self, text: str) -> None:
        """Show only a sentence."""
        self.show_found(text, (), (), ())

    def show_found(
        self,
        sentence: str,
        causes: Sequence[Sequence[Item]],
        values: Sequence[Sequence[Item]],
        remedies: Sequence[RemedyRow],
    ) -> None:
        """Show causes of suppression and remedies; empty parts are hidden."""
        self.sentence.setText(sentence)
        self.causes.show_lines(causes)
        self.values.show_lines(values)
        self.remedies.show_rows(remedies)

    def controls(self) -> list[QWidget]:
        buttons = [line.button for line in self.remedies.grid.widgets()]
        return [self.values.more, *buttons, self.remedies.more]


class RemedyLine(QWidget):
    """A change with its effect, and the button that makes it."""

    requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._icon = IconLabel("check", 14, "ok")
        self.title = make_label("", Text.CELL_STRONG, wraps=True)
        self.effect = ElidedLabel("", Text.CELL, "text_2")
        self.note = ElidedLabel("", Text.CAPTION, "text_3")
        self.button = make_button("", small=True)
        self.button.clicked.connect(self.requested)
        grid = gridbox(spacing=(6, 0), margins=(0, 4, 0, 0), of=self)
        grid.addWidget(self._icon, 0, 0)
        grid.addWidget(self.title, 0, 1)
        grid.addWidget(self.button, 0, 2, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.effect, 1, 1, 1, 2)
        grid.addWidget(self.note, 2, 1, 1, 2)
        grid.setColumnStretch(1, 1)

    def show_item(self, row: RemedyRow) -> None:
        """Show another change."""
        self._icon.set_icon("check" if row.satisfies else "x", "ok" if row.satisfies else "danger")
        self._icon.setAccessibleName(self.tr("satisfies") if row.satisfies else self.tr("still fails"))
        self.title.setText(row.title)
        self.effect.setText(row.effect)
        self.note.setText(row.note)
        set_tone(self.note, "warn" if row.is_weaker else "text_3")
        self.button.setText(row.verb)
        text = f"{row.title}: {row.effect}, {row.note}"
        self.button.setAccessibleName(f"{row.verb}: {text}")
        self.button.setToolTip(text)


class RemedyLines(QWidget):
    """Suggested changes, most recovered records per loss first; a few until all are requested."""

    requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        title = make_label(self.tr("Suggested changes"), Text.SECTION, "text_2")
        title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        caption = ElidedLabel(self.tr("most records per loss first"), Text.CAPTION, "text_3")
        caption.setAlignment(RIGHT)
        what = self.tr("changes")
        self.grid = LineGrid(self._line, stretched=0, spacing=(0, 4), first=FIRST_REMEDIES, what=what)
        self.more = named(self.grid.more, "moreRemedies")
        vbox(hbox(title, (caption, 1), spacing=6), self.grid, spacing=0, margins=0, of=self)

    def show_rows(self, rows: Sequence[RemedyRow]) -> None:
        """Show the changes of another node."""
        self.setVisible(bool(rows))
        self.grid.show_lines([(row,) for row in rows])

    def _line(self) -> RemedyLine:
        line, place = RemedyLine(), len(self.grid.widgets())
        line.setObjectName(f"remedy.{place}")
        line.requested.connect(lambda: self.requested.emit(place))
        return line


@dataclass(frozen=True, slots=True)
class RemedyRow:
    """One change: title, effect, remarks, and the verb on its button."""

    title: str
    effect: str
    note: str
    verb: str
    satisfies: bool
    is_weaker: bool
    step: str  # name of the undo step; empty if another node is selected


def summary(causes: SuppressionCauses) -> str:
    """Return how many records are suppressed, in one or two sentences."""
    if not causes.suppressed:
        return _("No record is suppressed at this node, so there is nothing to explain.")
    share = as_percent(causes.suppressed / causes.n_records)
    text = _("{suppressed} of {n_records} records are suppressed ({share}); {allows}.").format(
        suppressed=as_exact_count(causes.suppressed),
        n_records=as_exact_count(causes.n_records),
        share=share,
        allows=allowed_words(causes.losses),
    )
    if causes.too_many:
        text += " " + _("That is {too_many} too many.").format(too_many=as_exact_count(causes.too_many))
    return text


def cause_lines(causes: SuppressionCauses) -> list[tuple[Item, ...]]:
    """Return the columns by the number of records they suppress."""
    return [_cause_line(cause, causes.suppressed) for cause in causes.by_attribute]


def value_lines(values: Sequence[RareValue], causes: SuppressionCauses) -> list[tuple[Item, ...]]:
    """Return the rare values with their share of suppressed records compared with the table."""
    whole = as_percent(causes.suppressed / max(causes.n_records, 1), 1)
    detail = _(
        "{suppressed} of the {records} records with {name} are suppressed: {share}, compared "
        "with {whole} of the whole table"
    )
    lines: list[tuple[Item, ...]] = []
    for value in values:
        suppressed, share = as_exact_count(value.suppressed), as_percent(value.share, 1)
        title = f"{value.name}: {value.label or _('missing')}"
        text = detail.format(
            suppressed=suppressed, records=as_exact_count(value.records), name=title, share=share, whole=whole
        )
        lines.append((Item(title, text), Item(suppressed), Item(share, text)))
    return lines


def remedy_rows(
    remedies: Sequence[Remedy], project: Project, words: LevelWords, metric: str, was_best: float | None
) -> list[RemedyRow]:
    """Return the remedies in their order; `was_best` is the loss of the current optimum, if any."""
    return [_remedy_row(remedy, project, words, metric, was_best) for remedy in remedies]


def _cause_line(cause: AttributeCause, suppressed: int) -> tuple[Item, ...]:
    """Return a column with the suppressed records that would be kept without it, and one level higher."""
    whole = max(suppressed, 1)
    hidden = as_exact_count(cause.kept_if_hidden)
    parts = [
        _("{name}: hiding this column would recover {hidden} of {suppressed} suppressed records").format(
            name=cause.name, suppressed=as_exact_count(suppressed), hidden=hidden
        )
    ]
    instead = _("but {n} others would be suppressed instead")
    if cause.lost_if_hidden:
        parts.append(instead.format(n=as_exact_count(cause.lost_if_hidden)))
    step = "–"
    if cause.kept_by_step is None:
        parts.append(_("it is at the highest level allowed"))
    else:
        step = as_exact_count(cause.kept_by_step)
        parts.append(_("{step} one level higher").format(step=step))
        if cause.lost_by_step:
            parts.append(instead.format(n=as_exact_count(cause.lost_by_step)))
    tick = None if cause.kept_by_step is None else cause.kept_by_step / whole
    detail, share = ", ".join(parts), cause.kept_if_hidden / whole
    return Item(cause.name, detail), Item(hint=detail, share=share, tick=tick), Item(step), Item(hidden)


def _remedy_row(
    remedy: Remedy, project: Project, words: LevelWords, metric: str, was_best: float | None
) -> RemedyRow:
    from engine.advice.remedies import RemedyKind

    title, verb = _title(remedy, project, words)
    effect = remedy.effect
    saved = as_exact_count(-remedy.saved) if remedy.saved > 0 else _("same")
    if remedy.saved < 0:
        saved = f"+{as_exact_count(-remedy.saved)}"
    text = _("{saved} suppressed, {metric} {metric_2}").format(
        saved=saved, metric=metric_name(metric), metric_2=metric_change(metric, remedy.added)
    )
    notes = [_("satisfies") if effect.satisfies else _("still fails")]
    if remedy.kind is RemedyKind.LEVEL:
        pass  # the optimum does not change
    elif remedy.needs_scoring:
        notes.append(_("the lattice is scored again"))
    elif effect.knows_optimum and effect.optimum is None:
        notes.append(_("then no node satisfies"))
    elif remedy.moves_to_optimum:
        notes.append(_("as the new optimum"))
    elif effect.knows_optimum and was_best is not None:
        best = metric_text(metric)(effect.optimum_value)
        is_same = abs(effect.optimum_value - was_best) <= abs(was_best) * 1e-12
        said_best = _("optimum stays at {best}") if is_same else _("optimum then {best}")
        notes.append(said_best.format(best=best))
    if remedy.is_weaker:
        notes.append(_("weaker protection"))
    step = "" if remedy.project is None else title
    return RemedyRow(title, text, " · ".join(notes), verb, effect.satisfies, remedy.is_weaker, step)


def _title(remedy: Remedy, project: Project, words: LevelWords) -> tuple[str, str]:
    """Return a remedy as a title, and the verb on its button."""
    from engine.advice.remedies import RemedyKind

    level, is_hidden = "", False
    if remedy.attribute is not None and remedy.level is not None:
        level = words.level(remedy.attribute, remedy.level)
        is_hidden = remedy.level > 0 and words.is_kept_or_hidden(remedy.attribute, remedy.level)
    match remedy.kind:
        case RemedyKind.LEVEL:
            text = _("{column} hidden") if is_hidden else _("{column} to {level}")
            return text.format(column=remedy.column, level=level), _("Select")
        case RemedyKind.MERGE:
            one, other = remedy.labels
            text = _("{column}: merge {one} with {other}")
            return text.format(column=remedy.column, one=one, other=other), _("Merge")
        case RemedyKind.BOUND if remedy.is_upper:
            text = _("Allow hiding {column}") if is_hidden else _("Allow {column} up to {level}")
            return text.format(column=remedy.column, level=level), _("Allow")
        case RemedyKind.BOUND:
            text = _("Always hide {column}") if is_hidden else _("Allow {column} from {level} on")
            return text.format(column=remedy.column, level=level), _("Set")
        case RemedyKind.LIMIT:
            text = _("Suppression limit {now} instead of {before}")
            before = as_percent(project.requirement.suppression_limit)
            return text.format(now=as_percent(remedy.limit), before=before), _("Set")
    assert remedy.model is not None, "only thresholds are left, which are those of models"
    assert remedy.index is not None
    model = project.requirement.models[remedy.index]
    text = _("{symbol} = {now} instead of {before}").format(
        symbol=model.symbol, now=limit_text(model, remedy.limit), before=limit_text(model)
    )
    return f"{text}, {remedy.column}" if remedy.column else text, _("Set")
