"""From a recipe to a verified file whose cells are aggregates of their classes."""

from __future__ import annotations

import csv
import json
import math
import re
import statistics
import tomllib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from engine.advice.preflight import preflight
from engine.cli import main
from engine.errors import InputError, RecipeError, RequirementNotMetError
from engine.params import values_of
from engine.pipeline import anonymize, export_release
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, Transformation
from engine.project.compile import compile_problem
from engine.project.edits import set_aggregate
from engine.project.project import frozen
from engine.project.recipe.files import read_recipe, write_recipe
from engine.recoding import make_local_release, make_release, recoding_methods, rooted
from engine.recoding.aggregation import AggregateFunction, aggregate_functions
from engine.records import Kind, Role
from engine.verification import ReleaseClaim, verify
from tests.engine.recoding.test_local import recodings
from tests.strategies import Attributes, Case, cases_with_requirement, few, hierarchy_rows, modest

VALUES = {
    Kind.INTEGER: ["0", "3", "12", "+12", "-5", ""],
    Kind.DECIMAL: ["0.5", "0.50", "1e1", "7.25", "3", ""],
    Kind.DATE: ["2020-02-29", "2021-1-1", "2021-01-01", "1999-12-31", ""],
    Kind.BOOLEAN: ["true", "FALSE", "TRUE", ""],
    Kind.TEXT: ["a", "b", "c, d", "*", ""],
}


@st.composite
def aggregated_columns(draw: st.DrawFn, name: str, n_records: int) -> Attributes:
    """Return a quasi-identifying column of any type, with values in several notations."""
    kind = draw(st.sampled_from(list(VALUES)))
    values = draw(st.lists(st.sampled_from(VALUES[kind]), min_size=1, max_size=4, unique=True))
    texts = draw(st.lists(st.sampled_from(values), min_size=n_records, max_size=n_records))
    if set(texts) == {""}:
        texts = [VALUES[kind][0], *texts[1:]]
    rows = draw(hierarchy_rows(sorted({*texts} - {""}))) if draw(st.booleans()) else ()
    return Attributes(name, tuple(texts), kind, rows)


@st.composite
def aggregated_projects(draw: st.DrawFn, *, may_group: bool = True) -> tuple[Case, Project]:
    case, requirement = draw(cases_with_requirement(max_records=25, max_qi=2))
    more = [draw(aggregated_columns(f"m{i}", case.n_records)) for i in range(draw(st.integers(1, 2)))]
    case = replace(case, qi=(*case.qi, *more))
    project = case.under(requirement)
    chosen: dict[str, AggregateFunction] = {}
    for column in project.columns_of(Role.QUASI_IDENTIFYING):
        fitting = [kind for kind in aggregate_functions.values() if not kind().why_not(column)]
        if column.name.startswith("q") and draw(st.integers(0, 2)):
            continue
        options: dict[str, Any] = {
            "grouping": may_group and draw(st.booleans()),
            "ignore_missing": draw(st.booleans()),
        }
        kind = draw(st.sampled_from(fitting))
        if hasattr(kind(), "decimals"):
            options["decimals"] = draw(st.integers(0, 3))
        chosen[column.name] = kind(**options)
    transformation = Transformation(
        suppressed_records=draw(st.sampled_from(["star", "remove"])), blank_suppressed=draw(st.booleans())
    )
    project = replace(project, microaggregation=frozen(chosen), transformation=transformation)
    return case, project


def meaning(text: str, kind: Kind) -> Any:
    if kind in (Kind.INTEGER, Kind.DECIMAL):
        return Fraction(text)
    if kind is Kind.DATE:
        return date(*map(int, text.split("-")))
    return text.lower() if kind is Kind.BOOLEAN else text


