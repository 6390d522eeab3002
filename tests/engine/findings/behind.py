"""What stands behind each released cell, read from its text one record after the other."""

from __future__ import annotations

from fractions import Fraction

from tests.engine.findings.risk.subjects import Released
from tests.strategies import MISSING

Shares = dict[str, Fraction]


def texts(released: Released, name: str) -> dict[int, str]:
    """The released text of every kept record."""
    column = released.subject.release.column(name)
    return {record: column.text(record) for record in released.kept}


def behind(released: Released, name: str) -> dict[str, set[str]]:
    """The values that each text of a quasi-identifier stands for."""
    release = released.subject.release
    q = release.problem.names.index(name)
    hierarchy = release.problem.attributes[q].hierarchy
    paths = {
        value: [level.labels[level.codes[leaf]] for level in hierarchy.levels]
        for leaf, value in enumerate(hierarchy.values)
    }
    found: dict[str, set[str]] = {}
    for record, text in texts(released, name).items():
        if name in release.aggregates:
            values = _of_aggregate(text, list(paths), is_number=_is_number(released, name))
        else:
            assert release.node is not None or release.recoding is not None
            level = int(release.recoding.levels[record, q]) if release.recoding else release.node[q]  # type: ignore[index]
            values = {value for value, path in paths.items() if path[level] == text}
        found.setdefault(text, set()).update(values)
    return {text: values - {MISSING} or values for text, values in found.items()}


def is_hidden(released: Released, name: str, values: set[str]) -> bool:
    """Whether a text that stands for these values tells nothing."""
    q = released.subject.release.problem.names.index(name)
    known = set(released.subject.release.problem.attributes[q].hierarchy.values) - {MISSING}
    return len(known) > 1 and known <= values


def spread(released: Released, name: str, *, hidden: bool = True) -> Shares:
    """Kept records by value, each spread evenly over what its text stands for; hidden ones if asked for."""
    values = behind(released, name)
    found: Shares = {}
    for text in texts(released, name).values():
        if not hidden and is_hidden(released, name, values[text]):
            continue
        for value in values[text]:
            found[value] = found.get(value, Fraction(0)) + Fraction(1, len(values[text]))
    return found


def _is_number(released: Released, name: str) -> bool:
    return released.subject.input.column(name).data_type.is_numeric


def _of_aggregate(text: str, values: list[str], *, is_number: bool) -> set[str]:
    if text in values:
        return {text}
    if text.startswith("["):
        low, high = text[1:-1].split(", ")
        return {value for value in values if value and float(low) <= float(value) <= float(high)}
    if text.startswith("{"):
        return set(text[1:-1].split(", "))
    assert is_number, f"{text!r} stands for nothing"
    return {min((v for v in values if v), key=lambda v: (abs(float(v) - float(text)), float(v)))}
