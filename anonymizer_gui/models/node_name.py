"""Names of nodes: how a node differs from the optimum, or what it generalizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonymizer_gui.widgets.level_glyph import Glyph
from engine.numbers import as_vector
from engine.words import N_, _, ngettext

if TYPE_CHECKING:
    from anonymizer_gui.session.results import Results
    from engine.frequency import Problem
    from engine.lattice import Node

_MOST_NAMED = 2  # columns by which a node is named
_SHORT = 3  # letters of a short name, unless four are the whole name

# Aggregated values, where "20-year bands" would be misleading.
_OF_CLASSES = {0: N_("equal values"), 1: N_("the class")}


class LevelWords:
    """Descriptions of the levels of a problem's attributes."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._known: dict[tuple[int, int], str] = {}

    def level(self, attribute: int, level: int) -> str:
        """Return the description of a level: "unchanged", "20-year bands", "hidden", "mean of the class"."""
        from engine.hierarchies.words import describe_level

        if (attribute, level) not in self._known:
            entry = self._problem.attributes[attribute]
            words = describe_level(entry.hierarchy, level, entry.column.data_type, entry.name)
            if entry.released_as:
                words = _("{function} of {values}").format(
                    function=entry.released_as, values=self._aggregated(attribute, level, words)
                )
            self._known[attribute, level] = words
        return self._known[attribute, level]

    def short(self, node: Node) -> tuple[str, ...]:
        """Return a node's generalized columns in a few words each: "20-year age", "no city"."""
        if not any(node):
            return (_("original values"),)
        entries = self._problem.attributes
        hidden = [self.is_hidden(q, level) for q, level in enumerate(node)]
        if all(hidden):
            return (_("everything hidden"),)
        if hidden.count(False) == 1:
            q = hidden.index(False)
            words = self._short(q, node[q]) or entries[q].name
            return (_("only {column}").format(column=words),)
        found = [self._short(q, level) for q, level in enumerate(node)]
        return tuple(
            words
            if found.count(words) == 1
            else _("{column}: {words}").format(column=entry.name, words=words)
            for entry, words in zip(entries, found, strict=True)
            if words
        )

    def _short(self, q: int, level: int) -> str:
        from engine.hierarchies.words import short_level

        entry = self._problem.attributes[q]
        if entry.released_as and level:
            return _("{column}: {words}").format(column=entry.name, words=entry.released_as)
        return short_level(entry.hierarchy, level, entry.column.data_type, entry.name)

    def _aggregated(self, attribute: int, level: int, words: str) -> str:
        if level == 0:
            return _(_OF_CLASSES[0])
        return _(_OF_CLASSES[1]) if self.is_hidden(attribute, level) else words

    def is_hidden(self, attribute: int, level: int) -> bool:
        """Return whether all values of a column are equal on a level."""
        return len(self._problem.attributes[attribute].hierarchy.levels[level].labels) == 1

    def is_kept_or_hidden(self, attribute: int, level: int) -> bool:
        """Return whether a level has the values themselves or only `*`, without an aggregate."""
        from engine.hierarchies.words import is_kept_or_hidden

        entry = self._problem.attributes[attribute]
        return not entry.released_as and is_kept_or_hidden(entry.hierarchy, level)

    def levels_with(self, attribute: int, *parts: str, with_name: bool = True) -> frozenset[int]:
        """Return the levels whose description, after the name of the column, has all parts in any case."""
        entry = self._problem.attributes[attribute]
        name, wanted = f"{entry.name}: " if with_name else "", [part.casefold() for part in parts]
        texts = {q: name + self.level(attribute, q) for q in range(entry.minimum, entry.maximum + 1)}
        return frozenset(q for q, text in texts.items() if all(part in text.casefold() for part in wanted))

    def node(self, node: Node) -> list[tuple[str, str]]:
        """Return pairs of attribute and description."""
        return [(self._problem.attributes[q].name, self.level(q, level)) for q, level in enumerate(node)]


@dataclass(frozen=True)
class NamedNode:
    """A node as the window shows it.

    Attributes
    ----------
    name : str
        How it differs from the optimum, or what it generalizes.
    glyph : Glyph
        Its levels, with the columns that differ from the optimum.
    details : str
        One line per column, those that differ first, then the vector.
    """

    name: str
    glyph: Glyph
    details: str


def named_node(
    node: Node,
    problem: Problem,
    optimum: Node | None = None,
    words: LevelWords | None = None,
    *,
    is_proved: bool = True,
    fails: bool = False,
) -> NamedNode:
    """Name a node of a problem.

    Parameters
    ----------
    optimum : tuple of int, optional
        What it is compared with.
    words : LevelWords, optional
        Descriptions of the levels of the same problem.
    is_proved : bool
        Whether `optimum` is one; else it is the best node so far.
    fails : bool
        Whether the node fails the requirement.
    """
    words = words or LevelWords(problem)
    names = [attribute.name for attribute in problem.attributes]
    heights = tuple(attribute.hierarchy.height for attribute in problem.attributes)
    differing = frozenset(q for q, level in enumerate(node) if optimum and level != optimum[q])
    order = sorted(range(len(names)), key=lambda q: q not in differing)
    lines = [
        _("{column}: {words} ({level} of {height})").format(
            column=names[q], words=words.level(q, node[q]), level=node[q], height=heights[q]
        )
        for q in order
    ]
    if optimum is None:
        name = own_name(node, problem, words)
    else:
        name = node_name(node, names, heights, optimum, is_proved=is_proved)
    return NamedNode(
        name, Glyph(tuple(node), heights, differing, fails), "\n".join((*lines, as_vector(node)))
    )