def recounted(
    function: AggregateFunction, texts: Sequence[str], kind: Kind, column: Sequence[str]
) -> set[Any]:
    """Return the valid values of an aggregate by Python's statistics, two for a geometric mean."""
    known = sorted(meaning(text, kind) for text in texts if text)
    n_missing = len(texts) - len(known)
    counts = Counter(known)
    takes_missing = function.key in ("mode", "mode_by_column", "set") and not function.ignore_missing
    if not known or (n_missing and not function.ignore_missing and not takes_missing):
        return {""}
    match function.key:
        case "mean" if kind is Kind.DATE:
            return {
                date.min + timedelta(round(statistics.mean(Fraction((v - date.min).days) for v in known)))
            }
        case "mean":
            return {round(statistics.mean(known) * 10**function.decimals) / Fraction(10**function.decimals)}
        case "geometric_mean":
            unit = Fraction(1, 10**function.decimals)
            root = math.exp(sum(map(math.log, known)) / len(known)) if known[0] else 0.0
            units = math.floor(root / unit)
            return {(units + step) * unit for step in (0, 1)}
        case "median":
            middle = statistics.median_low if kind is Kind.DATE else statistics.median
            return {middle(known)}
        case "mode":
            best = max(counts.values())
            if takes_missing and n_missing > best:
                return {""}
            return {min(value for value, count in counts.items() if count == best)}
        case "mode_by_column":
            best = max(counts.values())
            tied: list[Any] = sorted(value for value, count in counts.items() if count == best)
            if takes_missing and n_missing >= best:
                tied = [*(tied if n_missing == best else []), ""]
            whole = Counter(meaning(text, kind) if text else "" for text in column)
            return {max(tied, key=lambda value: (whole[value], -tied.index(value)))}
        case "interval":
            return {(known[0], known[-1])}
    return {(*counts, *([""] if n_missing and takes_missing else []))}


def read_back(function: AggregateFunction, text: str, kind: Kind) -> Any:
    """Return the value of a released text."""
    if not text:
        return ""
    if function.key in ("interval", "set"):
        # The only value that contains the separator is replaced by one without it.
        plain = text.replace("c, d", "c; d")
        parts = plain[1:-1].split(", ") if plain[:1] in ("[", "{") else [plain]
        meant = [meaning(part, kind) if part else "" for part in parts]
        meant = ["c, d" if part == "c; d" else part for part in meant]
        return (meant[0], meant[-1]) if function.key == "interval" else tuple(meant)
    return meaning(text, kind)


@modest
@given(st.data())
def test_every_released_node_is_verified_and_recounted(data: st.DataObject) -> None:
    case, project = data.draw(aggregated_projects())
    problem = compile_problem(project)
    node = problem.lattice.node(data.draw(st.integers(0, problem.lattice.n_nodes - 1)))
    release = make_release(project, problem, node)
    with TemporaryDirectory() as folder:
        verdict = export_release(project, release, Path(folder) / "out.csv")
    assert verdict.ok, verdict.problems
    assert verdict.measured["suppressed"] == release.n_suppressed

    # Classes by the labels that form them, as texts; suppressed records are those of the release.
    fixed = {name for name, function in project.microaggregation.items() if not function.grouping}
    classes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for record in range(release.n_records):
        label = tuple(
            a.hierarchy.levels[g].labels[a.hierarchy.levels[g].codes[a.leaves[record]]]
            for a, g in zip(problem.attributes, node, strict=True)
            if a.name not in fixed
        )
        classes[label].append(record)
    kinds = {a.name: a.kind for a in case.qi}
    for name, function in project.microaggregation.items():
        column, original = release.column(name), project.table.column(name)
        for records in classes.values():
            hidden = {bool(release.suppressed[record]) for record in records}
            assert len(hidden) == 1
            texts = {column.text(record) for record in records}
            assert len(texts) == 1
            if hidden == {True}:
                assert texts == {"*"}
                continue
            every = [original.text(record) for record in range(len(original.codes))]
            due = recounted(function, [every[record] for record in records], kinds[name], every)
            assert read_back(function, texts.pop(), kinds[name]) in due


@modest
@given(st.data())
def test_every_recoding_is_verified_with_columns_that_form_no_classes(data: st.DataObject) -> None:
    _, project = data.draw(aggregated_projects(may_group=False))
    problem = rooted(compile_problem(project))
    recoding = data.draw(recodings(problem))
    starred = replace(project, transformation=replace(project.transformation, suppressed_records="star"))
    release = make_local_release(starred, problem, recoding)
    if release.n_suppressed and project.transformation.suppressed_records == "remove":
        with pytest.raises(InputError, match="all records"):
            make_local_release(project, problem, recoding)
    with TemporaryDirectory() as folder:
        verdict = export_release(starred, release, Path(folder) / "out.csv")
    assert verdict.ok, verdict.problems


