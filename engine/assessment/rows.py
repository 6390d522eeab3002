"""Values of a given table as rows: name, value and meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.assessment.words import quoted
from engine.words import N_, _, ngettext

if TYPE_CHECKING:
    from engine.assessment.not_assessed import NotAssessed
    from engine.assessment.risk.attacker_risk import AttackerRisk
    from engine.assessment.risk.of_table import RiskReport
    from engine.assessment.risk.survey import SpecialUniques, SurveyRisk
    from engine.assessment.risk.wildcards import WildcardRisk
    from engine.findings.blocks import Tone

NOT_COUNTED = N_("All cells of these rows are *. They are not counted.")


class Row(NamedTuple):
    """A row of a list of values."""

    title: str
    value: str
    meaning: str
    tone: Tone = "text"
    key: str = ""  # of a row that is looked up


@dataclass(frozen=True)
class Numbers:
    """Formats of numbers and shares in a list."""

    number: Callable[[float | int | None], str]
    share: Callable[[float | None], str]


def not_assessed_rows(found: NotAssessed | None, numbers: Numbers) -> Iterator[Row]:
    """Yield a row about the columns that were not named; none if there are none."""
    if found is not None:
        n, total = numbers.number(len(found.columns)), numbers.number(found.n_columns)
        value = _("{n} of {total} columns").format(n=n, total=total)
        clauses = "; ".join(found.clauses()) or _("Nothing suggests that they identify people.")
        yield Row(_("not assessed"), value, clauses, found.tone)


def blank_rows(n: int, numbers: Numbers) -> Iterator[Row]:
    """Yield a row about the records without any value; none if there are none."""
    if n:
        yield Row(_("blank rows"), numbers.number(n), _(NOT_COUNTED), key="blank_rows")


def person_rows(persons: Mapping[str, Any], numbers: Numbers) -> Iterator[Row]:
    """Yield rows about people; none if no person column is named."""
    if not persons:
        return
    number = numbers.number
    column, without = persons["column"], persons["records_without_person"]
    meaning = _("Distinct values of '{column}'; values count people.").format(column=column)
    yield Row(_("people"), number(persons["count"]), meaning)
    if without:
        meaning = _("They have no value of '{column}' and count as one person.").format(column=column)
        yield Row(_("records without a person"), number(without), meaning)
    k, k_records = persons["k"], persons["k_records"]
    people = ngettext("{n} person", "{n} people", k).format(n=number(k))
    records = ngettext("{n} record", "{n} records", k_records).format(n=number(k_records))
    smallest = f"{people}\n{records}"
    meaning = _("The class with the fewest people, and the one with the fewest records.")
    yield Row(_("smallest class"), smallest, meaning)
    if fewest := persons.get("chained", {}).get("all"):
        meaning = _("Fewest people who match all records of a person; '{column}' shows which these are.")
        people = ngettext("{n} person", "{n} people", fewest).format(n=number(fewest))
        yield Row(_("by all records"), people, meaning.format(column=column))


def risk_rows(report: RiskReport, numbers: Numbers) -> Iterator[Row]:
    """Yield rows about the re-identification risk of a table."""
    number, percent = numbers.number, numbers.share
    alike = _("Sets of records that are equal in {columns}.").format(
        columns=", ".join(quoted(report.quasi_identifying))
    )
    yield from not_assessed_rows(report.not_assessed, numbers)
    yield Row(_("records"), number(report.n_records), _("Assessed records."))
    yield from blank_rows(report.blank_rows, numbers)
    yield Row(_("classes"), number(report.n_classes), alike)
    yield from person_rows(report.persons, numbers)
    alone = _("Records that equal no other.")
    if report.persons:
        alone = _("People who are the only ones in the class of one of their records.")
    tone: Tone = "danger" if report.sample_uniques else "text"
    yield Row(
        _("unique people") if report.persons else _("unique records"),
        number(report.sample_uniques),
        alone,
        tone,
        "unique",
    )
    counts_people, threshold = bool(report.persons), numbers.number(report.prosecutor.threshold)
    highest, average, at_risk = _risks(report.prosecutor, numbers)
    best = _("Highest risk from an attacker who knows that a person is in the table.")
    yield Row(_("prosecutor, highest"), highest, best, _tone(report.prosecutor), "prosecutor.highest")
    yield Row(_("prosecutor, average"), average, _average(counts_people=counts_people))
    meaning = _above(threshold, counts_people=counts_people)
    yield Row(_("prosecutor, at risk"), at_risk, meaning, key="prosecutor.at_risk")
    threshold = numbers.number(report.journalist.threshold)
    highest, average, at_risk = _risks(report.journalist, numbers)
    best = _("Highest risk from an attacker who searches the population.")
    yield Row(_("journalist, highest"), highest, best, _tone(report.journalist))
    yield Row(_("journalist, average"), average, _average(counts_people=counts_people))
    yield Row(_("journalist, at risk"), at_risk, _above(threshold, counts_people=counts_people))
    meaning = _("Share of the people that a search for all finds.")
    yield Row(_("marketer, average"), percent(report.marketer), meaning, key="marketer.average")
    if report.uniques_of_population is not None:
        for name, found in report.uniques_of_population.estimates.items():
            share = report.uniques_of_population.fraction(name)
            value = _("no estimate")
            if found.uniques is not None:
                value = f"{number(round(found.uniques))} ({percent(share)})"
            meaning = found.reason or _("People who are unique in the population, estimated.")
            if name != found.estimator and not found.reason:
                meaning = _("People who are unique in the population, estimated by {estimator}.").format(
                    estimator=found.estimator
                )
            title = _("unique people, {name}").format(name=name)
            yield Row(title, value, meaning, key=f"population_uniques.{name}")
    for subset in report.subsets:
        meaning = _("distinction {distinction}, separation {separation}").format(
            distinction=number(subset.distinction), separation=number(subset.separation)
        )
        title = ", ".join(subset.columns)
        yield Row(title, _("{n} unique").format(n=number(subset.singletons)), meaning)


def survey_rows(found: SurveyRisk, numbers: Numbers) -> Iterator[Row]:
    """Yield rows about the individual, global and household risk of a weighted sample."""
    number, share = numbers.number, numbers.share
    yield Row(
        _("individual risk, highest"),
        share(found.highest),
        _("Highest probability of a correct match in the population, by the weights."),
    )
    yield Row(
        _("individual risk, average"), share(found.global_risk), _("Global risk: the mean over records.")
    )
    yield Row(
        _("expected re-identifications"),
        number(found.expected_reidentifications),
        _("Sum of the individual risks."),
    )
    yield Row(
        _("individual risk, at risk"),
        ngettext("{n} record", "{n} records", found.n_at_risk).format(n=number(found.n_at_risk)),
        _("Records with an individual risk above {threshold}.").format(threshold=number(found.threshold)),
    )
    if found.household_risks is None:
        return
    yield Row(_("households"), number(found.n_households), _("A record without one counts as a household."))
    yield Row(
        _("household risk, highest"),
        share(found.household_highest),
        _("Highest probability that any record of a household is matched."),
    )
    yield Row(_("household risk, average"), share(found.household_global), _("The mean over records."))


def special_rows(found: SpecialUniques, numbers: Numbers) -> Iterator[Row]:
    """Yield rows about special uniques."""
    number, share = numbers.number, numbers.share
    yield Row(
        _("special uniques"),
        number(found.n_special),
        _("Records that are unique in a set of up to {n} columns.").format(n=found.largest),
    )
    yield Row(
        _("highest SUDA score"),
        number(float(found.scores.max(initial=0.0))),
        _("A record unique in many small sets has a high score."),
    )
    for name, part in found.contributions.items():
        yield Row(
            _("SUDA score, {name}").format(name=name),
            share(None if part != part else part),  # nan without scores
            _("Share of all scores due to sets with this column."),
        )
    if found.dis is not None:
        meaning = _("Probability that a unique match is correct, at a sampling fraction of {fraction}.")
        yield Row("DIS", share(found.dis), meaning.format(fraction=share(found.sampling_fraction)))


def wildcard_rows(found: WildcardRisk, numbers: Numbers) -> Iterator[Row]:
    """Yield rows about a table read with wildcards, each value beside the one without."""
    from engine.assessment.risk.wildcards import CAUTION

    number = numbers.number
    yield Row(_("wildcards"), found.wildcards.words, _(CAUTION))
    yield Row(
        _("records with a wildcard"),
        number(found.with_wildcard),
        _("Records with a wildcard in some quasi-identifying columns."),
    )
    if found.all_star:
        meaning = _("They are left out, as a suppressed record hides nobody.")
        if found.wildcards.count_all_star:
            meaning = _("They match every record, and are counted.")
        yield Row(_("records of wildcards only"), number(found.all_star), meaning)
    for value in found.compared:
        words = numbers.share if value.is_share else number
        text = _("{read}; as values {as_values}").format(
            read=words(value.read), as_values=words(value.as_values)
        )
        yield Row(_("with wildcards, {title}").format(title=value.title), text, value.meaning)


def _risks(risk: AttackerRisk, numbers: Numbers) -> tuple[str, str, str]:
    return numbers.share(risk.highest), numbers.share(risk.average), numbers.share(risk.records_at_risk)


def _tone(risk: AttackerRisk) -> Tone:
    return "danger" if risk.highest >= 1 else "text"


def _average(*, counts_people: bool) -> str:
    return _("Average risk of a person.") if counts_people else _("Average risk of a record.")


def _above(threshold: str, *, counts_people: bool) -> str:
    text = (
        _("Share of the people with a risk above {threshold}.")
        if counts_people
        else _("Share of the records with a risk above {threshold}.")
    )
    return text.format(threshold=threshold)


def _weighted_row(name: str, own: Mapping[str, Any], numbers: Numbers) -> Row:
    """Return the estimates of a survey from one column: its mean, or the share that changes most."""
    before, after = own["before"], own["after"]
    if before is not None and after is not None:
        text = _("{before} before, {after} after").format(
            before=numbers.number(before["mean"]), after=numbers.number(after["mean"])
        )
        return Row(_("weighted mean, {name}").format(name=name), text, _("By the survey weights."))
    value, shares = max(own["shares"].items(), key=lambda entry: abs(entry[1]["after"] - entry[1]["before"]))
    text = _("{before} before, {after} after").format(
        before=numbers.share(shares["before"]), after=numbers.share(shares["after"])
    )
    meaning = _("Share of '{value}', which changes most, by the survey weights.").format(value=value)
    return Row(_("weighted share, {name}").format(name=name), text, meaning)


def utility_rows(result: Mapping[str, Any], numbers: Numbers) -> Iterator[Row]:
    """Yield rows about the utility of a released table; `result` comes from `UtilityReport.as_dict`."""
    number, percent = numbers.number, numbers.share
    records, classes = result["records"], result["classes"]
    kept = _("{n} of {total}").format(n=number(records["anonymized"]), total=number(records["raw"]))
    yield Row(_("records"), kept, _("Released of original records."))
    yield Row(_("classes"), number(classes["count"]), _("Sets of equal released records."))
    yield from person_rows(result.get("persons", {}), numbers)
    sizes = _("{first} to {last}").format(first=number(classes["min"]), last=number(classes["max"]))
    middle = _("mean {mean}, median {median}").format(
        mean=number(classes["mean"]), median=number(classes["median"])
    )
    yield Row(_("class sizes"), f"{sizes}\n{middle}", _("Records in a class."))
    yield Row(
        "c_avg",
        number(result["c_avg"]),
        _("Mean class size divided by k; 1 = every class has just the required size."),
    )
    meaning = _("Sum of squared class sizes; a suppressed record counts the size of the table.")
    yield Row("discernibility", number(result["discernibility"]), meaning)
    for name, value in (result["classification"] or {}).items():
        meaning = _("Share of records whose class does not predict '{name}'.").format(name=name)
        yield Row(_("classification, {name}").format(name=name), percent(value), meaning)
    for name, value in (result["entropy"] or {}).items():
        yield Row(
            _("entropy, {name}").format(name=name),
            number(value),
            _("Of its values in the release; natural logarithm."),
        )
    if risk := result["risk"]:
        yield Row(_("risk, average"), percent(risk["average"]), _("Mean of 1 / size over classes."))
        yield Row(_("risk, highest"), percent(risk["max"]), _("1 / size of the smallest class."))
    from engine.assessment.utility.of_table import HIERARCHY_METRICS
    from engine.utility import utility_metrics

    for key in HIERARCHY_METRICS:
        if key in result:
            metric = utility_metrics[key]
            yield Row(key, number(result[key]), f"{metric.title}: {metric.meaning}.")
    for name, own in result.get("weighted", {}).items():
        yield _weighted_row(name, own, numbers)
    for key, figure in result.get("quality", {}).items():
        if "by_attribute" in figure:
            lines = [f"{name}: {number(value)}" for name, value in figure["by_attribute"].items()]
            meaning = _("0 is best, 1 is worst.") if key == "missings" else _("1 is best, 0 is worst.")
            yield Row(_("quality, {key}").format(key=key), "\n".join(lines), meaning)
        else:
            yield Row(
                _("quality, {key}").format(key=key), number(figure["value"]), _("1 is best, 0 is worst.")
            )
    for name, level in result.get("transformation", {}).items():
        yield Row(
            _("level of {name}").format(name=name),
            str(level),
            _("The lowest level that has all labels of the column."),
        )
    for name, entry in (result["columns"] or {}).items():
        meaning = _("Most and least frequent value; moments of numbers.")
        yield Row(_("column {name}").format(name=name), _statistics(entry, number), meaning)
    for place, reason in result.get("errors", {}).items():
        yield Row(place, _("does not exist"), reason)


def _statistics(entry: Mapping[str, Any] | None, number: Callable[[float | int | None], str]) -> str:
    if not entry or entry["max_freq_value"] is None:
        return _("no values")
    lines = [f"{entry[f'{end}_freq_value']}: {number(entry[f'{end}_freq'])}" for end in ("max", "min")]
    lines += [f"{name} {number(entry[name])}" for name in ("mean", "median", "std", "var") if name in entry]
    return "\n".join(lines)
