"""Samples of the worlds of a release: probabilities of what is the same in them, with their confidence.

Worlds are dealt independently. Where too few of them are alike, suppressed classes are dealt one by one, and
the others follow a chain of deals from the true one, which is such a world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from math import log, log2
from threading import Event
from types import ModuleType
from typing import TypeVar

import numpy as np

from engine.cached import cached_property
from engine.errors import InvariantError
from engine.findings.worlds import Worlds
from engine.kernels import worlds as interpreted
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.binomial import upper_tail
from engine.kernels.threads import n_threads
from engine.kernels.worlds import (
    DISTINCT,
    ENTROPY,
    EQUAL,
    GAIN,
    MOVED,
    MOVED_STARS,
    ORDERED,
    SHARE,
    Cards,
    Nodes,
    Rules,
    State,
    Tally,
    start_of,
)
from engine.monitor import SILENT, Monitor
from engine.privacy import PrivacyModel
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.entropy_l_diversity import TOLERANCE, EntropyLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import acceleration
from engine.words import N_, _

ALPHA = 0.05  # all bounds hold together with probability 0.95
DEALS, FEW_DEALS, ENOUGH = 2_000, 300, 200  # independent worlds, those after which it may end, alike ones
MOST_FAILING, MOST_DEALS = 20_000, 20_000_000  # deals of a suppressed class
CHAINS, BATCHES = 2, 20  # batches are of one chain
SPLITTING, WARM = 250, 50  # sweeps of a chain per level, and those before
_MOST_LEVELS, ENOUGH_OF_LEVEL = 60, 0.1  # levels, and the share of deals that ends them
_PATIENCE = 0.2  # seconds between two looks at the monitor
_AT_ONCE, _DEALS_AT_ONCE = 8, 100_000  # sweeps and deals between two looks at the monitor
SECONDS_INTERPRETED = 1e-4  # of one record of a deal without compiled kernels
_SUPPRESSED, _CHAIN = N_("Dealing suppressed classes"), N_("Sampling deals with the same choice")
_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Pairs:
    """Atoms with the values that their records may have.

    Attributes
    ----------
    first : ndarray of int64, shape (n_pairs,)
        First record of the atom, among the live ones.
    columns, values, sizes : ndarray of int64, shape (n_pairs,)
        Column of gains, value, and records of the atom.
    shares : ndarray of float64, shape (n_pairs,)
        Share of the block with the value.
    starred : ndarray of bool, shape (n_pairs,)
        Whether the records are suppressed.
    """

    first: IntArray
    columns: IntArray
    values: IntArray
    sizes: Counts
    shares: FloatArray
    starred: BoolArray

    def only(self, wanted: BoolArray) -> Pairs:
        """Return some of them."""
        own = (self.first, self.columns, self.values, self.sizes)
        first, columns, values, sizes = (one[wanted] for one in own)
        return Pairs(first, columns, values, sizes, self.shares[wanted], self.starred[wanted])


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated posteriors of pairs of atom and value; arrays have shape (n_pairs,).

    Attributes
    ----------
    radius : ndarray of float64
        All posteriors differ by at most this from the true ones, with probability 1 - `ALPHA`.
    effective : float
        Number of independent samples that are worth as much.
    """

    pairs: Pairs
    posterior: FloatArray
    radius: FloatArray
    effective: float

    @property
    def upper(self) -> float:
        """Upper bound of every gain."""
        return float(np.max(self.posterior + self.radius - self.pairs.shares, initial=0.0))

    def only(self, wanted: BoolArray) -> Estimate:
        """Return some of the pairs."""
        return Estimate(self.pairs.only(wanted), self.posterior[wanted], self.radius[wanted], self.effective)


@dataclass(frozen=True)
class FailingClasses:
    """Suppressed classes of one size that must fail, dealt by themselves."""

    size: int
    classes: int
    dealt: int
    failing: int