@pytest.mark.parametrize("key", sorted(recoding_methods))
@few
@given(st.data())
def test_every_recoding_method_supports_columns_that_form_no_classes(key: str, data: st.DataObject) -> None:
    _, project = data.draw(aggregated_projects(may_group=False))
    starred = replace(project, transformation=replace(project.transformation, suppressed_records="star"))
    try:
        release = anonymize(replace(starred, recoding=recoding_methods.create(key))).release
    except RequirementNotMetError:
        reject()
    with TemporaryDirectory() as folder:
        verdict = export_release(starred, release, Path(folder) / "out.csv")
    assert verdict.ok, verdict.problems


@modest
@given(st.data())
def test_an_altered_aggregate_is_named(data: st.DataObject) -> None:
    _, project = data.draw(aggregated_projects())
    problem = compile_problem(project)
    node = problem.lattice.node(data.draw(st.integers(0, problem.lattice.n_nodes - 1)))
    release = make_release(project, problem, node)
    claims: list[ReleaseClaim] = []
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        written = Path(folder) / "out.csv"

        def judge(claim: ReleaseClaim, progress: Any = None, *_limits: object) -> Any:
            with claim.released.path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
            if len(rows) > 1 and release.n_suppressed < release.n_records:
                name = data.draw(st.sampled_from(sorted(claim.aggregates)))
                place = rows[0].index(name)
                shown = [number for number, row in enumerate(rows[1:], start=1) if row[place] != "*"]
                if shown:
                    number = data.draw(st.sampled_from(shown))
                    due, rows[number][place] = rows[number][place], rows[number][place] + "9"
                    altered = Path(folder) / "altered.csv"
                    with altered.open("w", encoding="utf-8", newline="") as file:
                        csv.writer(file, lineterminator="\n").writerows(rows)
                    verdict = verify(replace(claim, released=replace(claim.released, path=altered)))
                    assert any(
                        f"Record {number:,}, column '{name}'" in problem and f"'{due}'" in problem
                        for problem in verdict.problems
                    ), verdict.problems
            claims.append(claim)
            return verify(claim, progress)

        patch.setattr("engine.pipeline.judging.verify", judge)
        export_release(project, release, written)
    assert len(claims) == 1


