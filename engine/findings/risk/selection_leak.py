"""Selection leak: what choosing the node and suppressing by sensitive values give away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf, log2
from typing import Any, ClassVar, Self

import numpy as np

from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import (
    SHARE,
    Block,
    FigureTable,
    Findings,
    Statement,
    as_column,
    figure_row,
)
from engine.findings.exact_worlds import MOST_WORLDS, ExactWorlds, enumerate_worlds
from engine.findings.sample import sampled
from engine.findings.sampled_worlds import (
    Estimate,
    FailingClasses,
    SampledWorlds,
    deal_worlds,
    sample_worlds,
    surprise_of,
    why_not_sampled,
)
from engine.findings.subject import Subject
from engine.findings.worlds import (
    BY_HAND,
    COSTLY,
    FIXED,
    OPTIMUM,
    PATH,
    PREPARING,
    SIZE_ONLY,
    Tails,
    Worlds,
    worlds_of,
)
from engine.kernels.arrays import IntArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal, as_exact_count, as_risk
from engine.params import Integer, Real, param
from engine.pipeline import anonymize, search
from engine.project import Project
from engine.project.project import AFTERWARDS, BY_SIZE, CHECK
from engine.recoding import Release
from engine.recoding.ruled import rule_of
from engine.search import search_algorithms
from engine.utility import utility_metrics
from engine.words import N_, _, lazy, ngettext

WITHIN = "within"  # the first node that gives away no more than is accepted
MOST_TRIED = 100  # nodes that a search with an accepted gain looks at
_LISTED = 50  # gains in the table


@figure_row
class Gain:
    """What an attacker learns about a value of some records.

    Attributes
    ----------
    posterior, share : float
        Probability of the value with what the choice gives away, and without.
    upper : float
        The gain is at most this; with a confidence of 95 % if it is sampled.
    exact : tuple of Fraction or None
        Posterior and share.
    """

    record: int = as_column(N_("Record"), explanation=N_("The first of the records, from 1."))
    records: int = as_column(N_("Records"), N_("records"), N_("Records of which the same is learned."))
    column: str = as_column(N_("Column"))
    value: str = as_column(N_("Value"))
    share: float = as_column(N_("Share"), SHARE, N_("Of the class; suppressed records are one."))
    posterior: float = as_column(N_("Afterwards"), SHARE, N_("Probability by what the choice gives away."))
    gain: float = as_column(N_("Gain"), SHARE, N_("Difference of the two."))
    upper: float = as_column(N_("At most"), SHARE, N_("Upper end of the gain, at 95 % if it is sampled."))
    is_suppressed: bool = field(default=False)
    exact: tuple[Fraction, Fraction] | None = field(default=None)

    @property
    def values(self) -> dict[str, Any]:
        """The gain for programs; records are counted from 0."""
        found: dict[str, Any] = {
            "gain": self.gain,
            "posterior": self.posterior,
            "share": self.share,
            "column": self.column,
            "value": self.value,
            "records": self.records,
            "record": self.record - 1,
        }
        if self.exact is not None:
            posterior, share = self.exact
            found["exact"] = {
                "gain": str(posterior - share),
                "posterior": str(posterior),
                "share": str(share),
            }
        return found


_NOTHING: dict[str, Any] = dict.fromkeys(("posterior", "share", "column", "value")) | {
    "gain": 0.0,
    "records": 0,
}


@figure_row
class _Part:
    part: str = as_column(N_("Part"))
    bits: float | None = as_column(
        N_("Bits"), explanation=N_("-log2 of the share of deals in which it is the same.")
    )
    meaning: str = as_column(N_("Meaning"))


@figure_row
class _Failing:
    size: int = as_column(N_("Class size"), N_("records"))
    classes: int = as_column(
        N_("Classes"), N_("classes"), N_("Suppressed classes that only values make fail.")
    )
    dealt: int = as_column(
        N_("Dealt"), explanation=N_("Classes drawn at random from the suppressed records.")
    )
    failing: int = as_column(N_("Failing"), explanation=N_("Those of them that fail, too."))


@dataclass(frozen=True, eq=False)
class SelectionLeakFound(Findings):
    """What the choice of the node and the suppression give away.

    Attributes
    ----------
    suppression_bits, choice_bits : float or None
        -log2 of the share of worlds with the same suppressed records, and of the share of these in which the
        same node is chosen; None if it is not known.
    why_no_choice : str
        Why the choice is not measured; empty if it is.
    is_exact : bool
        Whether all is proven; otherwise it is sampled.
    gains : tuple of Gain
        The largest ones, the largest first.
    kept_upper, suppressed_upper : float
        Upper ends of the gains of all kept and of all suppressed records.
    surprise : float
        Upper end of the share of worlds with another file; no gain exceeds it.
    worlds, suppressing, same : int or None
        Worlds that were counted or dealt, those with the same suppressed records, and with the same node.
    above : int
        Records with a gain above the accepted one.
    certain : int
        Suppressed or kept records of which one value is left.
    sweeps, effective : float
        Samples of the chain, and independent ones that are worth as much.
    not_mixed : int
        Pairs of records and values without a figure.
    """

    rule: str
    suppression_bits: float | None
    choice_bits: float | None
    why_no_choice: str = ""
    is_exact: bool = True
    gains: tuple[Gain, ...] = ()
    kept_upper: float = 0.0
    suppressed_upper: float = 0.0
    surprise: float = 0.0
    worlds: int | None = None
    suppressing: int | None = None
    same: int | None = None
    competitors: int = 0
    open_classes: int = 0
    above: int = 0
    certain: int = 0
    classes: tuple[FailingClasses, ...] = ()
    sweeps: int = 0
    effective: float = 0.0
    not_mixed: int = 0
    accepted: float = 0.1

    @property
    def bits(self) -> float | None:
        """Bits of both; None if one is not known."""
        if self.suppression_bits is None or self.choice_bits is None:
            return None
        return self.suppression_bits + self.choice_bits

    @property
    def upper(self) -> float:
        """Upper end of every gain."""
        return max(self.kept_upper, self.suppressed_upper)

    @property
    def selection_gain(self) -> float | None:
        """What no record gains more than; None if it is not known."""
        if self.why_no_choice:
            return None
        return min(1.0 if self.not_mixed else self.upper, self.surprise)

    def is_within(self, accepted: float) -> bool:
        """Return whether no record is known to gain more than is accepted."""
        return self.selection_gain is not None and self.selection_gain <= accepted

    def largest(self, *, is_suppressed: bool | None = None) -> Gain | None:
        """Return the largest gain, of kept or suppressed records alone if asked; None without any."""
        return next(
            (own for own in self.gains if own.gain > 0 and is_suppressed in (None, own.is_suppressed)), None
        )

    def statement(self) -> Statement:
        caption = _("exact") if self.is_exact else _("sampled, 95 % confidence")
        if self.upper == 0 and self.bits == 0:
            return Statement(
                _("Neither the choice of the node nor suppression gives anything away."), "ok", caption
            )
        tone: Any = "warn" if self.upper > self.accepted else "ok"
        return Statement(" ".join(filter(None, (self._of_bits(), self._of_gain()))), tone, caption)

    @property
    def claim(self) -> str:
        """What the choice gives away at most, in a few words, or why that is not measured."""
        if self.selection_gain is None:
            return self.why_no_choice
        how = _("exact") if self.is_exact else _("sampled, 95 % confidence")
        if self.bits is None:
            return _("no record gains more than {gain} ({how})").format(
                gain=as_risk(self.selection_gain), how=how
            )
        return _("{bits} bits; no record gains more than {gain} ({how})").format(
            bits=as_decimal(self.bits, 1), gain=as_risk(self.selection_gain), how=how
        )

    def _of_bits(self) -> str:
        if self.bits is not None:
            words = _("Choosing and suppressing give away {bits} bits.")
            return words.format(bits=as_decimal(self.bits, 1))
        if self.suppression_bits is None:
            return self.why_no_choice or _("Suppressing gives away more bits than can be measured.")
        words = _("Suppressing gives away {bits} bits.").format(bits=as_decimal(self.suppression_bits, 1))
        return f"{words} {self.why_no_choice}"

    def _of_gain(self) -> str:
        own = self.largest()
        if own is None:
            text = _("No record gains more than {upper}.")
            return text.format(upper=as_risk(self.upper)) if self.upper else ""
        words = ngettext(
            "Of {n} record, '{value}' in {column} rises from {share} to {posterior}.",
            "Of {n} records, '{value}' in {column} rises from {share} to {posterior}.",
            own.records,
        )
        return words.format(
            n=as_exact_count(own.records),
            value=own.value,
            column=own.column,
            share=as_risk(own.share),
            posterior=as_risk(own.posterior),
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return the bits, the largest gains, and the suppressed classes that must fail."""
        parts = (
            _Part(
                _("Suppression"), self.suppression_bits, _("That these classes fail because of their values.")
            ),
            _Part(_("Choice"), self.choice_bits, _("That no other node was chosen, given the suppression.")),
            _Part(_("Both"), self.bits, _("No gain exceeds 1 - 2 to the power of minus these bits.")),
        )
        found: list[Block] = [
            FigureTable.of("selection_bits", _("Bits given away"), _Part, parts),
            FigureTable.of(
                "largest_gains", _("Largest gains"), Gain, self.gains[:_LISTED], is_by_record=True
            ),
        ]
        if self.classes:
            title = _("Suppressed classes that must fail")
            rows = [_Failing(own.size, own.classes, own.dealt, own.failing) for own in self.classes]
            found.append(FigureTable.of("failing_classes", title, _Failing, rows))
        return tuple(found)

    def summary(self) -> dict[str, Any]:
        """Return what a release says of its choice, for programs."""
        names = ("selection_gain", "bits", "choice_bits", "suppression_bits", "exact", "rule")
        return {name: self.named_values()[name] for name in (*names, "why_no_choice")}

    def named_values(self) -> Mapping[str, Any]:
        """Return all figures by name, for programs."""
        kept, starred = (self.largest(is_suppressed=own) for own in (False, True))
        largest = self.largest()
        return {
            "bits": self.bits,
            "choice_bits": self.choice_bits,
            "suppression_bits": self.suppression_bits,
            "exact": self.is_exact,
            "largest_gain": _NOTHING if largest is None else largest.values,
            "gain_upper": self.upper,
            "selection_gain": self.selection_gain,
            "worlds": self.worlds,
            "worlds_same_suppression": self.suppressing,
            "worlds_same_file": self.same,
            "certain": self.certain,
            "rule": self.rule,
            "why_no_choice": self.why_no_choice,
            "competitors": self.competitors,
            "open_classes": self.open_classes,
            "records_above": self.above,
            "kept": (_NOTHING if kept is None else kept.values) | {"upper": self.kept_upper},
            "suppressed": (_NOTHING if starred is None else starred.values)
            | {"upper": self.suppressed_upper},
            "classes": [vars(own) for own in self.classes],
            "sweeps": self.sweeps,
            "effective_samples": self.effective,
            "not_mixed": self.not_mixed,
        }