@dataclass(frozen=True, eq=False)
class SampledWorlds:
    """Figures of a sample.

    Attributes
    ----------
    dealt, suppressing, same : int
        Worlds that were dealt independently, those with the same records suppressed, and those in which the
        same node is chosen, too.
    suppression_bits, choice_bits : float or None
        None if it is not known.
    classes : tuple of FailingClasses
        Empty if independent worlds were enough.
    kept, starred : Estimate or None
        Of kept and of suppressed records; None if their gains are 0, or only known by `most`.
    most : float
        Upper bound of every gain that has no estimate.
    sweeps : int
        Samples of the chains.
    not_mixed : int
        Pairs without a figure, since the chains differ.
    """

    dealt: int
    suppressing: int
    same: int
    suppression_bits: float | None
    choice_bits: float | None
    classes: tuple[FailingClasses, ...] = ()
    kept: Estimate | None = None
    starred: Estimate | None = None
    most: float = 0.0
    sweeps: int = 0
    not_mixed: int = 0


def why_not_sampled(worlds: Worlds) -> str:
    """Return why deals cannot be sampled; empty if they can."""
    if worlds.problem.measures_parts or any(
        _rule(model, worlds) is None for model in worlds.requirement.models
    ):
        return _("Not measured: the sample judges k, l, (α, k), basic β and t only, in whole classes.")
    if any(own.worth is not None and own.factors is None for own in worlds.competitors):
        return _("Not measured: the metric is no sum over classes.")
    return ""


def surprise_of(same: int, dealt: int) -> float:
    """Return the share of other worlds at most, at `1 - ALPHA`, by those of independent ones [1]_.

    References
    ----------
    .. [1] Clopper, Pearson (1934). The Use of Confidence or Fiducial Limits.
    """
    low, high = 0.0, 1.0  # of the share of worlds that are alike: above the first, not above the second
    trials, least = np.array([dealt]), np.array([same])
    while same and high - low > 1e-9:
        share = (low + high) / 2
        is_possible = float(upper_tail(trials, least, share)[0]) > ALPHA
        low, high = (low, share) if is_possible else (share, high)
    return 1 - low


def deal_worlds(worlds: Worlds, least: float, monitor: Monitor = SILENT) -> tuple[int, int]:
    """Deal independent worlds, until it is clear that less than a share of them is alike.

    Returns
    -------
    int
        Worlds that are alike.
    int
        All of them.
    """
    acceleration.fetch_if_worth(SECONDS_INTERPRETED * len(worlds.blocks) * DEALS, ("worlds",), monitor)
    table = _Table(worlds, acceleration.kernels("worlds") or interpreted)
    dealt, found = table.player(0), np.zeros(3, dtype=np.int64)
    while found[0] < DEALS and found[0] - found[2] <= (1 - least) * DEALS:
        monitor.step(int(found[0]), DEALS, _(_CHAIN))
        table.kernels.deal_independent(
            _AT_ONCE, dealt.cards, table.base, table.rules, table.nodes, dealt.state, dealt.tally, found
        )
    return int(found[2]), int(found[0])


