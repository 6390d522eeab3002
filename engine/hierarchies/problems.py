"""Problems of hierarchy files: every contradiction with a tree, with line and value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import HierarchyError
from engine.kernels.arrays import Codes, IntArray
from engine.kernels.grouping import first_rows
from engine.numbers import as_exact_count
from engine.words import _, ngettext

_LONGEST = 100  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class LineProblem:
    """One thing wrong in one line.

    Attributes
    ----------
    line : int
        The line in its file, from 1; 0 if the file has no lines.
    column : int
        The field, from 1, so that the level is one less; 0 where the line as a whole is wrong.
    value : str
        What is in that field; the value of the line where the line as a whole is wrong.
    message : str
        A sentence with both values; the place is not in it unless it has to be.
    hint : str
        The next step.
    names_column : bool
        Whether the place is incomplete without the column.
    """

    line: int
    column: int
    value: str
    message: str
    hint: str
    names_column: bool = False

    def sentence(self, source: str) -> str:
        """The message with its place, such as "age.csv, line 4: ...".

        Parameters
        ----------
        source : str
            What to call the origin, such as a file name.
        """
        if not self.line:
            return _("{source} is empty.").format(source=source)
        if self.names_column:
            return _("{source}, line {line}, column {column} (level {level}): {problem}").format(
                source=source,
                line=self.line,
                column=self.column,
                level=self.column - 1,
                problem=self.message,
            )
        return _("{source}, line {line}: {problem}").format(
            source=source, line=self.line, problem=self.message
        )


def find_problems(
    rows: Sequence[Sequence[str]], line_numbers: Sequence[int] | None = None
) -> tuple[LineProblem, ...]:
    """Return all that keeps lines `value, label 1, ..., label h` from being a hierarchy.

    Where lines contradict one another, those are wrong that say what fewer lines say, of as many the later
    ones: lines of another length than most, and groups whose group above is another one than for most of
    their lines. Of two lines that define one value differently the second is wrong, and nothing else is
    looked for in it.

    Parameters
    ----------
    line_numbers : sequence of int, optional
        The line of each row in its file; by default rows are counted from 1.

    Returns
    -------
    tuple of LineProblem
        By line and column; empty if the lines are a tree.
    """
    if not any(rows):
        return (LineProblem(0, 0, "", _("The file is empty."), _("Write one line per value.")),)
    numbers = range(1, len(rows) + 1) if line_numbers is None else line_numbers
    width = Counter(len(row) for row in rows if row).most_common(1)[0][0]  # of equals the first
    example = next(number for number, row in zip(numbers, rows, strict=True) if len(row) == width)
    found: list[LineProblem] = []
    first: dict[str, tuple[int, Sequence[str]]] = {}
    kept: list[tuple[int, Sequence[str]]] = []
    for line in zip(numbers, rows, strict=True):
        number, row = line
        if len(row) != width:
            found.append(_wrong_length(number, row, width, example))
            continue
        known = first.setdefault(row[0], line)
        if known is line or list(known[1]) == list(row):
            kept.append(line)
        else:
            found.append(_defined_twice(number, row, *known))
    found += _on_levels([number for number, _unused in kept], [row for _unused, row in kept])
    return tuple(sorted(found, key=lambda problem: (problem.line, problem.column)))


def refusal(problems: Sequence[LineProblem], source: str) -> HierarchyError:
    """Return the error that says the first of some problems; all of them are in its context.

    Parameters
    ----------
    problems : sequence of LineProblem
        At least one.
    source : str
        What messages call the origin.
    """
    first, n_more = problems[0], len(problems) - 1
    hint = first.hint
    if n_more:
        hint = ngettext(
            "{hint} {n} more problem in its lines.", "{hint} {n} more problems in its lines.", n_more
        ).format(hint=hint, n=as_exact_count(n_more))
    facts = {"line": first.line} if first.line else {}
    if first.column:
        facts["level"] = first.column - 1
    return HierarchyError(first.sentence(source), hint=hint, source=source, problems=tuple(problems), **facts)


def _wrong_length(number: int, row: Sequence[str], width: int, example: int) -> LineProblem:
    return LineProblem(
        number,
        0,
        row[0] if row else "",
        ngettext(
            "{n} field, but line {example} has {width}.",
            "{n} fields, but line {example} has {width}.",
            len(row),
        ).format(n=len(row), example=example, width=width),
        _("Every line needs the value and one label for each level."),
    )


def _defined_twice(number: int, row: Sequence[str], other: int, known: Sequence[str]) -> LineProblem:
    level = next(i for i in range(len(row)) if known[i] != row[i])
    return LineProblem(
        number,
        level + 1,
        row[level],
        _("'{row}' is '{row_2}' on level {level}, but '{known}' in line {other}.").format(
            row=_short(row[0]), row_2=_short(row[level]), level=level, known=_short(known[level]), other=other
        ),
        _("Keep only one of the two lines."),
    )


def _on_levels(numbers: Sequence[int], rows: Sequence[Sequence[str]]) -> Iterator[LineProblem]:
    """Labels that are absent, and levels that part what the level below joins."""
    columns = zip(*rows, strict=True)
    values = below_texts = next(columns, ())
    labels_below, below = coded(below_texts)
    for column, texts in enumerate(columns, start=2):
        labels_above, above = coded(texts)
        absent = _without_label(values, below_texts, texts)
        for i in absent:
            yield LineProblem(
                numbers[i],
                column,
                "",
                _("'{below_text}' has no label.").format(below_text=_short(below_texts[i])),
                _("Add one, such as * to hide the value."),
                names_column=True,
            )
        examples = first_rows(below, len(labels_below))
        if (above[examples[below]] != above).any():
            examples = _usual_lines(below, above, len(labels_below), len(labels_above))
        wrong = np.flatnonzero(above[examples[below]] != above)
        for i in np.setdiff1d(wrong, absent, assume_unique=True).tolist():
            example = int(examples[below[i]])
            yield LineProblem(
                numbers[i],
                column,
                texts[i],
                _("'{below_text}' becomes '{text}', but '{text_2}' in line {number}.").format(
                    below_text=_short(below_texts[i]),
                    text=_short(texts[i]),
                    text_2=_short(texts[example]),
                    number=numbers[example],
                ),
                _("Every level must merge complete groups of the level below."),
                names_column=True,
            )
        below_texts, below, labels_below = texts, above, labels_above


def _short(text: str) -> str:
    """Return a text as shown in messages, shortened if it is very long."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def coded(texts: Sequence[str]) -> tuple[tuple[str, ...], Codes]:
    """Return the distinct texts in order of first appearance, and the index of each text among them."""
    index = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    return tuple(index), np.fromiter(map(index.__getitem__, texts), np.int32, len(texts))


def _without_label(values: Sequence[str], below: Sequence[str], texts: Sequence[str]) -> list[int]:
    """Lines without a label for something; the missing value may be nothing on any level."""
    if "" not in texts:
        return []
    lines = zip(values, below, texts, strict=True)
    return [i for i, (value, group, label) in enumerate(lines) if value and group and not label]


def _usual_lines(below: Codes, above: Codes, n_below: int, n_above: int) -> IntArray:
    """Per group, the first line whose group above is the one that most of its lines have."""
    pairs, lines, counts = np.unique(
        below.astype(np.int64) * n_above + above, return_index=True, return_counts=True
    )
    order = np.lexsort((lines, -counts))[::-1]
    found = np.zeros(n_below, dtype=np.int64)
    found[pairs[order] // n_above] = lines[order]
    return found
