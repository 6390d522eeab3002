"""Deals of sensitive cells within blocks, and a chain through those in which the same node is chosen.

The code can be interpreted or compiled; both draw the same numbers, by the sum of two generators [1]_.

References
----------
.. [1] Marsaglia (2003). Xorshift RNGs. Journal of Statistical Software 8(14). With a congruential generator.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, FloatArray, IntArray

DISTINCT, SHARE, EQUAL, ORDERED, ENTROPY, GAIN = range(6)  # what a model measures of a class
_WORD = (1 << 32) - 1
MOVED, MOVED_STARS = 32, 3  # cells that are dealt anew in a step: of a kept class, of the suppressed records


class Rules(NamedTuple):
    """The models that an open class must meet.

    Attributes
    ----------
    kinds, starts, ends : ndarray of int64, shape (n_models,)
        What is measured, and the places of the values in a histogram, which has those of every model.
    limits : ndarray of float64, shape (n_models,)
    totals : ndarray of int64, shape (n_places,)
        Records of the whole table per value.
    n_records : ndarray of int64, shape (1,)
    """

    kinds: IntArray
    starts: IntArray
    ends: IntArray
    limits: FloatArray
    totals: Counts
    n_records: Counts


class Cards(NamedTuple):
    """Records of the live blocks and the cells that they hold in the current deal.

    Attributes
    ----------
    held : ndarray of int64, shape (n_cards,)
        Whose cells each record holds.
    places : ndarray of int64, shape (n_cards,)
        The records of every block, in any order.
    starts : ndarray of int64, shape (n_blocks + 1,)
        First record of every block, and the end.
    moved : ndarray of int64, shape (n_blocks,)
        Records that are dealt anew in a step.
    class_starts, class_ids : ndarray of int64
        Open classes of every record.
    values : ndarray of int64, shape (n_cards, n_models)
        Place of the cells of a record in a histogram, by model.
    """

    held: IntArray
    places: IntArray
    starts: IntArray
    moved: IntArray
    class_starts: IntArray
    class_ids: IntArray
    values: IntArray


class Nodes(NamedTuple):
    """Open classes of the released node, which must fail, and of others, of which too many must.

    Attributes
    ----------
    of_class, sizes : ndarray of int64, shape (n_open,)
        Node and records of every open class.
    first : ndarray of int64, shape (n_nodes + 1,)
        First open class of every node; the released one comes first.
    budgets : ndarray of int64, shape (n_nodes,)
        Records that may fail, so that the node is chosen if it is worth more.
    always : ndarray of int64, shape (n_nodes,)
        1 if it is chosen whatever its value.
    before : ndarray of int64, shape (n_nodes, 2)
        Records suppressed in closed classes; 1 if the node is the first one at equal suppression.
    sums, powers : ndarray of float64, shape (n_nodes, n_factors)
        Its value with no open class failing: a product of powers.
    added : ndarray of float64, shape (n_open, n_factors)
        What a failing class adds to the sums.
    released : ndarray of float64, shape (3,)
        Value of the released node, its suppressed records, and what to subtract from the product.
    """

    of_class: IntArray
    sizes: Counts
    first: IntArray
    budgets: Counts
    always: IntArray
    before: IntArray
    sums: FloatArray
    powers: FloatArray
    added: FloatArray
    released: FloatArray


class State(NamedTuple):
    """Verdicts on the current deal.

    Attributes
    ----------
    histograms : ndarray of int64, shape (n_open, n_places)
        Records per value; for an ordered distance by how much those up to a value exceed their due, times the
        records of the table.
    sums : ndarray of int64, shape (n_open, n_models)
        What the measure is computed from, if it is kept up to date.
    failing : ndarray of int64, shape (n_open,)
    lost : ndarray of int64, shape (n_nodes,)
        Records of failing open classes.
    touched, verdicts, marks : ndarray of int64, shape (n_open,)
        Scratch: classes of a step, their verdicts before, and 1 for these.
    old : ndarray of int64, shape (n_cards,)
        Scratch: what was held before.
    random : ndarray of int64, shape (2,)
        State of the generator.
    """

    histograms: IntArray
    sums: IntArray
    failing: IntArray
    lost: Counts
    touched: IntArray
    verdicts: IntArray
    marks: IntArray
    old: IntArray
    random: IntArray


class Tally(NamedTuple):
    """Sums over samples, by atom and value.

    Attributes
    ----------
    pairs : ndarray of int64, shape (n_cards, n_columns)
        First pair of the atom of a record, by column of gains.
    local : ndarray of int64, shape (n_cards, n_columns)
        Number of the value of its own cells in its block.
    sizes : ndarray of int64, shape (n_pairs,)
        Records of the atom.
    now : ndarray of int64, shape (n_pairs,)
        Scratch: counts of one sample.
    totals, squares, batch, batch_squares : ndarray of float64, shape (n_pairs,)
        Sums of shares, of their squares, of those of the current batch, and of squares of sums of batches.
    """

    pairs: IntArray
    local: IntArray
    sizes: Counts
    now: Counts
    totals: FloatArray
    squares: FloatArray
    batch: FloatArray
    batch_squares: FloatArray


def start_of(seed: int) -> NDArray[np.int64]:
    """Return the state of the generator for a seed, from 0."""
    return np.array([(seed * 2654435761 + 88675123) & _WORD or 1, seed * 69069 + 1 & _WORD], dtype=np.int64)


def draw(random: Any, n: Any) -> Any:
    """Return a number from 0 to n - 1."""
    word = random[0] ^ ((random[0] << 13) & _WORD)
    word ^= word >> 17
    word ^= (word << 5) & _WORD
    random[0], random[1] = word, (random[1] * 69069 + 12345) & _WORD
    return (((word + random[1]) & _WORD) * n) >> 32


def meets(histogram: Any, size: Any, rules: Any) -> Any:
    """Return whether a class meets all models."""
    for m in range(len(rules.kinds)):  # noqa: SIM110  compiled code allocates no generator
        if not meets_one(histogram, size, m, rules):
            return False
    return True


def meets_one(histogram: Any, size: Any, m: Any, rules: Any) -> Any:
    """Return whether a class meets a model; measured as the model does, with one rounding."""
    kind, start, end, limit = rules.kinds[m], rules.starts[m], rules.ends[m], rules.limits[m]
    n_records = rules.n_records[0]
    if kind == DISTINCT:
        found = 0
        for v in range(start, end):
            if histogram[v] > 0:
                found += 1
                if found >= limit:
                    return True
        return found >= limit
    if kind == SHARE:
        most = 0
        for v in range(start, end):
            most = max(most, histogram[v])
        return most / size <= limit
    if kind == EQUAL:
        total = 0
        for v in range(start, end):
            total += max(histogram[v] * n_records - rules.totals[v] * size, 0)
        return total / (size * n_records) <= limit
    if kind == ORDERED:
        total, ahead = 0, 0
        for v in range(start, end):
            ahead += histogram[v] * n_records - rules.totals[v] * size
            total += abs(ahead)
        return end - start < 2 or total / (size * n_records * (end - start - 1)) <= limit
    if kind == GAIN:
        for v in range(start, end):
            due = rules.totals[v] * size
            if histogram[v] > 0 and (histogram[v] * n_records - due) / due > limit:
                return False
        return True
    bits = 0.0
    for v in range(start, end):
        if histogram[v] > 0:
            bits += histogram[v] * np.log1p((size - histogram[v]) / histogram[v])
    return bits / size >= limit


def precedes(h: Any, state: Any, nodes: Any) -> Any:
    """Return whether a node that satisfies is chosen instead of the released one."""
    if nodes.always[h]:
        return True
    value = 1.0
    for q in range(nodes.sums.shape[1]):
        total = nodes.sums[h, q]
        for c in range(nodes.first[h], nodes.first[h + 1]):
            if state.failing[c]:
                total += nodes.added[c, q]
        value *= total ** nodes.powers[h, q]
    value -= nodes.released[2]
    own, least = nodes.released[0], min(value, nodes.released[0])
    if max(value, own) > least + abs(least) * 1e-12:
        return value < own
    suppressed = nodes.before[h, 0] + state.lost[h]
    if suppressed != nodes.released[1]:
        return suppressed < nodes.released[1]
    return nodes.before[h, 1] == 1


def excess(state: Any, nodes: Any) -> Any:
    """Return by how many records the node that comes closest is within its budget; 0 if none is chosen."""
    found = 0
    for h in range(1, len(nodes.budgets)):
        own = nodes.budgets[h] + 1 - state.lost[h]
        if own > found and precedes(h, state, nodes):
            found = own
    return found


def suppresses(state: Any, nodes: Any) -> Any:
    """Return whether the classes of the released node that must fail do so."""
    return state.lost[0] == nodes.budgets[0]


def meets_now(c: Any, size: Any, rules: Any, state: Any) -> Any:
    """Return whether an open class meets all models in the current deal."""
    for m in range(len(rules.kinds)):
        kind, found = rules.kinds[m], state.sums[c, m]
        if kind == DISTINCT:
            holds = found >= rules.limits[m]
        elif kind == EQUAL:
            holds = found / (size * rules.n_records[0]) <= rules.limits[m]
        elif kind == ORDERED:
            width = rules.ends[m] - rules.starts[m] - 1
            holds = width < 1 or found / (size * rules.n_records[0] * width) <= rules.limits[m]
        else:
            holds = meets_one(state.histograms[c], size, m, rules)
        if not holds:
            return False
    return True


def count_deal(cards: Any, base: Any, rules: Any, nodes: Any, state: Any) -> None:
    """Count and judge a whole deal."""
    for c in range(base.shape[0]):
        for v in range(base.shape[1]):
            state.histograms[c, v] = base[c, v]
    for i in range(len(cards.held)):
        for k in range(cards.class_starts[i], cards.class_starts[i + 1]):
            for j in range(cards.values.shape[1]):
                state.histograms[cards.class_ids[k], cards.values[cards.held[i], j]] += 1
    for h in range(len(state.lost)):
        state.lost[h] = 0
    for c in range(len(nodes.sizes)):
        for m in range(len(rules.kinds)):
            state.sums[c, m] = first_sum(state.histograms[c], nodes.sizes[c], m, rules)
        state.failing[c] = 0 if meets_now(c, nodes.sizes[c], rules, state) else 1
        state.lost[nodes.of_class[c]] += state.failing[c] * nodes.sizes[c]


def first_sum(histogram: Any, size: Any, m: Any, rules: Any) -> Any:
    """Return the sum of a model for a counted class, whose histogram becomes that of an ordered distance."""
    found, ahead, kind, n_records = 0, 0, rules.kinds[m], rules.n_records[0]
    for v in range(rules.starts[m], rules.ends[m]):
        over = histogram[v] * n_records - rules.totals[v] * size
        if kind == DISTINCT:
            found += 1 if histogram[v] > 0 else 0
        elif kind == EQUAL:
            found += max(over, 0)
        elif kind == ORDERED:
            ahead += over
            histogram[v] = ahead
            found += abs(ahead)
    return found


def move_one(c: Any, m: Any, one: Any, other: Any, rules: Any, nodes: Any, state: Any) -> None:
    """Let a record of an open class have another value."""
    histogram, kind, n_records = state.histograms[c], rules.kinds[m], rules.n_records[0]
    if kind == ORDERED:
        less = n_records if one < other else -n_records
        change = 0
        for v in range(min(one, other), max(one, other)):
            change += abs(histogram[v] - less) - abs(histogram[v])
            histogram[v] -= less
        state.sums[c, m] += change
        return
    histogram[one] -= 1
    histogram[other] += 1
    if kind == DISTINCT:
        state.sums[c, m] += (1 if histogram[other] == 1 else 0) - (1 if histogram[one] == 0 else 0)
    elif kind == EQUAL:
        size = nodes.sizes[c]
        over = histogram[one] * n_records - rules.totals[one] * size
        state.sums[c, m] -= max(over + n_records, 0) - max(over, 0)
        over = histogram[other] * n_records - rules.totals[other] * size
        state.sums[c, m] += max(over, 0) - max(over - n_records, 0)


def mix(cards: Any, start: Any, n: Any, random: Any) -> None:
    """Deal the cells of n records anew among them, from a place on."""
    places, held = cards.places, cards.held
    for i in range(n - 1, 0, -1):
        one, other = places[start + i], places[start + draw(random, i + 1)]
        held[one], held[other] = held[other], held[one]


def deal_independent(
    n_deals: Any, cards: Any, base: Any, rules: Any, nodes: Any, state: Any, tally: Any, found: Any
) -> None:
    """Deal worlds independently; `found` counts all, those that suppress the same, and those alike."""
    for _deal in range(n_deals):
        for b in range(len(cards.starts) - 1):
            mix(cards, cards.starts[b], cards.starts[b + 1] - cards.starts[b], state.random)
        count_deal(cards, base, rules, nodes, state)
        found[0] += 1
        if not suppresses(state, nodes):
            continue
        found[1] += 1
        if excess(state, nodes) == 0:
            found[2] += 1
            record(cards, tally)


def record(cards: Any, tally: Any) -> None:
    """Add the current deal to the tally."""
    for i in range(len(cards.held)):
        for j in range(tally.pairs.shape[1]):
            tally.now[tally.pairs[i, j] + tally.local[cards.held[i], j]] += 1
    for p in range(len(tally.now)):
        if tally.now[p]:
            share = tally.now[p] / tally.sizes[p]
            tally.totals[p] += share
            tally.squares[p] += share * share
            tally.batch[p] += share
            tally.now[p] = 0


def close_batch(tally: Any) -> None:
    """End a batch of samples."""
    for p in range(len(tally.batch)):
        tally.batch_squares[p] += tally.batch[p] * tally.batch[p]
        tally.batch[p] = 0.0


def sweep(cards: Any, level: Any, rules: Any, nodes: Any, state: Any) -> None:
    """Try steps in every block, of as many records each as a step has, until each record was in one."""
    for b in range(len(cards.starts) - 1):
        start, end, n = cards.starts[b], cards.starts[b + 1], cards.moved[b]
        for i in range(end - start - 1, 0, -1):
            one, other = start + i, start + draw(state.random, i + 1)
            cards.places[one], cards.places[other] = cards.places[other], cards.places[one]
        for first in range(start, end, n):
            step(first, min(n, end - first), cards, level, rules, nodes, state)


def step(start: Any, n: Any, cards: Any, level: Any, rules: Any, nodes: Any, state: Any) -> None:
    """Deal the cells of n places anew, if then the same records fail and no node exceeds the level."""
    for i in range(start, start + n):
        state.old[cards.places[i]] = cards.held[cards.places[i]]
    mix(cards, start, n, state.random)
    n_touched = np.int64(0)
    for i in range(start, start + n):
        card = cards.places[i]
        n_touched = move(card, state.old[card], cards.held[card], n_touched, cards, rules, nodes, state)
    for t in range(n_touched):
        c = state.touched[t]
        state.marks[c] = 0
        state.verdicts[t] = state.failing[c]
        fails = 0 if meets_now(c, nodes.sizes[c], rules, state) else 1
        state.lost[nodes.of_class[c]] += (fails - state.failing[c]) * nodes.sizes[c]
        state.failing[c] = fails
    if suppresses(state, nodes) and excess(state, nodes) <= level:
        return
    for t in range(n_touched):
        c = state.touched[t]
        state.lost[nodes.of_class[c]] += (state.verdicts[t] - state.failing[c]) * nodes.sizes[c]
        state.failing[c] = state.verdicts[t]
    n_touched = np.int64(0)
    for i in range(start, start + n):
        card = cards.places[i]
        n_touched = move(card, cards.held[card], state.old[card], n_touched, cards, rules, nodes, state)
        cards.held[card] = state.old[card]
    for t in range(n_touched):
        state.marks[state.touched[t]] = 0


def move(
    card: Any, before: Any, now: Any, n_touched: Any, cards: Any, rules: Any, nodes: Any, state: Any
) -> Any:
    """Count what a record holds now instead; return the number of classes touched so far."""
    if before == now:
        return n_touched
    for m in range(len(rules.kinds)):
        one, other = cards.values[before, m], cards.values[now, m]
        if one == other:
            continue
        for k in range(cards.class_starts[card], cards.class_starts[card + 1]):
            c = cards.class_ids[k]
            move_one(c, m, one, other, rules, nodes, state)
            if state.marks[c] == 0:
                state.marks[c] = 1
                state.touched[n_touched] = c
                n_touched += 1
    return n_touched


def run_chain(
    level: Any, cards: Any, rules: Any, nodes: Any, state: Any, tally: Any, scores: Any, counts: Any
) -> None:
    """Sweep once for each of `scores` and fill in its excess; record the deals if `counts` is not 0."""
    for s in range(len(scores)):
        sweep(cards, level, rules, nodes, state)
        scores[s] = excess(state, nodes)
        if counts:
            record(cards, tally)


def deal_failing(
    n_deals: Any,
    most: Any,
    size: Any,
    values: Any,
    rules: Any,
    histogram: Any,
    places: Any,
    local: Any,
    counts: Any,
    random: Any,
    found: Any,
) -> None:
    """Deal a class of a size from the suppressed records, again and again; count deals that fail.

    Parameters
    ----------
    n_deals, most : int
        Largest number of deals now, and of failing ones in all.
    values : ndarray of int64, shape (n_cards, n_models)
        As those of `Cards`.
    histogram : ndarray of int64, shape (n_places,)
        Scratch of zeros.
    places : ndarray of int64, shape (n_cards,)
        All records in any order.
    local : ndarray of int64, shape (n_cards, n_gain_columns)
        Place of a value in `counts`.
    counts : ndarray of int64
        Records of each value in failing deals; filled.
    found : ndarray of int64, shape (2,)
        Deals and failing ones; filled.
    """
    n_cards = len(places)
    for _deal in range(n_deals):
        if found[1] >= most:
            return
        for i in range(size):
            j = i + draw(random, n_cards - i)
            places[i], places[j] = places[j], places[i]
            for k in range(values.shape[1]):
                histogram[values[places[i], k]] += 1
        found[0] += 1
        fails = not meets(histogram, size, rules)
        if fails:
            found[1] += 1
        for i in range(size):
            for k in range(values.shape[1]):
                histogram[values[places[i], k]] -= 1
            if fails:
                for k in range(local.shape[1]):
                    counts[local[places[i], k]] += 1