def named_in(node: Node | None, results: Results) -> NamedNode | None:
    """Name a node by its distance to the optimum of the results; None if it is not in their lattice."""
    problem = results.problem
    if node is None or problem is None or node not in problem.lattice:
        return None
    return named_node(node, problem, results.optimum, is_proved=results.is_optimum_proved)


def own_name(node: Node, problem: Problem, words: LevelWords | None = None) -> str:
    """Name a node by what it generalizes, independent of any optimum: "city: hidden, age: 20-year bands"."""
    words = words or LevelWords(problem)
    heights = [entry.hierarchy.height for entry in problem.attributes]
    return _own_name(node, problem.names, heights, [text for _name, text in words.node(node)])


def node_name(
    node: Sequence[int],
    names: Sequence[str],
    heights: Sequence[int] = (),
    optimum: Sequence[int] | None = None,
    *,
    is_proved: bool = True,
) -> str:
    """Name a node by its distance to the optimum, without one by the columns that it generalizes.

    Examples: "The optimum", "Optimum, finer in age, coarser in city", "Differs from the optimum in 4
    columns", "Nothing hidden", "Generalizes city and age". `heights` are the highest levels, if known.
    """
    if optimum is None:
        return _own_name(node, names, heights)
    coarser = [name for name, level, best in zip(names, node, optimum, strict=True) if level > best]
    finer = [name for name, level, best in zip(names, node, optimum, strict=True) if level < best]
    n = len(coarser) + len(finer)
    if n > _MOST_NAMED:
        if is_proved:
            text = ngettext(
                "Differs from the optimum in {n} column", "Differs from the optimum in {n} columns", n
            )
        else:
            text = ngettext(
                "Differs from the best so far in {n} column", "Differs from the best so far in {n} columns", n
            )
        return text.format(n=n)
    if not n:
        return _("The optimum") if is_proved else _("The best so far")
    if coarser and finer:
        text = (
            _("Optimum, finer in {finer}, coarser in {coarser}")
            if is_proved
            else _("Best so far, finer in {finer}, coarser in {coarser}")
        )
        return text.format(finer=finer[0], coarser=coarser[0])
    if coarser:
        text = _("Optimum, coarser in {columns}") if is_proved else _("Best so far, coarser in {columns}")
    else:
        text = _("Optimum, finer in {columns}") if is_proved else _("Best so far, finer in {columns}")
    return text.format(columns=listed(coarser or finer))


def _own_name(
    node: Sequence[int], names: Sequence[str], heights: Sequence[int], words: Sequence[str] = ()
) -> str:
    if not any(node):
        return _("Nothing hidden")
    if heights and tuple(node) == tuple(heights):
        return _("Everything hidden")
    shares = [level / (height or 1) for level, height in zip(node, heights or (1,) * len(node), strict=True)]
    generalized = sorted((q for q, level in enumerate(node) if level), key=lambda q: -shares[q])
    first, n_more = generalized[:_MOST_NAMED], len(generalized) - _MOST_NAMED
    if words:
        lines = [_("{column}: {words}").format(column=names[q], words=words[q]) for q in first]
        text = ", ".join(lines)
        if n_more <= 0:
            return text
        return ngettext("{columns} and {n} more column", "{columns} and {n} more columns", n_more).format(
            columns=text, n=n_more
        )
    if n_more <= 0:
        return _("Generalizes {columns}").format(columns=listed([names[q] for q in first]))
    return ngettext(
        "Generalizes {columns} and {n} more column", "Generalizes {columns} and {n} more columns", n_more
    ).format(columns=", ".join(names[q] for q in first), n=n_more)


def listed(names: Sequence[str]) -> str:
    """Return names as part of a sentence: "a, b and c"."""
    if len(names) < 2:
        return "".join(names)
    return _("{first} and {last}").format(first=", ".join(names[:-1]), last=names[-1])


def short_names(names: Sequence[str]) -> tuple[str, ...]:
    """Shorten column names: up to four letters whole, else three, and more where two would be equal."""
    lengths = [len(name) if len(name) <= _SHORT + 1 else _SHORT for name in names]
    while True:
        short = [name[:length] for name, length in zip(names, lengths, strict=True)]
        again = [i for i, text in enumerate(short) if short.count(text) > 1 and lengths[i] < len(names[i])]
        if not again:
            return tuple(short)
        for i in again:
            lengths[i] += 1