def sample_worlds(worlds: Worlds, sweeps: int, monitor: Monitor = SILENT) -> SampledWorlds:
    """Sample the deals of a release, if `why_not_sampled` has no reason; the same numbers each time.

    Parameters
    ----------
    sweeps : int
        Samples of the chains, if there have to be chains.
    """
    seconds = SECONDS_INTERPRETED * len(worlds.blocks) * (DEALS + sweeps)
    acceleration.fetch_if_worth(seconds, ("worlds",), monitor)
    table = _Table(worlds, acceleration.kernels("worlds") or interpreted)
    dealt = table.player(0)
    found = np.zeros(3, dtype=np.int64)
    while found[0] < DEALS and not (found[0] >= FEW_DEALS and found[2] < found[0] * ENOUGH / (2 * DEALS)):
        monitor.step(int(found[0]), DEALS, _(_CHAIN))
        table.kernels.deal_independent(
            _AT_ONCE, dealt.cards, table.base, table.rules, table.nodes, dealt.state, dealt.tally, found
        )
    n, n_suppressing, n_same = found.tolist()
    if n_same == n:
        return SampledWorlds(n, n, n, 0.0, 0.0, most=1 - ALPHA ** (1 / n))
    if n_same >= ENOUGH:
        is_starred = table.pairs.starred
        kept, starred = (
            _estimate([dealt.tally], n_same, table.pairs, own) for own in (~is_starred, is_starred)
        )
        bits = -log2(n_suppressing / n), -log2(n_same / n_suppressing)
        return SampledWorlds(n, n_suppressing, n_same, *bits, kept=kept, starred=starred)
    classes, starred_or_none, suppression = table.suppressed(monitor)
    most = 1.0 if suppression is None else 0.0
    if not worlds.competitors:
        return SampledWorlds(
            n, n_suppressing, n_same, suppression, 0.0, classes, starred=starred_or_none, most=most
        )
    choice = table.split(monitor)
    estimate, not_mixed = table.chain(sweeps, monitor)
    return SampledWorlds(
        n,
        n_suppressing,
        n_same,
        suppression,
        choice,
        classes,
        estimate,
        starred_or_none,
        most,
        sweeps,
        not_mixed,
    )


@dataclass(frozen=True, eq=False)
class _Player:
    """A deal that changes, with what is counted of it."""

    cards: Cards
    state: State
    tally: Tally