RECIPE = """
[data]
path = "people.csv"
[roles]
quasi_identifying = ["age", "town"]
sensitive = ["illness"]
[[privacy]]
model = "k_anonymity"
k = 2
[transformation]
suppression_limit = 0.0
[microaggregation."age"]
function = "mean"
"""
PEOPLE = "age,town,illness\n20,a,flu\n25,a,cold\n31,b,flu\n40,b,mumps\n41,b,flu\n"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def test_a_column_without_hierarchy_is_released_as_the_mean_of_the_classes_that_others_form(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = recipe.parent / "out.csv"
    assert main(["anonymize", str(recipe), "--out", str(out), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["microaggregation"] == {"age": "mean"}
    assert main(["anonymize", str(recipe), "--out", str(out)]) == 0
    assert "mean of each class" in capsys.readouterr().out
    assert out.read_text(encoding="utf-8") == (
        "age,town,illness\n22.5,a,flu\n22.5,a,cold\n37.33,b,flu\n37.33,b,mumps\n37.33,b,flu\n"
    )


def test_a_recipe_is_unchanged_after_writing_and_reading(recipe: Path, tmp_path: Path) -> None:
    text = RECIPE.replace(
        'function = "mean"', 'function = "mean"\ngrouping = true\nignore_missing = false\ndecimals = 0'
    )
    recipe.write_text(text, encoding="utf-8")
    project = read_recipe(recipe)
    (tmp_path / "again").mkdir()
    again = tmp_path / "again" / "recipe.toml"
    write_recipe(project, again)
    chosen = read_recipe(again).microaggregation
    assert dict(chosen) == dict(project.microaggregation)
    assert chosen["age"] == aggregate_functions.create(
        "mean", grouping=True, ignore_missing=False, decimals=0
    )


@pytest.mark.parametrize(
    ("wrong", "problem", "hint"),
    [
        ('function = "meen"', "unknown aggregate function 'meen'", "'mean'"),
        ("decimals = 2", "has no function", "geometric_mean"),
        ('function = "mean"\ndigits = 2', "Unknown parameter 'digits'", "decimals"),
        ('function = "mean"\ndecimals = -1', "Decimals cannot be -1", "from 0 to 12"),
        (
            'function = "mode"\n[microaggregation."illness"]\nfunction = "set"',
            "not quasi-identifying",
            "[roles]",
        ),
        ('function = "mode"\n[microaggregation."twon"]\nfunction = "set"', "no column 'twon'", "'town'"),
    ],
)
def test_a_mistake_in_the_recipe_names_valid_values(
    recipe: Path, wrong: str, problem: str, hint: str
) -> None:
    recipe.write_text(RECIPE.replace('function = "mean"', wrong), encoding="utf-8")
    with pytest.raises(RecipeError) as error:
        read_recipe(recipe)
    assert problem in error.value.problem
    assert hint in error.value.hint


def test_a_function_that_cannot_be_taken_of_its_column_is_one_clear_error(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe.write_text(RECIPE.replace('"age"]\nfunction', '"town"]\nfunction'), encoding="utf-8")
    assert main(["anonymize", str(recipe), "--out", str(recipe.parent / "out.csv")]) == 2
    words = " ".join(capsys.readouterr().err.split())
    assert "'town' contains text. The mean needs numbers or dates." in words
    project = read_recipe(recipe)
    (finding,) = [finding for finding in preflight(project) if finding.key == "aggregate:town"]
    assert not finding.edit(project).microaggregation


def test_classes_that_are_written_alike_are_one() -> None:
    groups = (("1", "outer"), ("2", "inner"), ("3", "inner"), ("4", "outer"))
    case = Case((Attributes("v", ("1", "2", "3", "4"), Kind.INTEGER, groups),))
    mean = aggregate_functions.create("mean", grouping=True)
    project = set_aggregate(case.under(Requirement((KAnonymity(2),), 0.0)), "v", mean)
    release = make_release(project, compile_problem(project), (1,))
    column = release.column("v")
    assert {column.text(record) for record in range(4)} == {"2.5"}
    # The node distinguishes outer from inner, the file does not.
    assert (release.n_classes, release.k, release.n_suppressed) == (1, 4, 0)


def test_a_column_that_forms_classes_is_refused_with_levels_that_differ_by_record(recipe: Path) -> None:
    project = read_recipe(recipe)
    grouped = set_aggregate(project, "age", aggregate_functions.create("mean", grouping=True))
    method = recoding_methods[next(iter(recoding_methods))]
    with pytest.raises(InputError, match="'age' forms classes by its labels"):
        anonymize(replace(grouped, recoding=method()))
    assert any(finding.key == "grouped:age" for finding in preflight(replace(grouped, recoding=method())))


def test_other_commands_take_the_file(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = recipe.parent / "out.csv"
    assert main(["anonymize", str(recipe), "--out", str(out), "--quiet"]) == 0
    columns, original = ["--qi", "age", "--qi", "town"], str(recipe.parent / "people.csv")
    assert main(["check", str(out), *columns, "--sa", "illness"]) == 0
    assert main(["risk", str(out), *columns]) == 0
    assert main(["utility", original, str(out), *columns]) == 0
    assert not capsys.readouterr().err
    # Metrics by hierarchies need labels of these hierarchies.
    recipe.write_text(RECIPE + '[hierarchies."age"]\nbuilder = "intervals"\n', encoding="utf-8")
    assert main(["utility", original, str(out), *columns, "--recipe", str(recipe)]) == 2
    assert "such as '22.5'" in " ".join(capsys.readouterr().err.split())


def test_the_help_page_names_every_function_with_its_defaults_and_types() -> None:
    page = (Path(__file__).parents[2] / "resources" / "help" / "microaggregation.md").read_text(
        encoding="utf-8"
    )
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", page, flags=re.MULTILINE))
    assert rows.keys() == set(aggregate_functions)
    for key, kinds in rows.items():
        told = aggregate_functions[key].kinds_text.replace(" or ", ", ")
        assert kinds == told
    (block,) = re.findall(r"^```toml\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    shown = tomllib.loads(block)["microaggregation"]["age"]
    usual = aggregate_functions.create(shown.pop("function"))
    assert shown == values_of(usual)
