"""Compiled kernels that join the equal classes of one node into cells."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import index
from engine.kernels.compiled.contents import SPREAD, add_union, fetch, find, has_room, touch
from engine.kernels.compiled.jit import compiled
from engine.kernels.compiled.rollup import lowest_bit

COUNTED_SIZES = 1024  # classes of smaller sizes are counted by size; larger ones are cells by themselves
NO_ROOM, LOST = -1, -2


class CellFields(NamedTuple):
    """Position of the summed words of cells in the words of classes.

    A weight needs few bits and a sum of weights many. So classes store the weights of several words of sums
    in one word, each shifted so that no two overlap.

    Attributes
    ----------
    carriers : ndarray of int64, shape (n_words,)
        Word of the class, per word of sums.
    shifts, masks : ndarray of uint64, shape (n_words,)
        Shift of the weights in that word, and their bits after shifting back.
    """

    carriers: NDArray[np.int64]
    shifts: NDArray[np.uint64]
    masks: NDArray[np.uint64]


class Cells(NamedTuple):
    """The cells of some nodes, one after the other.

    Attributes
    ----------
    kinds : ndarray of int32, shape (room,)
        Class size, or the number of the content if there are sensitive attributes.
    records : ndarray of int32, shape (room,)
    words : ndarray of uint64, shape (n_words, room)
        Sums over the classes of the cell.
    reals : ndarray of float64, shape (n_reals, room)
    """

    kinds: NDArray[np.int32]
    records: NDArray[np.int32]
    words: NDArray[np.uint64]
    reals: NDArray[np.float64]


class Tally(NamedTuple):
    """Working space: classes of one node by size, or by content.

    Attributes
    ----------
    classes : ndarray of int32, shape (4 * COUNTED_SIZES,)
    words : ndarray of uint64, shape (n_words, 4 * COUNTED_SIZES)
    reals : ndarray of float64, shape (n_reals, 4 * COUNTED_SIZES), or None in plain walks
        Sums by size, all 0 between nodes.
    occurs : ndarray of uint8, shape (COUNTED_SIZES,)
        1 for sizes that occurred.
    eights : ndarray of uint64, shape (COUNTED_SIZES / 8,)
        The same memory, eight sizes at a time.
    slots : ndarray of int32
        Cell by content; its length is a power of two of at least twice the classes.
    places : ndarray of int32, shape (room,)
        Cell of every class of the node.
    """

    classes: NDArray[np.int32]
    words: NDArray[np.uint64]
    reals: NDArray[np.float64] | None
    occurs: NDArray[np.uint8]
    eights: NDArray[np.uint64]
    slots: NDArray[np.int32]
    places: NDArray[np.int32]
    carried: CellFields


def make_cells(room: int, n_words: int, n_reals: int) -> Cells:
    """Allocate room for a number of cells."""
    return Cells(
        np.empty(room, dtype=np.int32),
        np.empty(room, dtype=np.int32),
        np.empty((n_words, room), dtype=np.uint64),
        np.empty((n_reals, room), dtype=np.float64),
    )


def make_tally(room: int, carried: CellFields, n_reals: int, *, sensitive: bool) -> Tally:
    """Allocate working space for nodes of up to a number of classes."""
    inner = room if sensitive else 0
    n_words = len(carried.carriers)
    occurs = np.zeros(COUNTED_SIZES, dtype=np.uint8)
    return Tally(
        np.zeros(4 * COUNTED_SIZES, dtype=np.int32),
        np.zeros((n_words, 4 * COUNTED_SIZES), dtype=np.uint64),
        np.zeros((n_reals, 4 * COUNTED_SIZES), dtype=np.float64) if sensitive or n_reals else None,
        occurs,
        occurs.view(np.uint64),
        np.empty(1 << (2 * inner).bit_length(), dtype=np.int32),
        np.empty(inner, dtype=np.int32),
        carried,
    )


@compiled
def cells_by_size(arena: Any, begin: Any, length: Any, tally: Any, cells: Any, n_cells: Any) -> Any:
    """Add the cells of a node without sensitive attributes.

    Parameters
    ----------
    begin, length : int
        Rows of the node.
    n_cells : int
        Number of cells; there must be room for `length` more.

    Returns
    -------
    int
        Number of cells afterwards.
    """
    counts = arena.counts
    n_words = tally.words.shape[0]
    rows = range(index(begin), index(begin + length))
    one_pass = 2 if n_words >= 2 else 0  # words summed while classes are counted
    n_large = _count_two(arena, rows, tally) if one_pass else _count(arena, rows, tally)
    two, three, most = index(2), index(3), index(COUNTED_SIZES)
    for w in range(one_pass, n_words):
        sums, words = tally.words[w], arena.words[tally.carried.carriers[w]]
        shift, mask = tally.carried.shifts[w], tally.carried.masks[w]
        for row in rows:
            size = index(counts[row])
            if size < most:
                sums[(size << two) | (row & three)] += (words[row] >> shift) & mask
    _sum_reals(counts, arena.reals, tally.reals, rows)
    n_cells = _empty(tally, tally.reals, cells, n_cells)
    if n_large:
        for row in rows:
            if counts[row] >= COUNTED_SIZES:
                cells.kinds[n_cells] = counts[row]
                cells.records[n_cells] = counts[row]
                for w in range(n_words):
                    carried = arena.words[tally.carried.carriers[w], row]
                    cells.words[w, n_cells] = (carried >> tally.carried.shifts[w]) & tally.carried.masks[w]
                _copy_reals(arena.reals, row, cells, n_cells)
                n_cells += 1
    return n_cells


@compiled
def _sum_reals(counts: Any, all_reals: Any, all_totals: Any, rows: Any) -> None:
    if all_reals is not None:
        two, three, most = index(2), index(3), index(COUNTED_SIZES)
        for r in range(all_reals.shape[0]):
            totals, reals = all_totals[r], all_reals[r]
            for row in rows:
                size = index(counts[row])
                if size < most:
                    totals[(size << two) | (row & three)] += reals[row]


@compiled
def _copy_reals(reals: Any, row: Any, cells: Any, cell: Any) -> None:
    if reals is not None:
        for r in range(reals.shape[0]):
            cells.reals[r, cell] = reals[r, row]


@compiled
def _count(arena: Any, rows: Any, tally: Any) -> Any:
    """Count classes by size; return how many are too large for that."""
    counts, classes, occurs = arena.counts, tally.classes, tally.occurs
    two, three, most = index(2), index(3), index(COUNTED_SIZES)
    n_large = 0
    for row in rows:
        size = index(counts[row])
        # neighbours are counted in different tables, since two additions at one address would wait
        if size < most:
            classes[(size << two) | (row & three)] += np.int32(1)
            occurs[size] = 1
        else:
            n_large += 1
    return n_large


@compiled
def _count_two(arena: Any, rows: Any, tally: Any) -> Any:
    """Count like `_count`, and sum the first two words in the same pass."""
    counts, classes, occurs = arena.counts, tally.classes, tally.occurs
    first_sums, second_sums = tally.words[0], tally.words[1]
    carriers, shifts, masks = tally.carried.carriers, tally.carried.shifts, tally.carried.masks
    first_words, second_words = arena.words[carriers[0]], arena.words[carriers[1]]
    first_shift, second_shift, first_mask, second_mask = shifts[0], shifts[1], masks[0], masks[1]
    two, three, most = index(2), index(3), index(COUNTED_SIZES)
    n_large = 0
    for row in rows:
        size = index(counts[row])
        if size < most:
            place = (size << two) | (row & three)
            classes[place] += np.int32(1)
            occurs[size] = 1
            first_sums[place] += (first_words[row] >> first_shift) & first_mask
            second_sums[place] += (second_words[row] >> second_shift) & second_mask
        else:
            n_large += 1
    return n_large


@compiled
def _empty(tally: Any, reals: Any, cells: Any, n_cells: Any) -> Any:
    """Turn the counted sizes into cells; return the number of cells afterwards."""
    classes, words, eights = tally.classes, tally.words, tally.eights
    kinds, records = cells.kinds, cells.records
    zero, one, two, three = index(0), index(1), index(2), index(3)
    o = index(n_cells)
    for eight in range(index(len(eights))):
        marks = eights[eight]
        eights[eight] = zero
        while marks:
            size = (eight << three) | (lowest_bit(marks) >> three)
            marks &= marks - one
            lane = size << two
            n = classes[lane] + classes[lane | one] + classes[lane | two] + classes[lane | three]
            classes[lane] = classes[lane | one] = classes[lane | two] = classes[lane | three] = 0
            kinds[o] = size
            records[o] = n * np.int32(size)
            for w in range(words.shape[0]):
                sums = words[w]
                cells.words[w, o] = sums[lane] + sums[lane | one] + sums[lane | two] + sums[lane | three]
                sums[lane] = sums[lane | one] = sums[lane | two] = sums[lane | three] = zero
            if reals is not None:
                for r in range(reals.shape[0]):
                    totals = reals[r]
                    cells.reals[r, o] = (
                        totals[lane] + totals[lane | one] + totals[lane | two] + totals[lane | three]
                    )
                    totals[lane] = totals[lane | one] = totals[lane | two] = totals[lane | three] = 0.0
            o += one
    return np.int64(o)


@compiled
def cells_by_content(
    arena: Any, begin: Any, length: Any, tally: Any, contents: Any, union: Any, cells: Any, n_cells: Any
) -> Any:
    """Add the cells of a node with sensitive values, numbering new contents.

    Parameters and result as `cells_by_size`; `NO_ROOM` if `contents` must grow first (nothing is added then),
    `LOST` if the records of a content do not add up.
    """
    known = _number(arena, begin, length, tally, contents, union)
    if known < 0:
        return known
    counts, numbers = arena.counts, arena.contents
    slots, places, kinds, records = tally.slots, tally.places, cells.kinds, cells.records
    n_slots = 2
    while n_slots < 2 * length:
        n_slots *= 2
    mask = index(n_slots - 1)
    slots[:n_slots] = -1
    first_cell = index(n_cells)
    end = first_cell
    for i in range(index(length)):
        if counts[index(begin) + i] == 0:  # people without a record: no cell, in a place that none needs then
            places[i] = length - 1
            continue
        number = numbers[index(begin) + i]
        slot = ((index(number) * index(SPREAD)) >> index(32)) & mask
        cell = slots[slot]
        while cell >= 0 and kinds[first_cell + index(cell)] != number:
            slot = (slot + index(1)) & mask
            cell = slots[slot]
        if cell < 0:
            cell = np.int32(end - first_cell)
            slots[slot] = cell
            kinds[end] = number
            records[end] = 0
            end += index(1)
        records[first_cell + index(cell)] += counts[index(begin) + i]
        places[i] = cell
    for w in range(cells.words.shape[0]):
        sums, words = cells.words[w], arena.words[tally.carried.carriers[w]]
        shift, mask = tally.carried.shifts[w], tally.carried.masks[w]
        sums[first_cell:end] = 0
        for i in range(index(length)):
            sums[first_cell + index(places[i])] += (words[index(begin) + i] >> shift) & mask
    for r in range(arena.reals.shape[0]):
        totals, reals = cells.reals[r], arena.reals[r]
        totals[first_cell:end] = 0.0
        for i in range(index(length)):
            totals[first_cell + index(places[i])] += reals[index(begin) + i]
    return np.int64(end)


@compiled
def _number(arena: Any, begin: Any, length: Any, tally: Any, contents: Any, union: Any) -> Any:
    """Find the content of every class, numbering new ones; `NO_ROOM`, `LOST` or 0."""
    counts, heads, links, numbers = arena.counts, arena.heads, arena.links, arena.contents
    first_prints, second_prints = arena.prints[0], arena.prints[1]
    rows = tally.places
    n_merged = index(0)
    for row in range(index(begin), index(begin + length)):
        head = index(heads[row])
        numbers[row] = numbers[head]
        rows[n_merged] = row
        n_merged += index(links[head] >= 0)
    rows = rows[:n_merged]
    touch(contents, union, rows, first_prints)
    n_new = index(0)
    for row in rows:
        number = find(contents.table, first_prints[index(row)], second_prints[index(row)])
        numbers[index(row)] = number
        rows[n_new] = row
        n_new += index(number < 0)
    rows = rows[:n_new]
    fetch(contents, union, rows, heads, links, numbers)
    for row in rows:
        # checked again, since an earlier class of this node may have the same content or the slot
        number = find(contents.table, first_prints[row], second_prints[row])
        if number < 0:
            if not has_room(contents, min(len(union.counts), counts[row] * union.n_attributes + 1)):
                return NO_ROOM
            first, second = first_prints[row], second_prints[row]
            slot = -1 - number
            number = add_union(contents, union, slot, first, second, counts[row], heads[row], numbers, links)
            if number < 0:
                return LOST
        numbers[row] = number
    return 0