@risk_analyses.register("selection_leak")
@dataclass(frozen=True, slots=True)
class SelectionLeak(Analysis):
    """Measure what the choice of the node and the suppression give away (minimality attack [1]_, [2]_).

    Sensitive cells are dealt anew within every class, and within the suppressed records. Deals in which other
    records would have been suppressed, or another node chosen, are not the true one: the others tell more
    about single records than their class does.

    References
    ----------
    .. [1] Wong, Fu, Wang, Pei (2007). Minimality Attack in Privacy Preserving Data Publishing. VLDB.
    .. [2] Kenthapadi, Mishra, Nissim (2005). Simulatable Auditing. PODS.
    """

    title: ClassVar[str] = lazy("Selection leak")
    summary: ClassVar[str] = lazy(
        "What an attacker learns from the fact that this node was chosen, and these records were suppressed."
    )
    reading: ClassVar[str] = lazy(
        "The attacker knows the file, the hierarchies, the requirement, the quasi-identifying columns of "
        "everybody in the table and, where suppressed cells are not in the file, the totals of the table. "
        "Few bits bound every gain: 0.1 bits mean at most 0.07. Many bits bound nothing, and may still mean "
        "no gain. The gain of a record is the probability of a value afterwards minus its share of the "
        "records of the same class. Suppressing by sensitive values reveals most; with a larger k, fewer "
        "classes have to be suppressed for their values."
    )
    source: ClassVar[str] = lazy("Wong, Fu, Wang and Pei 2007")
    is_costly: ClassVar[bool] = True
    needs_records: ClassVar[bool] = True
    needs_kept: ClassVar[bool] = True
    report_place: ClassVar[int | None] = 119  # after the narrowing

    sweeps: int = param(
        2400,
        Integer(
            minimum=0,
            maximum=1_000_000,
            label=N_("Samples"),
            help=N_(
                "Samples of a large table; four times as many halve the smallest gain that is found. With 0, "
                "only tables small enough for exact values are measured."
            ),
            usual=(1200, 2400, 4800),
        ),
    )
    accepted: float = param(
        0.1,
        Real(
            minimum=0.0,
            maximum=1.0,
            label=N_("Accepted gain"),
            help=N_("Records with a larger gain are counted."),
            usual=(0.05, 0.1, 0.2),
        ),
    )

    @classmethod
    def of_report(cls, subject: Subject) -> Mapping[str, Self]:
        accepted = subject.project.search.selection_gain
        own = cls(sweeps=0) if accepted is None else cls(accepted=accepted)
        return (
            {"": own}
            if subject.release.requirement.sensitive_part.models and not own.why_not(subject)
            else {}
        )

    def why_not(self, subject: Subject) -> str:
        return Analysis.why_not(self, subject) or _why_not_dealt(subject)

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> SelectionLeakFound:
        found, limit = self.of_tried(subject, monitor), subject.project.search.selection_gain
        if found.rule == WITHIN and limit is not None:
            tried = anonymize(subject.project, None, monitor, SelectionGate(limit, monitor))
            if tried.release.node != subject.release.node:
                free = replace(subject.project.search, selection_gain=None)
                return self.of_tried(Subject(replace(subject.project, search=free), subject.release), monitor)
        return found

    def of_tried(
        self, subject: Subject, monitor: Monitor = SILENT, better: Node | None = None
    ) -> SelectionLeakFound:
        """Measure a node that a search with an accepted gain tries, maybe after better ones.

        If it gives away too much in comparison with the `better` node alone, no others are looked at.
        """
        monitor.step(0, 1, _(PREPARING))
        self.refuse_impossible(subject)
        project, release = subject.project, subject.release
        if not release.requirement.sensitive_part.models:
            monitor.step(1, 1, _(PREPARING))
            n_worlds = 1 if not release.problem.sensitive else None
            why = _why_not_by_size(subject)
            choice = None if why else 0.0
            return SelectionLeakFound(FIXED, 0.0, choice, why, worlds=n_worlds, accepted=self.accepted)
        subject, _unused = sampled(subject, monitor=monitor)  # all, or it would not be possible
        project, release = subject.project, subject.release
        rule, path, why = _chosen(subject, monitor)
        limit = project.search.selection_gain
        is_tried = limit is not None and rule in (OPTIMUM, SIZE_ONLY)
        if limit is not None and is_tried and better is not None:
            few = worlds_of(project, release, rule, [better], monitor, is_tried=True)
            if few.is_preceded and not (found := _of_later(few, limit, monitor)).is_within(limit):
                return found
        worlds = worlds_of(project, release, rule, path, monitor, is_tried=is_tried)
        if limit is not None and is_tried and worlds.is_preceded:
            return _of_later(worlds, limit, monitor)
        why = why or worlds.why_no_choice
        found = self._measured(worlds, rule, monitor)
        return replace(found, why_no_choice=why, choice_bits=None) if why else found

    def _measured(self, worlds: Worlds, rule: str, monitor: Monitor) -> SelectionLeakFound:
        n_worlds = worlds.n_worlds
        common = SelectionLeakFound(
            rule,
            0.0,
            0.0,
            worlds=n_worlds,
            suppressing=n_worlds,
            same=n_worlds,
            competitors=worlds.n_competitors,
            open_classes=worlds.n_open,
            accepted=self.accepted,
        )
        if not worlds.n_open:
            return common
        n_live = worlds.n_live_worlds
        if n_live is not None and n_live <= MOST_WORLDS:
            return _of_exact(common, worlds, enumerate_worlds(worlds, monitor))
        is_slow = _("Not measured: there are too many deals to enumerate.") if not self.sweeps else ""
        if why := is_slow or why_not_sampled(worlds):
            return replace(
                common,
                suppression_bits=None,
                why_no_choice=why,
                choice_bits=None,
                is_exact=False,
                kept_upper=1.0,
                suppressed_upper=float(worlds.starred >= 0),
                worlds=None,
                suppressing=None,
                same=None,
            )
        return _of_sample(common, worlds, sample_worlds(worlds, self.sweeps, monitor))


