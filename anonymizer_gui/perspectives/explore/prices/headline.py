"""One sentence over the price table, made of its numbers: the first of a list of cases that applies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

from anonymizer_gui.models.node_name import listed
from anonymizer_gui.perspectives.explore.metric_text import metric_text, metric_title
from anonymizer_gui.perspectives.explore.prices.rows import (
    NO_EXTRA,
    Priced,
    difference,
    level_title,
    named_level,
)
from engine.numbers import as_exact_count, as_nodes
from engine.words import _, ngettext, within_sentence

MOST_LETTERS = 96
_NEAR, _CHEAP = 0.02, 0.05  # of the optimum's value


@dataclass(frozen=True)
class Found:
    """What the sentence is made of.

    Attributes
    ----------
    n_optima : int
        Nodes that share the least value.
    remedy : str
        The smallest change by which a node would satisfy; empty if none is known.
    largest_k : int or None
        The largest k for which a node besides the most general one satisfies.
    gives_way : tuple of str
        Columns in which the best node with all insisted levels is coarser than the optimum.
    """

    priced: Priced
    n_satisfying: int
    n_scored: int
    n_all: int
    n_optima: int
    remedy: str = ""
    largest_k: int | None = None
    gives_way: tuple[str, ...] = ()

    @property
    def reference(self) -> float:
        return self.priced.prices.reference

    def title(self, column: int, level: int) -> str:
        """Return a level in words."""
        return level_title(self.priced, column, level, with_count=False)

    def named(self, column: int, level: int) -> str:
        """Return a level in words, with its column unless it describes itself."""
        return named_level(self.priced, column, level)

    def cells(self) -> Iterator[tuple[int, int, float]]:
        """Yield column, level and price of all cells."""
        for column in range(len(self.priced.problem.names)):
            prices = self.priced.prices.of(column)
            yield from ((column, level, float(prices[level])) for level in self.priced.levels(column))

    def price(self, price: float) -> str:
        return difference(self.priced.metric, price)


def headline(found: Found) -> str:
    """Return the sentence, of at most 96 letters unless names are longer."""
    cases: Sequence[Callable[[Found], str]] = (
        _nothing,
        _hidden_only,
        _partly,
        _original,
        _insisted,
        _shared,
        _need_not_be_hidden,
        _never_unchanged,
        _cheap,
        _dearest,
    )
    return next((text for text in (case(found) for case in cases) if text), "")


def _first(name: str) -> str:
    """Return a name as the begin of a sentence."""
    return name[:1].upper() + name[1:]


def _nothing(found: Found) -> str:
    if found.n_satisfying or found.n_scored < found.n_all:
        return ""
    if not found.remedy:
        return _("No node satisfies.")
    return _("No node satisfies. The smallest change: {remedy}.").format(remedy=found.remedy)


def _hidden_only(found: Found) -> str:
    lattice = found.priced.problem.lattice
    is_alone = found.n_satisfying == 1 and found.priced.optimum == lattice.maximum
    words = found.priced.words
    if not is_alone or not all(words.is_hidden(q, level) for q, level in enumerate(lattice.maximum)):
        return ""
    if found.largest_k is None:
        return _('Only "everything hidden" satisfies.')
    text = _('Only "everything hidden" satisfies. The largest k with another node is {k}.')
    return text.format(k=as_exact_count(found.largest_k))


def _partly(found: Found) -> str:
    if found.priced.is_proved and found.n_satisfying:
        return ""
    if found.n_scored == found.n_all and found.n_satisfying:
        return ""
    text = _("Best so far: {scored} of {nodes} scored, every {metric} is at most what is shown.")
    return text.format(
        scored=as_exact_count(found.n_scored),
        nodes=as_nodes(found.n_all),
        metric=within_sentence(metric_title(found.priced.metric)),
    )


def _original(found: Found) -> str:
    priced = found.priced
    if priced.insisted or priced.optimum is None or priced.optimum != priced.problem.lattice.minimum:
        return ""
    return "" if any(priced.optimum) else _("The original values satisfy. Nothing needs to be generalized.")


def _insisted(found: Found) -> str:
    priced = found.priced
    if not priced.insisted:
        return ""
    levels = listed([found.named(q, level) for q, level in priced.insisted.items()])
    if priced.prices.chosen is None:
        return _impossible_together(found, levels)
    price = found.price(priced.prices.chosen.value - found.reference)
    columns, n = (
        listed(list(map(_first, found.gives_way[:1])) + list(found.gives_way[1:])),
        len(found.gives_way),
    )
    texts = [_("With {levels}: {price}.").format(levels=levels, price=price)]
    if n:
        way = ngettext(
            "With {levels}: {price}. {columns} gives way.", "With {levels}: {price}. {columns} give way.", n
        )
        texts.insert(0, way.format(levels=levels, price=price, columns=columns))
    many = ngettext(
        "With {n} insisted level: {price}.", "With {n} insisted levels: {price}.", len(priced.insisted)
    )
    texts.append(many.format(n=len(priced.insisted), price=price))
    return next((text for text in texts if len(text) <= MOST_LETTERS), texts[-1])


def _impossible_together(found: Found, levels: str) -> str:
    """Say which of the insisted levels costs least to release."""
    prices = found.priced.prices
    without = {q: float(prices.of(q).min(initial=inf)) for q in found.priced.insisted}
    least = min(without, key=lambda q: without[q])
    if without[least] == inf:
        return _("No node has {levels} together.").format(levels=levels)
    return _("No node has {levels} together. Without {level}: {price}.").format(
        levels=levels,
        level=found.named(least, found.priced.insisted[least]),
        price=found.price(without[least]),
    )


def _shared(found: Found) -> str:
    if found.n_optima < 2:
        return ""
    text = ngettext(
        "{n} node has the lowest {metric}, {value}.",
        "{n} nodes share the lowest {metric}, {value}.",
        found.n_optima,
    )
    return text.format(
        n=as_exact_count(found.n_optima),
        metric=within_sentence(metric_title(found.priced.metric)),
        value=metric_text(found.priced.metric)(found.reference),
    )


def _need_not_be_hidden(found: Found) -> str:
    priced = found.priced
    near = [
        (price, column, level)
        for column, level, price in found.cells()
        if priced.optimum is not None
        and priced.words.is_hidden(column, priced.optimum[column])
        and level < priced.optimum[column]
        and price < _NEAR * found.reference
    ]
    if not near:
        return ""
    price, column, level = min(near)
    return _("{column} need not be hidden: {level} costs {price}.").format(
        column=_first(priced.problem.names[column]),
        level=found.title(column, level),
        price=found.price(price),
    )


def _never_unchanged(found: Found) -> str:
    priced = found.priced
    impossible: dict[int, int] = {}
    for column, _level, price in found.cells():
        impossible[column] = impossible.get(column, 0) + (price == inf)
    columns = [
        q for q, n in impossible.items() if n and priced.levels(q)[0] == 0 and priced.prices.of(q)[0] == inf
    ]
    if not columns:
        return ""
    column = max(columns, key=lambda q: impossible[q])
    finest = next((level for q, level, price in found.cells() if q == column and price < inf), None)
    if finest is None:
        return ""
    name, title = priced.problem.names[column], found.title(column, finest)
    price = float(priced.prices.of(column)[finest])
    if price < NO_EXTRA:
        return _("No node leaves {column} unchanged; {level} is the finest.").format(column=name, level=title)
    text = _("No node leaves {column} unchanged; {level} costs {price}.")
    return text.format(column=name, level=title, price=found.price(price))


def _cheap(found: Found) -> str:
    dearest = max((price for _q, _level, price in found.cells()), default=inf)
    if not dearest < _CHEAP * found.reference:
        return ""
    return _("Detail is cheap here: no level costs more than {price}.").format(price=found.price(dearest))


def _dearest(found: Found) -> str:
    optimum = found.priced.optimum
    finer = [
        (price, -column, level)
        for column, level, price in found.cells()
        if optimum is not None and level < optimum[column] and price < inf
    ]
    if not finer:
        return ""
    price, column, level = max(finer)
    name, words = found.priced.problem.names[-column], found.title(-column, level)
    if not level:
        return _("The dearest detail is {column} unchanged: {price}.").format(
            column=name, price=found.price(price)
        )
    text = _("The dearest detail is {level} of {column}: {price}.")
    return text.format(level=words, column=name, price=found.price(price))
