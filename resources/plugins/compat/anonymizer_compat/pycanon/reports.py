"""pyCANON's figures as `anonymizer check`, `utility` and `report` of this program write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from anonymizer_compat.pycanon import metrics, models
from anonymizer_compat.pycanon.classes import without_others
from engine.errors import InputError
from engine.findings.blocks import Fact, Facts, FigureColumn, FigureTable, Paragraph
from engine.findings.given_table import GivenTable
from engine.findings.settings import ReportSettings, now_or_fixed
from engine.hierarchies import Hierarchy
from engine.records import Table
from engine.report.content import ReportContent, Section
from engine.shipped import program_name

_NO_C = "For l = 1, pyCANON writes the bare word NaN for c, which is not valid JSON; here it is null."
_MODELS = (
    ("k_anonymity", "k-anonymity"),
    ("alpha_k_anonymity", "(α, k)-anonymity"),
    ("l_diversity", "l-diversity"),
    ("entropy_l_diversity", "Entropy l-diversity"),
    ("recursive_c_l_diversity", "(c, l)-diversity"),
    ("basic_beta_likeness", "Basic β-likeness"),
    ("enhanced_beta_likeness", "Enhanced β-likeness"),
    ("t_closeness", "t-closeness"),
    ("delta_disclosure", "δ-disclosure privacy"),
)
_METRICS = (
    ("average_ecsize", "Average equivalence class size"),
    ("classification_metric", "Classification metric"),
    ("discernability_metric", "Discernability metric"),
)
_SIZES = (
    ("n_ec", "Number of equivalence classes"),
    ("max_ec", "Max size"),
    ("min_ec", "Min size"),
    ("mean_ec", "Mean size"),
    ("median_ec", "Median size"),
)


@dataclass(frozen=True)
class PycanonReport:
    """Content of pyCANON 1.3.5's reports.

    Attributes
    ----------
    values : dict
        As `pycanon.report.json.get_json_report` has it: "data", and the nine models by its keys. With an
        original also the values of `get_utility_report_values`: "average_ecsize", "classification_metric",
        "discernability_metric" and "sizes_ec". A figure for which the library raises an exception is None.
    notes : tuple of str
        Deviations from the library, and why a value is None.
    """

    values: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def as_json(self) -> bytes:
        """The report as the library writes it, in one line, but for what the notes say."""
        return f"{json.dumps(self.values, allow_nan=False)}\n".encode()

    def written(self, settings: ReportSettings) -> ReportContent:
        """pyCANON's PDF report with its titles and figures, in our layout."""
        values = self.values
        columns = (FigureColumn("technique", "Anonymity technique"), FigureColumn("value", "Value(s)"))
        rows = [
            (title, " and ".join(f"{name} = {_text(value)}" for name, value in values[key].items()))
            for key, title in _MODELS
        ]
        data = values["data"]
        facts = (
            Fact("quasi_identifiers", "Quasi-identifiers", ", ".join(data["quasi-identifiers"])),
            Fact("sensitive", "Sensitive attribute(s)", ", ".join(data["sensitive attributes"])),
        )
        sections = [
            Section("data", "Data", (Facts("data", "", facts),)),
            Section("models", "Anonymity", (FigureTable("models", "", columns, rows),)),
        ]
        if "sizes_ec" in values:
            utility = tuple(Fact(key, title, values[key]) for key, title in _METRICS)
            sizes = tuple(Fact(key, title, values["sizes_ec"][key]) for key, title in _SIZES)
            sections += [
                Section("utility", "Utility models", (Facts("utility", "", utility),)),
                Section("classes", "Equivalence classes information", (Facts("classes", "", sizes),)),
            ]
        if self.notes:
            notes = tuple(Paragraph(note, "note") for note in self.notes)
            sections.append(Section("notes", "Notes", notes))
        title = (
            "pyCANON: anonymity and utility report" if "sizes_ec" in values else "pyCANON: anonymity report"
        )
        subtitle = "Values of pyCANON 1.3.5, including its known bugs"
        date = settings.date or now_or_fixed()
        return ReportContent(title, subtitle, settings, date, program_name(), tuple(sections))


def check(given: GivenTable) -> dict[str, Any]:
    """pyCANON's nine models of a table.

    Returns
    -------
    dict
        As `CheckReport.as_dict` has it. Where the library raises an exception, the model's values are
        None and "error" says why; a value it gives as nan is None.
        Under "by_attribute" is what it gives for one sensitive column alone, among the same classes;
        k is that of the quasi-identifying columns.

    Raises
    ------
    InputError
        There is not even a k.
    """
    k = models.k_anonymity(given)
    found = _models(given, k)
    if len(given.sensitive) == 1:
        found["by_attribute"] = {given.sensitive[0]: dict(found)}
    else:
        found["by_attribute"] = {name: _models(_alone(given, name), k) for name in given.sensitive}
    return found


