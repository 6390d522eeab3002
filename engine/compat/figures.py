"""Values of another library, by its name: of one table, and of a release with its original."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.compat import anjana, pycanon, python_anonymity
from engine.errors import InputError, nearest
from engine.findings.given_table import GivenTable, given_table
from engine.findings.utility.of_table import check_pair
from engine.hierarchies import Hierarchy
from engine.monitor import SILENT, Monitor
from engine.records import Table
from engine.records.opening.data_frames import AnyTable, as_table

CHECKS: Mapping[str, Callable[..., dict[str, Any]]] = {"pycanon": pycanon.check, "anjana": anjana.check}
UTILITIES: Mapping[str, Callable[..., dict[str, Any]]] = {
    "pycanon": lambda raw, given, hierarchies: pycanon.utility(raw, given),
    "python-anonymity": lambda raw, given, hierarchies: python_anonymity.utility(
        raw, given, hierarchies=hierarchies
    ),
    "anjana": lambda raw, given, hierarchies: anjana.utility(raw, given, hierarchies=hierarchies),
}


def check(
    data: AnyTable,
    quasi_identifying: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    *,
    compat: str = "pycanon",
    others_as_qi: bool = False,
    leave_out_suppressed: bool = False,
    drop_missing: bool = False,
    monitor: Monitor = SILENT,
) -> dict[str, Any]:
    """Return what a library measures of a table, in the form of `CheckReport.as_dict`.

    Parameters
    ----------
    compat : str
        "pycanon", or "anjana", which measures by it.
    data, quasi_identifying, sensitive, others_as_qi, leave_out_suppressed, drop_missing, monitor
        As `engine.findings.model_check` has them.

    Raises
    ------
    TableError, InputError
        As `engine.findings.model_check`; the library is unknown, or finds not even a k.
    """
    measure = _of(compat, CHECKS)
    given = given_table(
        data,
        quasi_identifying,
        sensitive,
        leave_out_suppressed=leave_out_suppressed,
        drop_missing=drop_missing,
        others_as_qi=others_as_qi,
        monitor=monitor,
    )
    return measure(given)


def measure_utility(
    raw: AnyTable,
    anonymized: AnyTable,
    quasi_identifying: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    *,
    compat: str = "pycanon",
    hierarchies: Mapping[str, Hierarchy] | None = None,
    leave_out_suppressed: bool = False,
    monitor: Monitor = SILENT,
) -> dict[str, Any]:
    """Return what a library measures of a release, in the form of `UtilityReport.as_dict`.

    Parameters
    ----------
    compat : str
        "pycanon", "python-anonymity" or "anjana"; what it has no figure for is None.
    raw, anonymized, quasi_identifying, sensitive, leave_out_suppressed, monitor
        As `engine.findings.measure_utility` has them.
    hierarchies : mapping of str to Hierarchy, optional
        By column, for the loss of python-anonymity and the levels of anjana; pyCANON knows none.

    Raises
    ------
    TableError, InputError
        As `engine.findings.measure_utility`; or the library is unknown.
    """
    _of(compat, UTILITIES)
    original = as_table(raw, monitor)
    given = given_table(
        anonymized,
        quasi_identifying,
        sensitive,
        leave_out_suppressed=leave_out_suppressed,
        monitor=monitor,
    )
    return utility_of(original, given, compat, hierarchies)


def utility_of(
    raw: Table, given: GivenTable, compat: str, hierarchies: Mapping[str, Hierarchy] | None = None
) -> dict[str, Any]:
    """Return what a library measures of a release whose classes are at hand; see `measure_utility`.

    Raises
    ------
    TableError, InputError
        As `measure_utility`; but for reading files.
    """
    measure = _of(compat, UTILITIES)
    if hierarchies is not None and compat == "pycanon":
        raise InputError(
            "pyCANON does not use hierarchies.", hint="Omit the hierarchies, or choose another library."
        )
    check_pair(raw, given)
    return measure(raw, given, hierarchies)


def _of(compat: str, known: Mapping[str, Callable[..., dict[str, Any]]]) -> Callable[..., dict[str, Any]]:
    if compat not in known:
        raise InputError(f"'{compat}' does not compute these values.", hint=nearest(compat, known))
    return known[compat]