@dataclass(frozen=True, eq=False)
class _Table:
    """The live records of some worlds, as kernels deal them."""

    worlds: Worlds
    kernels: ModuleType
    _seed: int = field(default=2007)

    @cached_property
    def live(self) -> IntArray:
        """The live records."""
        return np.flatnonzero(self.worlds.live[self.worlds.blocks])

    @cached_property
    def blocks(self) -> IntArray:
        """Live block of every live record, without gaps."""
        return np.unique(self.worlds.blocks[self.live], return_inverse=True)[1].astype(np.int64)

    @cached_property
    def starred(self) -> IntArray:
        """Live records that are suppressed, by their number among the live ones."""
        return np.flatnonzero(self.worlds.blocks[self.live] == self.worlds.starred)

    @cached_property
    def columns(self) -> list[int]:
        """Sensitive column of every model."""
        names = [attribute.name for attribute in self.worlds.problem.sensitive]
        return [names.index(model.columns[0]) for model in self.worlds.requirement.models]

    @cached_property
    def offsets(self) -> IntArray:
        """Place of the first value of every model in a histogram, and the end."""
        sensitive = self.worlds.problem.sensitive
        return np.concatenate(([0], np.cumsum([sensitive[j].n_values for j in self.columns]))).astype(
            np.int64
        )

    @cached_property
    def rules(self) -> Rules:
        sensitive = self.worlds.problem.sensitive
        found = [rule for model in self.worlds.requirement.models if (rule := _rule(model, self.worlds))]
        totals = np.concatenate([sensitive[j].reference.counts for j in self.columns])
        return Rules(
            np.array([kind for kind, _limit in found], dtype=np.int64),
            self.offsets[:-1],
            self.offsets[1:],
            np.array([limit for _kind, limit in found], dtype=np.float64),
            totals.astype(np.int64),
            np.array([self.worlds.problem.n_records], dtype=np.int64),
        )

    @cached_property
    def values(self) -> IntArray:
        """Place of the cells of every live record in a histogram, by model."""
        tails = self.worlds.tails
        return np.ascontiguousarray(tails.values[tails.codes[self.live]][:, self.columns] + self.offsets[:-1])

    @cached_property
    def base(self) -> IntArray:
        """Cells of open classes that no deal moves, shape (n_open, n_places)."""
        worlds = self.worlds
        found = np.zeros((worlds.n_open, int(self.offsets[-1])), dtype=np.int64)
        is_still = ~worlds.live[worlds.blocks]
        for of_node in worlds.open_of:
            records = np.flatnonzero(is_still & (of_node >= 0))
            places = worlds.tails.values[worlds.tails.codes[records]][:, self.columns] + self.offsets[:-1]
            np.add.at(found, (of_node[records][:, None], places), 1)
        return found

    @cached_property
    def nodes(self) -> Nodes:
        """The released node and its competitors."""
        worlds = self.worlds
        sizes = np.bincount(worlds.open_of[worlds.open_of >= 0], minlength=worlds.n_open).astype(np.int64)
        starts = np.array([first for first, _end in worlds.ranges] + [worlds.n_open])
        factors = [own.factors if own.worth is not None else None for own in worlds.competitors]
        width = max((len(own[0]) for own in factors if own is not None), default=1)
        sums = np.ones((len(starts) - 1, width))
        powers, added = np.zeros_like(sums), np.zeros((worlds.n_open, width))
        budgets = [int(sizes[: starts[1]].sum())]
        before = np.zeros((len(starts) - 1, 2), dtype=np.int64)
        released = np.zeros(3)
        for h, (own, known) in enumerate(zip(worlds.competitors, factors, strict=True), 1):
            budgets.append(own.budget)
            if own.worth is None or known is None:
                continue
            sums[h], added[starts[h] : starts[h + 1]], powers[h], released[2] = known
            suppressed, *order = own.worth.order
            before[h] = own.records[~own.kept].sum(), (sum(own.node), own.node) < tuple(order)
            released[:2] = own.worth.value, suppressed
        always = np.array([0, *(own.worth is None for own in worlds.competitors)], dtype=np.int64)
        of_class = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        return Nodes(
            of_class,
            sizes,
            starts,
            np.array(budgets, dtype=np.int64),
            always,
            before,
            sums,
            powers,
            added,
            released,
        )

    @cached_property
    def gain_values(self) -> IntArray:
        """Values of every live record by column of gains: sensitive columns, and all together if several."""
        tails = self.worlds.tails
        codes = tails.codes[self.live]
        own = tails.values[codes]
        return own if own.shape[1] == 1 else np.column_stack((own, codes))

    @cached_property
    def _of_pairs(self) -> tuple[Pairs, IntArray, IntArray]:
        """Return the pairs, the first pair of every record, and the number of its own value in its block."""
        atoms, first, numbers = np.unique(
            self.worlds.atoms[self.live], return_index=True, return_inverse=True
        )
        sizes, blocks = np.bincount(numbers), self.blocks
        block_sizes = np.bincount(blocks)
        found, starts, local = [], [], []
        offset = 0
        for j, values in enumerate(self.gain_values.T):
            width = int(values.max()) + 1
            keys, places, counts = np.unique(blocks * width + values, return_inverse=True, return_counts=True)
            of_block = np.searchsorted(keys // width, np.arange(len(block_sizes) + 1))
            local.append(places - of_block[blocks])
            lengths = np.diff(of_block)[blocks[first]]
            begins = np.concatenate(([0], np.cumsum(lengths)))
            starts.append((offset + begins[:-1])[numbers])
            offset += int(begins[-1])
            atom = np.repeat(np.arange(len(atoms)), lengths)
            key = np.arange(begins[-1]) - begins[:-1][atom] + of_block[blocks[first]][atom]
            share = counts[key] / block_sizes[keys[key] // width]
            found.append((first[atom], np.full(len(atom), j), keys[key] % width, sizes[atom], share))
        firsts, columns, of_pair, of_atom, shares = (np.concatenate(own) for own in zip(*found, strict=True))
        is_starred = self.worlds.blocks[self.live][firsts] == self.worlds.starred
        pairs = Pairs(firsts, columns, of_pair, of_atom, shares, is_starred)
        return pairs, np.stack(starts, axis=1).astype(np.int64), np.stack(local, axis=1).astype(np.int64)

    @property
    def pairs(self) -> Pairs:
        """Atoms and values."""
        return self._of_pairs[0]

    def player(self, number: int) -> _Player:
        """Return the true deal with a generator of its own."""
        worlds, n = self.worlds, len(self.live)
        order = np.argsort(self.blocks, kind="stable")
        starts = np.searchsorted(self.blocks[order], np.arange(int(self.blocks.max()) + 2))
        own = worlds.open_of[:, self.live]
        records, nodes = np.nonzero(own.T >= 0)
        moved = np.minimum(np.diff(starts), MOVED)
        if len(self.starred):
            moved[self.blocks[self.starred[0]]] = min(MOVED_STARS, len(self.starred))
        cards = Cards(
            np.arange(n),
            order.astype(np.int64),
            starts.astype(np.int64),
            moved.astype(np.int64),
            np.searchsorted(records, np.arange(n + 1)).astype(np.int64),
            np.ascontiguousarray(own[nodes, records]),
            self.values,
        )
        failing, touched, verdicts, marks = (np.zeros(worlds.n_open, dtype=np.int64) for _array in range(4))
        state = State(
            np.zeros_like(self.base),
            np.zeros((worlds.n_open, len(self.rules.kinds)), dtype=np.int64),
            failing,
            np.zeros(len(self.nodes.budgets), dtype=np.int64),
            touched,
            verdicts,
            marks,
            np.zeros(n, dtype=np.int64),
            start_of(self._seed + 7919 * number),
        )
        pairs, starts_of, local = self._of_pairs
        sums = [np.zeros(len(pairs.first)) for _sum in range(4)]
        tally = Tally(starts_of, local, pairs.sizes, np.zeros(len(pairs.first), dtype=np.int64), *sums)
        self.kernels.count_deal(cards, self.base, self.rules, self.nodes, state)
        if self.worlds.is_preceded:
            return _Player(cards, state, tally)
        if not self.kernels.suppresses(state, self.nodes) or self.kernels.excess(state, self.nodes):
            raise InvariantError("the true table is not one of the worlds")
        return _Player(cards, state, tally)

    def suppressed(
        self, monitor: Monitor
    ) -> tuple[tuple[FailingClasses, ...], Estimate | None, float | None]:
        """Deal the suppressed classes that must fail one by one.

        Returns
        -------
        tuple of FailingClasses
        Estimate or None
            Of all suppressed records; None if none has to fail.
        float or None
            Bits, as if classes did not depend on each other; None if a class never failed.
        """
        worlds = self.worlds
        if not len(worlds.must_fail):
            return (), None, 0.0
        of_class = self.nodes.sizes[: len(worlds.must_fail)]
        sizes, counts = np.unique(of_class, return_counts=True)
        pairs = self.pairs
        chosen = np.flatnonzero(pairs.starred)
        keys = pairs.columns[chosen] * (int(pairs.values.max()) + 1) + pairs.values[chosen]
        kinds, at, places = np.unique(keys, return_index=True, return_inverse=True)
        width = int(pairs.values.max()) + 1
        own = self.gain_values[self.starred]
        local = np.searchsorted(kinds, np.arange(own.shape[1]) * width + own).astype(np.int64)

        works = [partial(self._deal_failing, size, len(kinds), local) for size in sizes.tolist()]
        dealt = _side_by_side(works, monitor, _(_SUPPRESSED))
        classes = tuple(
            FailingClasses(size, n, *map(int, found))
            for size, n, (found, _totals) in zip(sizes.tolist(), counts.tolist(), dealt, strict=True)
        )
        if any(not own.failing for own in classes):
            return classes, None, None
        posterior = np.array(
            [totals / (found[1] * size) for size, (found, totals) in zip(sizes, dealt, strict=True)]
        )
        n_failing = np.array([own.failing for own in classes], dtype=np.float64)[:, None]
        radius = _radius(posterior * (1 - posterior), n_failing, posterior.size)
        # what the classes hold more than their share, the other suppressed records hold less
        size_of = self._fails[pairs.first[chosen]]
        is_rest, row = size_of < 0, np.searchsorted(sizes, np.maximum(size_of, sizes[0]))
        n_rest = len(own) - int(of_class.sum())
        weights = (sizes * counts)[:, None]
        shares = pairs.shares[chosen][at]
        rest = (shares * len(own) - (weights * posterior).sum(axis=0)) / max(n_rest, 1)
        rest_radius = (weights * radius).sum(axis=0) / max(n_rest, 1)
        found_posterior = np.where(is_rest, rest[places], posterior[row, places])
        found_radius = np.where(is_rest, rest_radius[places], radius[row, places])
        whole = Estimate(
            pairs, np.zeros(len(pairs.first)), np.zeros(len(pairs.first)), float(n_failing.min())
        )
        whole.posterior[chosen], whole.radius[chosen] = found_posterior, found_radius
        bits = sum(-log2(own.failing / own.dealt) * own.classes for own in classes)
        return classes, whole.only(pairs.starred), bits

    def _deal_failing(self, size: int, n_kinds: int, local: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Deal a class of a size; yield deals and failing ones, and what records hold in these."""
        found, totals = np.zeros(2, dtype=np.int64), np.zeros(n_kinds, dtype=np.int64)
        values = np.ascontiguousarray(self.values[self.starred])
        histogram = np.zeros(int(self.offsets[-1]), dtype=np.int64)
        order, random = np.arange(len(values)), start_of(self._seed + size)
        while found[0] < MOST_DEALS and found[1] < MOST_FAILING:
            self.kernels.deal_failing(
                _DEALS_AT_ONCE,
                MOST_FAILING,
                size,
                values,
                self.rules,
                histogram,
                order,
                local,
                totals,
                random,
                found,
            )
            yield found, totals

    @cached_property
    def _fails(self) -> IntArray:
        """Size of the class that must fail of every live record; -1 for others."""
        own = self.worlds.open_of[0, self.live]
        return np.where(own >= 0, self.nodes.sizes[np.maximum(own, 0)], -1)

    def split(self, monitor: Monitor) -> float | None:
        """Return the bits of the choice by splitting; None if the chains did not reach it.

        Each level is the median of how much the competitor that comes closest stays within its budget.
        """
        level, bits = 1 << 60, 0.0
        for number in range(_MOST_LEVELS):
            works = [partial(self._scores, 1000 + CHAINS * number + own, level) for own in range(CHAINS)]
            scores = np.concatenate([own[WARM:] for own in _side_by_side(works, monitor, _(_CHAIN))])
            share = float(np.mean(scores == 0))
            if share >= ENOUGH_OF_LEVEL:
                return bits - log2(share)
            lower = int(np.median(scores))
            if lower >= level:  # many are alike
                lower = int(np.max(scores[scores < level], initial=-1))
            if lower < 0:
                return None
            bits -= log2(float(np.mean(scores <= lower)))
            level = lower
        return None

    def _scores(self, number: int, level: int) -> Iterator[IntArray]:
        """Follow a chain of deals up to a level; yield the excess after every sweep."""
        player, scores = self.player(number), np.zeros(SPLITTING, dtype=np.int64)
        for start in range(0, SPLITTING, _AT_ONCE):
            self._run(player, level, scores[start : start + _AT_ONCE], 0)
            yield scores

    def chain(self, sweeps: int, monitor: Monitor) -> tuple[Estimate, int]:
        """Return the posteriors of kept records by chains, and how many do not mix."""
        batch = max(1, sweeps // (CHAINS * BATCHES))
        works = [partial(self._follow, 1 + number, batch) for number in range(CHAINS)]
        tallies = [player.tally for player in _side_by_side(works, monitor, _(_CHAIN))]
        is_kept = ~self.pairs.starred
        whole = _estimate(tallies, CHAINS * BATCHES * batch, self.pairs, is_kept, batch)
        one, other = (tally.totals[is_kept] / (BATCHES * batch) for tally in tallies)
        mixes = np.abs(one - other) <= 2 * whole.radius
        return whole.only(mixes), int((~mixes).sum())

    def _follow(self, number: int, batch: int) -> Iterator[_Player]:
        """Follow a chain of deals with the same choice; yield it often, with what it has counted."""
        player = self.player(number)
        for _batch in range(BATCHES):
            for start in range(0, batch, _AT_ONCE):
                scores = np.zeros(min(_AT_ONCE, batch - start), dtype=np.int64)
                self._run(player, 0, scores, 1)
                yield player
            self.kernels.close_batch(player.tally)

    def _run(self, player: _Player, level: int, scores: IntArray, counts: int) -> None:
        self.kernels.run_chain(
            level, player.cards, self.rules, self.nodes, player.state, player.tally, scores, counts
        )


def _side_by_side(works: Sequence[Callable[[], Iterator[_T]]], monitor: Monitor, text: str) -> list[_T]:
    """Run each work to its end, several at a time, and return what they yield last."""
    is_over = Event()

    def run(work: Callable[[], Iterator[_T]]) -> _T:
        for found in work():
            latest = found
            if is_over.is_set():
                break
        return latest

    with ThreadPoolExecutor(max(1, min(n_threads(), len(works)))) as pool:
        futures = [pool.submit(run, work) for work in works]
        try:
            left = set(futures)
            while left:
                monitor.step(len(futures) - len(left), len(futures), text)
                left = wait(left, timeout=_PATIENCE).not_done
        finally:
            is_over.set()
        return [future.result() for future in futures]


def _estimate(tallies: Sequence[Tally], n: int, pairs: Pairs, wanted: BoolArray, batch: int = 0) -> Estimate:
    """Return the posteriors of some pairs by n samples, with the radius that holds for all of them together.

    Samples of a chain, in batches, are worth fewer independent ones.
    """
    mean = sum((own.totals[wanted] for own in tallies), start=np.zeros(int(wanted.sum()))) / n
    variance = np.maximum(sum(own.squares[wanted] for own in tallies) / n - mean**2, 0.0)
    worth = 1.0
    if batch and variance.sum():
        n_batches = n // batch
        of_means = sum(own.batch_squares[wanted] for own in tallies) / (n_batches * batch**2) - mean**2
        worth = max(1.0, batch * n_batches / (n_batches - 1) * float(of_means.sum() / variance.sum()))
    return Estimate(pairs.only(wanted), mean, _radius(variance, n / worth, len(mean)), n / worth)


def _radius(variance: FloatArray, n: float | FloatArray, n_pairs: int) -> FloatArray:
    """Return the radius of empirical Bernstein bounds that hold for all pairs together."""
    most = log(3 * max(n_pairs, 1) / ALPHA)
    return np.asarray(np.sqrt(2 * variance * most / n) + 3 * most / n)


def _rule(model: PrivacyModel, worlds: Worlds) -> tuple[int, float] | None:
    """Return what a kernel measures for a model, and its limit; None if it does not."""
    if isinstance(model, DistinctLDiversity):
        return DISTINCT, model.l
    if isinstance(model, AlphaKAnonymity):
        return SHARE, model.alpha
    if isinstance(model, EntropyLDiversity) and model.estimator == "shannon":
        return ENTROPY, log(model.limit * (1 - TOLERANCE))
    if type(model) is BasicBetaLikeness:
        return GAIN, model.beta
    if isinstance(model, TCloseness):
        own = next(own for own in worlds.problem.sensitive if own.name == model.column)
        kind = model.distance or own.default_distance
        return {"equal": (EQUAL, model.t), "ordered": (ORDERED, model.t)}.get(kind)
    return None