def utility(
    raw: Table, anonymized: GivenTable, *, hierarchies: Mapping[str, Hierarchy] | None = None
) -> dict[str, Any]:
    """pyCANON's metrics of a table and its anonymized form.

    Returns
    -------
    dict
        As `anonymizer utility` prints it; "classification" has a figure for every sensitive column
        alone, and of several also for their values counted together ("pooled"). Where the library
        raises an exception a figure is None and "errors" says why.

    Raises
    ------
    InputError
        The anonymized table has no classes, or hierarchies are given, of which the library knows none.
    """
    if hierarchies is not None:
        raise InputError(
            "pyCANON does not use hierarchies.", hint="Omit the hierarchies, or choose another library."
        )
    errors: dict[str, str] = {}

    def kept(place: str, figure: Callable[..., Any], *of: Any) -> Any:
        try:
            return figure(*of)
        except InputError as error:
            errors[place] = error.problem
            return None

    sizes, table = metrics.sizes_ec(anonymized), anonymized.table
    single = {name: replace(anonymized, sensitive=(name,)) for name in anonymized.sensitive}
    bags = single | ({"pooled": anonymized} if len(single) > 1 else {})
    found = {
        "records": {"raw": raw.n_records, "anonymized": anonymized.n_records},
        "c_avg": metrics.average_ecsize(raw, anonymized),
        "discernibility": metrics.discernability_metric(raw, anonymized),
        "classification": {
            name: kept(f"classification.{name}", metrics.classification_metric, raw, own)
            for name, own in bags.items()
        },
        "classes": dict(zip(("count", "min", "max", "mean", "median"), sizes.values(), strict=True)),
        "columns": {
            name: kept(f"columns.{name}", metrics.stats_quasi_ident, table, name)
            for name in anonymized.quasi_identifying
        },
        "risk": {"average": metrics.average_rir(anonymized), "max": metrics.max_rir(anonymized)},
        "entropy": {
            name: kept(f"entropy.{name}", metrics.sa_entropy, table, name) for name in anonymized.sensitive
        },
    }
    return found | ({"errors": errors} if errors else {})


def pycanon_report(given: GivenTable, raw: Table | None = None) -> PycanonReport:
    """Return pyCANON's report.

    Parameters
    ----------
    given : GivenTable
        Where others may be known, which the library calls `gen=False`, its report passes that in the wrong
        place to the (c, l) model, so that c is always that of `gen=True`.
    raw : Table, optional
        The original, for the utility report.

    Raises
    ------
    InputError
        No column is sensitive, or there is not even a k.
    """
    if not given.sensitive:
        raise InputError("pyCANON's report needs a sensitive column.", hint="Name one with --sa.")
    notes: list[str] = []

    def kept(names: tuple[str, ...], figure: Callable[..., Any], *of: Any) -> dict[str, Any]:
        found, problem = _kept(names, figure, *of)
        notes.extend([problem] if problem else [])
        return found

    def model(names: tuple[str, ...], figure: Callable[..., Any]) -> dict[str, Any]:
        return kept(names, figure, given)

    values: dict[str, Any] = {
        "data": {
            "quasi-identifiers": list(given.quasi_identifying),
            "sensitive attributes": list(given.sensitive),
        },
        "k_anonymity": {"k": models.k_anonymity(given)},
        "alpha_k_anonymity": model(("alpha", "k"), models.alpha_k_anonymity),
        "l_diversity": model(("l",), models.l_diversity),
        "entropy_l_diversity": model(("l",), models.entropy_l_diversity),
        "recursive_c_l_diversity": kept(("c", "l"), models.recursive_c_l_diversity, without_others(given)),
        "basic_beta_likeness": model(("beta",), models.basic_beta_likeness),
        "enhanced_beta_likeness": model(("beta",), models.enhanced_beta_likeness),
        "t_closeness": model(("t",), models.t_closeness),
        "delta_disclosure": model(("delta",), models.delta_disclosure),
    }
    if values["recursive_c_l_diversity"]["l"] == 1:
        notes.append(_NO_C)
    if raw is not None:
        values |= kept(("average_ecsize",), metrics.average_ecsize, raw, given)
        values |= kept(("classification_metric",), metrics.classification_metric, raw, given)
        values |= kept(("discernability_metric",), metrics.discernability_metric, raw, given)
        values["sizes_ec"] = metrics.sizes_ec(given)
    return PycanonReport(values, tuple(notes))


def _kept(names: tuple[str, ...], figure: Callable[..., Any], *of: Any) -> tuple[dict[str, Any], str]:
    """Figures by name; or None for each, and why the library ends with an exception."""
    try:
        found = figure(*of)
    except InputError as error:
        return dict.fromkeys(names), error.problem
    return dict(zip(names, found if isinstance(found, tuple) else (found,), strict=True)), ""


def _alone(given: GivenTable, name: str) -> GivenTable:
    """A table with one sensitive column, and the others known if they are."""
    known = given.known_beside(name)
    return replace(given, quasi_identifying=known, sensitive=(name,), others_as_qi=False)


def _models(given: GivenTable, k: int) -> dict[str, Any]:
    def of(names: tuple[str, ...], model: Callable[..., Any]) -> dict[str, Any]:
        if not given.sensitive:
            return dict.fromkeys(names)
        found, problem = _kept(names, model, given)
        return found | ({"error": problem} if problem else {})

    alpha = of(("alpha", "k"), models.alpha_k_anonymity)
    return {
        "k_anonymity": {"k": k},
        "alpha_k_anonymity": alpha | {"k": k if given.sensitive else None},
        "distinct_l_diversity": of(("l",), models.l_diversity),
        "entropy_l_diversity": of(("l",), models.entropy_l_diversity),
        "recursive_c_l_diversity": of(("c", "l"), models.recursive_c_l_diversity),
        "basic_beta_likeness": of(("beta",), models.basic_beta_likeness),
        "enhanced_beta_likeness": of(("beta",), models.enhanced_beta_likeness),
        "t_closeness": of(("t", "distance"), models.t_and_distance),
        "delta_disclosure": of(("delta",), models.delta_disclosure),
    }


def _text(value: Any) -> str:
    return "nan" if value is None else str(value)