@dataclass
class SelectionGate:
    """What a search with an accepted gain holds its nodes to.

    Attributes
    ----------
    found : mapping of tuple of int to SelectionLeakFound
        What the nodes that were tried give away, at most `MOST_TRIED`.
    """

    accepted: float
    monitor: Monitor = SILENT
    found: dict[Node | None, SelectionLeakFound] = field(default_factory=dict)

    def meets(self, project: Project, release: Release) -> bool:
        """Return whether the choice of a release gives away no more than is accepted."""
        if len(self.found) == MOST_TRIED:
            return False
        subject, analysis = Subject(project, release), SelectionLeak(accepted=self.accepted)
        if why := analysis.why_not(subject):
            own = SelectionLeakFound(FIXED, None, None, why, accepted=self.accepted)
        else:
            own = analysis.of_tried(subject, self.monitor, next(iter(self.found), None))
        self.found[release.node] = own
        return own.is_within(self.accepted)


def _of_later(worlds: Worlds, accepted: float, monitor: Monitor) -> SelectionLeakFound:
    """Return the bits of all better nodes failing; the event in which they give away too much contains it."""
    suppressing, same, dealt = 0, 0, 1
    n_live, is_exact = worlds.n_live_worlds, True
    if not worlds.is_never and n_live is not None and n_live <= MOST_WORLDS:
        exact = enumerate_worlds(worlds, monitor)
        suppressing, same, dealt = exact.n_suppressing, exact.n_same, exact.n_worlds
    elif not worlds.is_never:
        if why := why_not_sampled(worlds):
            return SelectionLeakFound(WITHIN, None, None, why, accepted=accepted)
        same, dealt = deal_worlds(worlds, 1 - accepted, monitor)
        suppressing, is_exact = same, False
    surprise = (dealt - same) / dealt if is_exact else surprise_of(same, dealt)
    return SelectionLeakFound(
        WITHIN,
        log2(dealt / suppressing) if suppressing else inf,
        log2(suppressing / same) if same else inf,
        is_exact=is_exact,
        kept_upper=surprise,
        suppressed_upper=surprise if worlds.starred >= 0 else 0.0,
        surprise=surprise,
        worlds=dealt,
        same=same,
        competitors=worlds.n_competitors,
        open_classes=worlds.n_open,
        accepted=accepted,
    )


