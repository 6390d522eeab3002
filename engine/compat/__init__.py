"""Values as other programs compute them, with their known bugs, by plug-ins; never a default."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from engine import plugins
from engine.errors import InputError, nearest
from engine.findings.given_table import given_table
from engine.findings.settings import ReportSettings
from engine.findings.utility.of_table import check_pair
from engine.hierarchies import Hierarchy
from engine.monitor import SILENT, Monitor
from engine.records.opening.data_frames import AnyTable, as_table
from engine.report.content import ReportContent
from engine.shipped import plugins_path


class OtherReport(Protocol):
    """Report as another program writes it; its notes say what differs, and why a value is missing."""

    @property
    def notes(self) -> tuple[str, ...]: ...

    def as_json(self) -> bytes:
        """Return the JSON of the other program."""

    def written(self, settings: ReportSettings) -> ReportContent:
        """Return its titles and values in the layout of this program."""


@dataclass(frozen=True)
class OtherProgram:
    """Values of another program that a plug-in reproduces; None is what that program does not compute.

    Attributes
    ----------
    check : callable, optional
        Values of a `GivenTable`, in the form of `CheckReport.as_dict`.
    utility : callable, optional
        Values of an original `Table` and a `GivenTable` made of it, in the form of `UtilityReport.as_dict`;
        takes `hierarchies` by column or None.
    report : callable, optional
        `OtherReport` of a `GivenTable`, alone or with its original.
    singletons : callable, optional
        As `engine.recoding.singleton_variants.singleton_variants`.
    """

    check: Callable[..., dict[str, Any]] | None = None
    utility: Callable[..., dict[str, Any]] | None = None
    report: Callable[..., OtherReport] | None = None
    singletons: Callable[..., Any] | None = None


@lru_cache(maxsize=1)
def other_programs() -> Mapping[str, OtherProgram]:
    """Return the programs whose values plug-ins reproduce, by the keys of their entry points."""

    def why_not(offer: plugins.Offer, member: Any) -> str:
        return "" if isinstance(member, OtherProgram) else "it is not an OtherProgram"

    found = plugins.load(plugins.PROGRAMS, lambda key: False, why_not)
    return {key: program for key, (_offer, program) in found.items()}


def other_program(name: str, part: str) -> Callable[..., Any]:
    """Return the function by which a plug-in computes values of another program.

    Parameters
    ----------
    name : str
        Name of the program, such as "python-anonymity".
    part : str
        "check", "utility", "report" or "singletons".

    Raises
    ------
    InputError
        No plug-in with such programs is installed, or none computes these values as the program does.
    """
    known = {key.replace("_", "-"): getattr(own, part) for key, own in other_programs().items()}
    why = plugins.why_refused(plugins.PROGRAMS, name.replace("-", "_"))
    if why or not known:
        problem = f"The values of {name} need the plug-in anonymizer-compat."
        raise InputError(problem, hint=why or _how_to_install())
    function: Callable[..., Any] | None = known.get(name)
    if function is None:
        computing = [key for key, own in known.items() if own is not None]
        raise InputError(f"'{name}' does not compute these values.", hint=nearest(name, computing))
    return function


def _how_to_install() -> str:
    folder = plugins_path() / "compat"
    if folder.is_dir():
        return f'Install it with: pip install "{folder}"'
    return "The standalone folder takes no plug-ins: install the program by pip, or start it from a clone."


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
    """Return what another program measures of a table, in the form of `CheckReport.as_dict`.

    Parameters
    ----------
    compat : str
        "pycanon", or "anjana", which measures by it.
    data, quasi_identifying, sensitive, others_as_qi, leave_out_suppressed, drop_missing, monitor
        As `engine.findings.model_check` has them.

    Raises
    ------
    TableError, InputError
        As `engine.findings.model_check`; the plug-in is missing, the program is unknown, or finds not even a
        k.
    """
    measure = other_program(compat, "check")
    given = given_table(
        data,
        quasi_identifying,
        sensitive,
        leave_out_suppressed=leave_out_suppressed,
        drop_missing=drop_missing,
        others_as_qi=others_as_qi,
        monitor=monitor,
    )
    found: dict[str, Any] = measure(given)
    return found


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
    """Return what another program measures of a release, in the form of `UtilityReport.as_dict`.

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
        As `engine.findings.measure_utility`; or the plug-in is missing, or the program is unknown.
    """
    measure = other_program(compat, "utility")
    original = as_table(raw, monitor)
    given = given_table(
        anonymized,
        quasi_identifying,
        sensitive,
        leave_out_suppressed=leave_out_suppressed,
        monitor=monitor,
    )
    check_pair(original, given)
    found: dict[str, Any] = measure(original, given.in_memory(f"--compat {compat}"), hierarchies=hierarchies)
    return found
