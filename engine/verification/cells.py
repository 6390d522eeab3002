"""Expected text of every released cell, and the cells that differ from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.aggregates import title_of
from engine.verification.claims import STAR, ReleaseClaim
from engine.verification.findings import SHOWN, Findings, UnverifiableError
from engine.verification.readers.collecting import Vocabularies, Vocabulary
from engine.words import _

Paths = Mapping[int, tuple[int, ...]]
_WITHOUT, _AND = " without ", ", "


def hierarchy_paths(claim: ReleaseClaim, original: pd.DataFrame, known: Vocabularies) -> dict[str, Paths]:
    """Return label codes level by level, per class-forming quasi-identifier and value.

    Raises
    ------
    UnverifiableError
        If a hierarchy is absent, contradicts itself, lacks a value or has no such level.
    """
    paths = {name: _paths(claim, name, original[name], known[name]) for name in claim.forming}
    if claim.node is None:
        paths = {
            name: _with_remainders(claim.hierarchies[name], own, known[name]) for name, own in paths.items()
        }
    return paths


def _paths(claim: ReleaseClaim, name: str, values: pd.Series[int], vocabulary: Vocabulary) -> Paths:
    paths = value_paths(claim, name, list(values.unique()), vocabulary)
    if claim.node is not None:
        level = claim.node.get(name)
        if level is None or not 0 <= level < len(claim.hierarchies[name][0]):
            raise UnverifiableError(
                _("The hierarchy of '{name}' has no level {level}.").format(name=name, level=level)
            )
    return paths


def _with_remainders(rows: Sequence[Sequence[str]], paths: Paths, vocabulary: Vocabulary) -> Paths:
    """Add the labels of groups without some of their parts to the paths of the values that are left."""
    held: dict[str, set[int]] = {}
    for row in rows:
        for label in row:
            held.setdefault(label, set()).add(vocabulary.code(row[0]))
    found = {value: list(path) for value, path in paths.items()}
    for code, text in enumerate(list(vocabulary.texts)):
        words = text.split(_WITHOUT)
        splits = ((_WITHOUT.join(words[:i]), _WITHOUT.join(words[i:])) for i in range(1, len(words)))
        for group, listed in splits if text not in held else ():
            gone = _values_listed(listed, held)
            if group in held and gone and gone < held[group]:
                for value in held[group] - gone:
                    found[value].append(code)
                break
    return {value: tuple(path) for value, path in found.items()}


def _values_listed(listed: str, held: Mapping[str, set[int]]) -> set[int]:
    """Return the values below labels that are listed; none if some text of the list is no label."""
    values, word = set[int](), ""
    for part in listed.split(_AND):
        word = word + _AND + part if word else part
        if word in held:
            values, word = values | held[word], ""
    return set() if word else values


def value_paths(claim: ReleaseClaim, name: str, values: Sequence[int], vocabulary: Vocabulary) -> Paths:
    """Return the label codes of every value in a column's hierarchy, level by level.

    Raises
    ------
    UnverifiableError
        If the hierarchy is absent, contradicts itself or lacks one of `values`.
    """
    if name not in claim.hierarchies:
        raise UnverifiableError(_("The hierarchy of '{name}' is missing.").format(name=name))
    rows, paths = claim.hierarchies[name], dict[int, tuple[int, ...]]()
    for row in rows:
        path = tuple(vocabulary.code(text) for text in row)
        if not path or len(path) != len(rows[0]):
            raise UnverifiableError(
                _("The hierarchy of '{name}' has lines of different lengths.").format(name=name)
            )
        if paths.setdefault(path[0], path) != path:
            raise UnverifiableError(
                _("The hierarchy of '{name}' defines '{row}' twice, differently.").format(
                    name=name, row=row[0]
                )
            )
    for code in values:
        if code not in paths:
            raise UnverifiableError(
                _("The hierarchy of '{name}' lacks the value '{text}'.").format(
                    name=name, text=vocabulary.texts[code]
                )
            )
    return paths


def generalize(original: pd.DataFrame, paths: Mapping[str, Paths], node: Mapping[str, int]) -> pd.DataFrame:
    """Return the quasi-identifiers of the original on the levels of a node."""
    return pd.DataFrame(
        {
            name: looked_up(original[name], {code: path[node[name]] for code, path in column.items()})
            for name, column in paths.items()
        },
        index=original.index,
        copy=False,
    )


def looked_up(values: pd.Series[int], found: Mapping[int, int]) -> pd.Series[int]:
    """Return the entry of each code, given one for every code from 0."""
    places = pd.Series(found, dtype=values.dtype).reindex(range(max(found, default=-1) + 1), fill_value=0)
    return pd.Series(places.array.take(values.array), index=values.index)


def is_all_star(table: pd.DataFrame, names: Sequence[str], known: Vocabularies) -> pd.Series[bool]:
    """Return whether the quasi-identifiers of each record are all `*`; false without quasi-identifiers."""
    found = pd.Series(bool(names), index=table.index)
    for name in names:
        found &= table[name] == known[name].code(STAR)
    return found


def positions_in_original(
    claim: ReleaseClaim, original: pd.DataFrame, released: pd.DataFrame, paths: Mapping[str, Paths]
) -> list[int]:
    """Return the original position of each record if records were removed and levels differ by record.

    Each record takes the earliest fitting original; if any assignment in order exists, this finds one.

    Raises
    ------
    UnverifiableError
        If a record fits none of the remaining originals.
    """
    plain = [name for name in released.columns if name in original and not _is_changed(claim, name)]
    qis = list(paths)
    sources = enumerate(zip(_rows(original, plain), _rows(original, qis), strict=True))
    positions = []
    for record, (cells, labels) in enumerate(
        zip(_rows(released, plain), _rows(released, qis), strict=True), start=1
    ):
        for position, (own_cells, values) in sources:
            allowed = (label in paths[q][v] for q, v, label in zip(qis, values, labels, strict=True))
            if cells == own_cells and all(allowed):
                positions.append(position)
                break
        else:
            raise UnverifiableError(
                _(
                    "Record {record} of the released file matches no record of the original "
                    "after the previous match."
                ).format(record=as_exact_count(record))
            )
    return positions


def _rows(table: pd.DataFrame, names: Sequence[str]) -> Iterator[tuple[int, ...]]:
    if not names:
        return iter([()] * len(table))
    return zip(*(table[name].tolist() for name in names), strict=True)


def _is_changed(claim: ReleaseClaim, name: str) -> bool:
    rule = claim.rules.get(name)
    is_unknown = rule is not None and rule.rule == "date_shift" and not rule.parameters.get("key_file")
    return name in claim.quasi_identifying or name in claim.identifying or is_unknown


class Comparison:
    """Comparison of the released records with the originals they come from.

    Parameters
    ----------
    source, released : DataFrame
        Of equal length, record by record.
    suppressed : Series of bool
        Whether each of these records counts as suppressed.
    aggregates : mapping of str to Series of int
        Expected cells of aggregated columns in kept records, and of identifying columns in all records.
    counts : Series of int
        Records of each row.
    numbers : Series of int, optional
        Number of the first of them, counted from 0; by default that of the row.
    """

    def __init__(
        self,
        claim: ReleaseClaim,
        known: Vocabularies,
        source: pd.DataFrame,
        released: pd.DataFrame,
        suppressed: pd.Series[bool],
        aggregates: Mapping[str, pd.Series[int]],
        counts: pd.Series[int],
        numbers: pd.Series[int] | None = None,
    ) -> None:
        self._claim, self._known, self._aggregates = claim, known, aggregates
        self._counts, self._numbers = counts, numbers
        self._source = source.reset_index(drop=True)
        self._released, self._suppressed = released.reset_index(drop=True), suppressed.reset_index(drop=True)

    def report(
        self,
        paths: Mapping[str, Paths],
        findings: Findings,
        others: Sequence[tuple[int, str, str]],
        n_others: int,
        names: Sequence[str],
    ) -> None:
        """Report every cell that is not as expected, in the order of the file.

        Parameters
        ----------
        others : sequence of (int, str, str)
            First wrong cells of the other columns: number of the record, column, sentence.
        names : sequence of str
            All columns of the file.
        """
        found, total = list(others), n_others
        for name in self._released.columns:
            rows = self._wrong_rows(name, paths)
            total += int(self._counts.loc[rows].sum())
            rows.sort(key=self._number)
            found += [(self._number(row), name, self._sentence(row, name, paths)) for row in rows[:SHOWN]]
        found.sort(key=lambda cell: (cell[0], names.index(cell[1])))
        findings.add_first_of([sentence for *_unused, sentence in found[:SHOWN]], total)

    def _number(self, row: int) -> int:
        """Return the number of the first record of a row, counted from 0."""
        return row if self._numbers is None else int(self._numbers.loc[row])

    def _wrong_rows(self, name: str, paths: Mapping[str, Paths]) -> list[int]:
        cells = self._released[name]
        if self._may_choose(name, paths):
            star = self._known[name].code(STAR)
            pairs = pd.DataFrame({"value": self._source[name], "label": cells})
            numbers = pairs.groupby(["value", "label"], sort=False).ngroup()
            allowed = [
                label in paths[name][value]
                for value, label in pairs.drop_duplicates().itertuples(index=False)
            ]
            right = numbers.map(dict(enumerate(allowed))).astype(bool)
            wrong = ~right.where(~self._suppressed, cells == star)
        else:
            wrong = cells != self.due(name, paths)
        return wrong.index[wrong].tolist()

    def _may_choose(self, name: str, paths: Mapping[str, Paths]) -> bool:
        """Return whether several texts would be correct."""
        return name in paths and name not in self._aggregates and self._claim.node is None

    def due(self, name: str, paths: Mapping[str, Paths]) -> pd.Series[int]:
        """Return the expected cells of a column with exactly one correct text per cell."""
        claim, vocabulary, values = self._claim, self._known[name], self._source[name]
        star = vocabulary.code(STAR)
        if name in claim.identifying:
            due = self._aggregates[name]
            return due.where(~self._suppressed, star) if claim.blank_suppressed else due
        if name in self._aggregates:
            return self._aggregates[name].where(~self._suppressed, star)
        if name in paths:
            assert claim.node is not None
            level = claim.node[name]
            labels = looked_up(values, {code: path[level] for code, path in paths[name].items()})
            return labels.where(~self._suppressed, star)
        if claim.blank_suppressed:
            return values.where(~self._suppressed, star)
        return values

    def _sentence(self, row: int, name: str, paths: Mapping[str, Paths]) -> str:
        texts, claim = self._known[name].texts, self._claim
        cell, value = texts[self._released[name].loc[row]], texts[self._source[name].loc[row]]
        number = self._number(row)
        start = _start(number, name, cell)
        may_choose = self._may_choose(name, paths)
        if may_choose and not self._suppressed.loc[row]:
            return _("{start}, which is on no level of its hierarchy for '{value}'.").format(
                start=start, value=value
            )
        due = STAR if may_choose else texts[self.due(name, paths).loc[row]]
        is_hidden = bool(self._suppressed.loc[row]) and due != value
        if name not in claim.identifying and name in self._aggregates and not is_hidden:
            return _("{start}, but its class has '{due}' ({aggregate}).").format(
                start=start, aggregate=title_of(claim.aggregates[name]), due=due
            )
        if name in paths and claim.node is not None and not is_hidden:
            return _("{start}, but for '{value}' its hierarchy has '{due}' on level {node}.").format(
                start=start, value=value, due=due, node=claim.node[name]
            )
        return wrong_cell(claim, number, name, cell, due, is_hidden=is_hidden)


def wrong_cell(claim: ReleaseClaim, number: int, name: str, cell: str, due: str, *, is_hidden: bool) -> str:
    """Return the sentence on a wrong cell that has one right text.

    Parameters
    ----------
    number : int
        Number of the record in the file, counted from 0.
    name, cell, due : str
        Column, text in the file, expected text.
    is_hidden : bool
        Whether the text is expected because the record is suppressed.
    """
    start = _start(number, name, cell)
    if is_hidden:
        return _("{start}, but the record is suppressed: expected '{due}'.").format(start=start, due=due)
    if name in claim.identifying:
        return _("{start}, but the column is identifying: expected '{due}'.").format(start=start, due=due)
    if name in claim.rules:
        return _("{start}, but its rule gives '{value}'.").format(start=start, value=due)
    return _("{start}, but the original has '{value}'.").format(start=start, value=due)


def _start(number: int, name: str, cell: str) -> str:
    return _("Record {row}, column '{name}': the file has '{cell}'").format(
        row=as_exact_count(number + 1), name=name, cell=cell
    )


def kept_places(claim: ReleaseClaim, n_records: int) -> list[int]:
    """Return the records claimed as kept; the comparison of cells then checks that claim."""
    given = list(claim.kept_records or ())
    if given != sorted(set(given)) or (given and not 0 <= given[0] <= given[-1] < n_records):
        raise UnverifiableError(_("The numbers of the kept records are not valid or not in order."))
    return given