def _why_not_dealt(subject: Subject) -> str:
    """Return why sensitive cells of a release cannot be dealt anew; empty if they can."""
    release, project = subject.release, subject.project
    requirement = release.requirement
    if not requirement.sensitive_part.models:
        return ""
    if release.recoding is not None or release.aggregates:
        return _("This is measured for releases of one node without aggregates.")
    if release.problem.repeated is not None:
        return _("This is measured where every record is another person.")
    if requirement.has_attackers or requirement.table_wide or requirement.whole_persons:
        return _("This is measured for models that look at each class by itself.")
    if requirement.holds_group:
        return _("This is not measured where suppressed records have to meet the requirement as one class.")
    if release.problem.earlier is not None and release.problem.earlier.joined:
        return _("This is not measured beside earlier releases, on which the choice depends too.")
    for name in subject.sensitive:
        rule = rule_of(project, name)
        if rule is not None and not rule.is_true:
            return _("'{name}' is released by a rule that changes its values.").format(name=name)
    return ""


def _why_not_by_size(subject: Subject) -> str:
    """Return why a choice without models of sensitive columns is not one by size alone; empty if it is."""
    project, metric = subject.project, utility_metrics[subject.project.search.metric]
    is_fixed = subject.release.problem.lattice.n_nodes == 1 or not metric.needs_target
    return "" if is_fixed or project.target not in subject.sensitive else _(COSTLY)


