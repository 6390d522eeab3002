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
    meaning = f"Different values of {column}; figures count people."
    yield Row("people", number(persons["count"]), meaning)
    if without:
        meaning = f"They have no value of {column}, and are taken for one person."
        yield Row("records of nobody", number(without), meaning)
    k, k_records = persons["k"], persons["k_records"]
    smallest = f"{number(k)} {'person' if k == 1 else 'people'}"
    smallest += f"\n{number(k_records)} record{'' if k_records == 1 else 's'}"
    meaning = "The class of fewest people, and the one of fewest records."
    yield Row("smallest class", smallest, meaning)


def risk_rows(report: RiskReport, numbers: Numbers) -> Iterator[Row]:
    """How likely the people of a table are found."""
    number, percent = numbers.number, numbers.share
    alike = f"Sets of records that look alike in {', '.join(report.quasi_identifying)}."
    yield Row("records", number(report.n_records), "Those that were judged.")
    yield Row("classes", number(report.n_classes), alike)
    yield from person_rows(report.persons, numbers)
    who = "people" if report.persons else "records"
    alone = "Records that look like no other one."
    if report.persons:
        alone = "People alone in the class of one of their records."
    tone: Tone = "danger" if report.sample_uniques else "text"
    yield Row(f"unique {who}", number(report.sample_uniques), alone, tone)
    who_knows = "somebody who knows that a person is in the table"
    who_searches = "somebody who searches the population for anybody"
    yield from _attacker("prosecutor", report.prosecutor, who_knows, who, numbers)
    yield from _attacker("journalist", report.journalist, who_searches, who, numbers)
    meaning = "Share of the people that a search for all finds."
    yield Row("marketer, average", percent(report.marketer), meaning)
    if report.uniques_of_population is not None:
        for name, found in report.uniques_of_population.estimates.items():
            share = report.uniques_of_population.fraction(name)
            value = "no estimate"
            if found.uniques is not None:
                value = f"{number(round(found.uniques))} ({percent(share)})"
            meaning = found.reason or "People who look like nobody else in the population, estimated."
            if name != found.estimator and not found.reason:
                meaning += f" By {found.estimator}."
            yield Row(f"unique people, {name}", value, meaning)
    for subset in report.subsets:
        meaning = f"distinction {number(subset.distinction)}, separation {number(subset.separation)}"
        title = ", ".join(subset.columns)
        yield Row(title, f"{number(subset.singletons)} unique", meaning)


def _attacker(name: str, risk: AttackerRisk, attacker: str, who: str, numbers: Numbers) -> Iterator[Row]:
    percent = numbers.share
    above = f"Share of the {who} with a risk above {numbers.number(risk.threshold)}."
    average = "The chance of an average record." if who == "records" else "The chance of an average person."
    tone: Tone = "danger" if risk.highest >= 1 else "text"
    best = f"The best chance of {attacker}."
    yield Row(f"{name}, highest", percent(risk.highest), best, tone)
    yield Row(f"{name}, average", percent(risk.average), average)
    yield Row(f"{name}, at risk", percent(risk.records_at_risk), above)


def utility_rows(result: Mapping[str, Any], numbers: Numbers) -> Iterator[Row]:
    """What a released table has lost; `result` is as `UtilityReport.as_dict` has it."""
    number, percent = numbers.number, numbers.share
    records, classes = result["records"], result["classes"]
    kept = f"{number(records['anonymized'])} of {number(records['raw'])}"
    yield Row("records", kept, "Released of original ones.")
    yield Row("classes", number(classes["count"]), "Sets of released records that look alike.")
    yield from person_rows(result.get("persons", {}), numbers)
    sizes = f"{number(classes['min'])} to {number(classes['max'])}"
    middle = f"mean {number(classes['mean'])}, median {number(classes['median'])}"
    yield Row("class sizes", f"{sizes}\n{middle}", "Records in a class.")
    yield Row("c_avg", number(result["c_avg"]), "Mean class size over k; 1 = every class just large enough.")
    meaning = "Sum of squared class sizes; suppressed: all records."
    yield Row("discernibility", number(result["discernibility"]), meaning)
    for name, value in (result["classification"] or {}).items():
        meaning = f"Share of records whose class does not tell {name}."
        yield Row(f"classification, {name}", percent(value), meaning)
    for name, value in (result["entropy"] or {}).items():
        yield Row(f"entropy, {name}", number(value), "Of its values in the release; natural logarithm.")
    if risk := result["risk"]:
        yield Row("risk, average", percent(risk["average"]), "Mean of 1 / size over classes.")
        yield Row("risk, highest", percent(risk["max"]), "1 / size of the smallest class.")
    for key in HIERARCHY_METRICS:
        if key in result:
            metric = utility_metrics[key]
            yield Row(key, number(result[key]), f"{metric.title}: {metric.meaning}.")
    for key, figure in result.get("quality", {}).items():
        if "by_attribute" in figure:
            lines = [f"{name}: {number(value)}" for name, value in figure["by_attribute"].items()]
            meaning = "0 is best, 1 is worst." if key == "missings" else "1 is best, 0 is worst."
            yield Row(f"quality, {key}", "\n".join(lines), meaning)
        else:
            yield Row(f"quality, {key}", number(figure["value"]), "1 is best, 0 is worst.")
    for name, level in result.get("transformation", {}).items():
        yield Row(f"level of {name}", str(level), "The lowest that has all labels of the column.")
    for name, entry in (result["columns"] or {}).items():
        meaning = "Most and least frequent value; of numbers their moments."
        yield Row(f"column {name}", _statistics(entry, number), meaning)
    for place, reason in result.get("errors", {}).items():
        yield Row(place, "does not exist", reason)


def _statistics(entry: Mapping[str, Any] | None, number: Callable[[float | int | None], str]) -> str:
    if not entry or entry["max_freq_value"] is None:
        return "no values"
    lines = [f"{entry[f'{end}_freq_value']}: {number(entry[f'{end}_freq'])}" for end in ("max", "min")]
    lines += [f"{name} {number(entry[name])}" for name in ("mean", "median", "std", "var") if name in entry]
    return "\n".join(lines)
