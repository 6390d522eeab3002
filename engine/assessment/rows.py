"""What is said of a given table figure by figure: its name, its value, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.assessment.base import Tone
from engine.assessment.risk.attacker_risk import AttackerRisk
from engine.assessment.risk.of_table import RiskReport
from engine.assessment.utility.of_table import HIERARCHY_METRICS
from engine.utility import utility_metrics
from engine.words import _


class Row(NamedTuple):
    """A line of a list of figures."""

    title: str
    value: str
    meaning: str
    tone: Tone = "text"


@dataclass(frozen=True)
class Numbers:
    """How numbers and shares are written where a list is shown."""

    number: Callable[[float | int | None], str]
    share: Callable[[float | None], str]


def person_rows(persons: Mapping[str, Any], numbers: Numbers) -> Iterator[Row]:
    """Lines about people; none where nobody is told apart."""
    if not persons:
        return
    number = numbers.number
    column, without = persons["column"], persons["records_without_person"]
    meaning = _("Distinct values of {column}; values count people.").format(column=column)
    yield Row("people", number(persons["count"]), meaning)
    if without:
        meaning = _("They have no value of {column} and count as one person.").format(column=column)
        yield Row(_("records without a person"), number(without), meaning)
    k, k_records = persons["k"], persons["k_records"]
    smallest = f"{number(k)} {'person' if k == 1 else 'people'}"
    smallest += f"\n{number(k_records)} record{'' if k_records == 1 else 's'}"
    meaning = _("The class with the fewest people, and the one with the fewest records.")
    yield Row(_("smallest class"), smallest, meaning)


def risk_rows(report: RiskReport, numbers: Numbers) -> Iterator[Row]:
    """How likely the people of a table are found."""
    number, percent = numbers.number, numbers.share
    alike = _("Sets of records that are equal in {quasi_identifying}.").format(
        quasi_identifying=", ".join(report.quasi_identifying)
    )
    yield Row("records", number(report.n_records), _("Assessed records."))
    yield Row("classes", number(report.n_classes), alike)
    yield from person_rows(report.persons, numbers)
    who = "people" if report.persons else "records"
    alone = _("Records that equal no other.")
    if report.persons:
        alone = _("People who are the only ones in the class of one of their records.")
    tone: Tone = "danger" if report.sample_uniques else "text"
    yield Row(f"unique {who}", number(report.sample_uniques), alone, tone)
    who_knows = _("an attacker who knows that a person is in the table")
    who_searches = _("an attacker who searches the population")
    yield from _attacker("prosecutor", report.prosecutor, who_knows, who, numbers)
    yield from _attacker("journalist", report.journalist, who_searches, who, numbers)
    meaning = _("Share of the people that a search for all finds.")
    yield Row(_("marketer, average"), percent(report.marketer), meaning)
    if report.uniques_of_population is not None:
        for name, found in report.uniques_of_population.estimates.items():
            share = report.uniques_of_population.fraction(name)
            value = _("no estimate")
            if found.uniques is not None:
                value = f"{number(round(found.uniques))} ({percent(share)})"
            meaning = found.reason or _("People who are unique in the population, estimated.")
            if name != found.estimator and not found.reason:
                meaning += f" By {found.estimator}."
            yield Row(_("unique people, {name}").format(name=name), value, meaning)
    for subset in report.subsets:
        meaning = f"distinction {number(subset.distinction)}, separation {number(subset.separation)}"
        title = ", ".join(subset.columns)
        yield Row(title, f"{number(subset.singletons)} unique", meaning)


def _attacker(name: str, risk: AttackerRisk, attacker: str, who: str, numbers: Numbers) -> Iterator[Row]:
    percent = numbers.share
    above = _("Share of the {who} with a risk above {threshold}.").format(
        who=who, threshold=numbers.number(risk.threshold)
    )
    average = _("Average risk of a record.") if who == "records" else _("Average risk of a person.")
    tone: Tone = "danger" if risk.highest >= 1 else "text"
    best = _("Highest risk from {attacker}.").format(attacker=attacker)
    yield Row(f"{name}, highest", percent(risk.highest), best, tone)
    yield Row(f"{name}, average", percent(risk.average), average)
    yield Row(_("{name}, at risk").format(name=name), percent(risk.records_at_risk), above)


def utility_rows(result: Mapping[str, Any], numbers: Numbers) -> Iterator[Row]:
    """What a released table has lost; `result` is as `UtilityReport.as_dict` has it."""
    number, percent = numbers.number, numbers.share
    records, classes = result["records"], result["classes"]
    kept = f"{number(records['anonymized'])} of {number(records['raw'])}"
    yield Row("records", kept, _("Released of original records."))
    yield Row("classes", number(classes["count"]), _("Sets of equal released records."))
    yield from person_rows(result.get("persons", {}), numbers)
    sizes = f"{number(classes['min'])} to {number(classes['max'])}"
    middle = f"mean {number(classes['mean'])}, median {number(classes['median'])}"
    yield Row(_("class sizes"), f"{sizes}\n{middle}", _("Records in a class."))
    yield Row(
        "c_avg",
        number(result["c_avg"]),
        _("Mean class size divided by k; 1 = every class has just the required size."),
    )
    meaning = _("Sum of squared class sizes; a suppressed record counts the size of the table.")
    yield Row("discernibility", number(result["discernibility"]), meaning)
    for name, value in (result["classification"] or {}).items():
        meaning = _("Share of records whose class does not predict {name}.").format(name=name)
        yield Row(f"classification, {name}", percent(value), meaning)
    for name, value in (result["entropy"] or {}).items():
        yield Row(f"entropy, {name}", number(value), _("Of its values in the release; natural logarithm."))
    if risk := result["risk"]:
        yield Row(_("risk, average"), percent(risk["average"]), _("Mean of 1 / size over classes."))
        yield Row(_("risk, highest"), percent(risk["max"]), _("1 / size of the smallest class."))
    for key in HIERARCHY_METRICS:
        if key in result:
            metric = utility_metrics[key]
            yield Row(key, number(result[key]), f"{metric.title}: {metric.meaning}.")
    for key, figure in result.get("quality", {}).items():
        if "by_attribute" in figure:
            lines = [f"{name}: {number(value)}" for name, value in figure["by_attribute"].items()]
            meaning = _("0 is best, 1 is worst.") if key == "missings" else _("1 is best, 0 is worst.")
            yield Row(f"quality, {key}", "\n".join(lines), meaning)
        else:
            yield Row(f"quality, {key}", number(figure["value"]), _("1 is best, 0 is worst."))
    for name, level in result.get("transformation", {}).items():
        yield Row(
            _("level of {name}").format(name=name),
            str(level),
            _("The lowest level that has all labels of the column."),
        )
    for name, entry in (result["columns"] or {}).items():
        meaning = _("Most and least frequent value; moments of numbers.")
        yield Row(f"column {name}", _statistics(entry, number), meaning)
    for place, reason in result.get("errors", {}).items():
        yield Row(place, _("does not exist"), reason)


def _statistics(entry: Mapping[str, Any] | None, number: Callable[[float | int | None], str]) -> str:
    if not entry or entry["max_freq_value"] is None:
        return _("no values")
    lines = [f"{entry[f'{end}_freq_value']}: {number(entry[f'{end}_freq'])}" for end in ("max", "min")]
    lines += [f"{name} {number(entry[name])}" for name in ("mean", "median", "std", "var") if name in entry]
    return "\n".join(lines)