def _chosen(subject: Subject, monitor: Monitor) -> tuple[str, list[Node], str]:
    """Return how the node was chosen, the nodes tried before, and why that is not known, if it is not."""
    project, release = subject.project, subject.release
    if release.problem.lattice.n_nodes == 1:
        return FIXED, [], ""
    settings, algorithm = project.search, search_algorithms[project.search.algorithm]
    by_hand = _(BY_HAND)
    is_limited, is_blind = bool(settings.steps or settings.seconds), settings.enforce in (AFTERWARDS, CHECK)
    best = SIZE_ONLY if settings.enforce == BY_SIZE else OPTIMUM
    if is_blind or algorithm.promise == "none" or is_limited:
        found = search(project, release.problem, monitor)
        if found.node != release.node:
            return FIXED, [], by_hand
        if is_blind:
            return FIXED, [], _why_not_by_size(subject)
        if algorithm.promise == "none" and best == OPTIMUM:
            return PATH, [step.node for step in found.trace if step.node != release.node], ""
        if found.is_proved:
            return best, [], ""
    elif algorithm.promise == "optimal":
        return best, [], ""
    title = algorithm.title
    return FIXED, [], _("Not measured: {title} would have to search in every deal.").format(title=title)


def _of_exact(common: SelectionLeakFound, worlds: Worlds, exact: ExactWorlds) -> SelectionLeakFound:
    """Return the figures of all worlds."""
    others = None if common.worlds is None else common.worlds // exact.n_worlds
    certain = 0
    gains: list[Gain] = []
    for number, atom in enumerate(exact.atoms):
        posterior = exact.posterior(number)
        certain += len(atom.records) * (max(posterior) == 1)
        is_suppressed = atom.block == worlds.starred
        shares = [Fraction(n, int(atom.in_block.sum())) for n in atom.in_block.tolist()]
        for column, value, own in _by_column(worlds.tails, atom.tails):
            after = sum((posterior[place] for place in own), start=Fraction())
            share = sum((shares[place] for place in own), start=Fraction())
            gains.append(
                Gain(
                    int(atom.records[0]) + 1,
                    len(atom.records),
                    worlds.tails.name(column),
                    worlds.tails.text(column, value),
                    float(share),
                    float(after),
                    float(after - share),
                    float(after - share),
                    is_suppressed,
                    (after, share),
                )
            )
    uppers = [
        max((own.gain for own in gains if own.is_suppressed == wanted), default=0.0)
        for wanted in (False, True)
    ]
    return replace(
        common,
        suppression_bits=-log2(exact.n_suppressing / exact.n_worlds) + 0.0,
        choice_bits=-log2(exact.n_same / exact.n_suppressing) + 0.0,
        gains=_ordered(gains),
        kept_upper=uppers[0],
        suppressed_upper=uppers[1],
        surprise=(exact.n_worlds - exact.n_same) / exact.n_worlds,
        suppressing=None if others is None else others * exact.n_suppressing,
        same=None if others is None else others * exact.n_same,
        above=_above(gains, common.accepted),
        certain=certain,
    )


def _by_column(tails: Tails, there: IntArray) -> Iterator[tuple[int, int, list[int]]]:
    """Return each column and value with the places of its tails, then the tails if columns are several."""
    for column in range(tails.values.shape[1]):
        values = tails.values[there, column]
        for value in np.unique(values).tolist():
            yield column, value, np.flatnonzero(values == value).tolist()
    if tails.values.shape[1] > 1:
        for place, tail in enumerate(there.tolist()):
            yield tails.values.shape[1], tail, [place]


def _ordered(gains: list[Gain]) -> tuple[Gain, ...]:
    """Return the gains, the largest first, each with all records of which the same is learned."""
    alike: dict[tuple[Any, ...], list[Gain]] = {}
    for own in gains:
        key = own.column, own.value, own.exact or (own.posterior, own.share), own.is_suppressed
        alike.setdefault(key, []).append(own)
    joined = [
        replace(min(same, key=lambda own: own.record), records=sum(own.records for own in same))
        for same in alike.values()
    ]
    return tuple(sorted(joined, key=lambda own: (-own.gain, own.record)))


def _above(gains: list[Gain], accepted: float) -> int:
    """Return the number of records with a gain above the accepted one; `record` stands for an atom."""
    return sum({own.record: own.records for own in gains if own.gain > accepted}.values())


def _of_sample(common: SelectionLeakFound, worlds: Worlds, sample: SampledWorlds) -> SelectionLeakFound:
    """Return the figures of sampled worlds."""
    live = np.flatnonzero(worlds.live[worlds.blocks])
    gains: list[Gain] = []
    above = certain = 0
    for estimate in (sample.kept, sample.starred):
        if estimate is not None:
            gains += _largest(worlds, estimate, live)
            gain = estimate.posterior - estimate.pairs.shares
            first, at = np.unique(estimate.pairs.first[gain > common.accepted], return_index=True)
            above += int(estimate.pairs.sizes[gain > common.accepted][at].sum()) if len(first) else 0
    uppers = [
        sample.most if own is None else max(own.upper, sample.most) for own in (sample.kept, sample.starred)
    ]
    return replace(
        common,
        suppression_bits=sample.suppression_bits,
        choice_bits=sample.choice_bits,
        is_exact=False,
        gains=_ordered(gains),
        kept_upper=uppers[0] if worlds.competitors else 0.0,
        suppressed_upper=uppers[1] if worlds.starred >= 0 else 0.0,
        surprise=surprise_of(sample.same, sample.dealt),
        worlds=sample.dealt,
        suppressing=sample.suppressing,
        same=sample.same,
        above=above,
        certain=certain,
        classes=sample.classes,
        sweeps=sample.sweeps,
        effective=0.0 if sample.kept is None else sample.kept.effective,
        not_mixed=sample.not_mixed,
    )


def _largest(worlds: Worlds, estimate: Estimate, live: IntArray) -> Iterator[Gain]:
    """Return the largest estimated gains."""
    gains = estimate.posterior - estimate.pairs.shares
    pairs, tails = estimate.pairs, worlds.tails
    for place in np.argsort(-gains, kind="stable")[:_LISTED].tolist():
        column, value = int(pairs.columns[place]), int(pairs.values[place])
        yield Gain(
            int(live[pairs.first[place]]) + 1,
            int(pairs.sizes[place]),
            tails.name(column),
            tails.text(column, value),
            float(pairs.shares[place]),
            float(estimate.posterior[place]),
            float(gains[place]),
            float(gains[place] + estimate.radius[place]),
            bool(pairs.starred[place]),
        )
