"""ARX projects as projects of this program: everything that has a counterpart, and a list of the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.arx.archive import open_arx
from engine.arx.measures import nodes_of
from engine.arx.reading import read_arx
from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.pipeline import anonymize, evaluate_node, search
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.storage.opened_project import OpenedProject
from engine.records import Kind, Role
from tests.arx_projects import (
    COLUMNS,
    HIERARCHIES,
    INSENSITIVE,
    QI,
    SENSITIVE,
    TABLE,
    Column,
    Enum,
    Object,
    arx_project,
    configuration,
    entries,
    java_map,
    java_number,
    java_rows,
    measure_object,
    stream,
    write,
)

NODE = (
    '<level depth="2">\n<n i="0">\n<t>[1, 0]</t>\n<a>ANONYMOUS</a>\n<c>true</c>\n<p>1,2</p>\n'
    "<l>\n<u>{score}</u>\n<f>{score}</f>\n</l>\n</n>\n</level>"
)
MODE = "org.deidentifier.arx.gui.model.ModelTransformationMode"


def what(opened: OpenedProject) -> list[str]:
    return [loss.what for loss in opened.losses]


def rows(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    text = [[level.labels[code] for code in level.codes] for level in hierarchy.levels]
    return list(zip(*text, strict=True))


def with_column(*changed: Column) -> tuple[Column, ...]:
    by_name = {column.name: column for column in changed}
    return tuple(by_name.get(column.name, column) for column in COLUMNS)


def test_table_roles_types_hierarchies_models_and_limit_are_taken_over(tmp_path: Path) -> None:
    opened = read_arx(arx_project(tmp_path))
    project = opened.project
    assert project.name == "Clinic"
    assert project.table.names == ("name", "age", "sex", "illness", "visits")
    assert project.table.record(3) == ("Dan", "36", "m", "gout", "4")
    assert [project.role(name) for name in project.table.names] == [
        Role.IDENTIFYING,
        Role.QUASI_IDENTIFYING,
        Role.QUASI_IDENTIFYING,
        Role.SENSITIVE,
        Role.INSENSITIVE,
    ]
    assert project.table.column("age").data_type.kind is Kind.INTEGER
    assert project.table.column("sex").data_type.kind is Kind.TEXT
    assert [level.labels for level in project.hierarchies["age"].hierarchy.levels][1:] == [
        ("30", "50", "70"),
        ("*",),
    ]
    assert project.requirement.models == (KAnonymity(2),)
    assert project.requirement.suppression_limit == 0.25
    assert (project.search.metric, dict(project.search.metric_options)) == ("loss", {})
    assert project.source is None
    assert what(opened) == ["Results of ARX"]


def test_the_optimum_is_found_and_can_be_released(tmp_path: Path) -> None:
    outcome = anonymize(read_arx(arx_project(tmp_path)).project)
    assert (outcome.release.node, outcome.release.n_suppressed) == ((1, 0), 0)


def test_a_converted_recipe_is_the_same_project(tmp_path: Path) -> None:
    settings = configuration(
        measure=measure_object("MetricMDNMLoss", "SUM", 0.5), researchSubset=java_rows([0, 1, 2, 3], 8)
    )
    project = read_arx(arx_project(tmp_path, config=settings, models=("2-anonymity", "Inclusion"))).project
    write_recipe(project, tmp_path / "recipe.toml")
    again = read_recipe(tmp_path / "recipe.toml")
    assert again.requirement == project.requirement
    assert again.search.metric_options == project.search.metric_options == {"aggregate": "sum"}
    assert dict(again.roles) == dict(project.roles)
    assert again.records.n_records == project.records.n_records == 4
    for name, entry in project.hierarchies.items():
        assert rows(again.hierarchies[name].hierarchy) == rows(entry.hierarchy)


def test_levels_that_a_search_may_use_are_taken_over(tmp_path: Path) -> None:
    columns = with_column(Column("age", QI, "Integer", "<min>1</min><max>1</max>"))
    entry = read_arx(arx_project(tmp_path, columns=columns)).project.hierarchies["age"]
    assert (entry.min_level, entry.max_level) == (1, 1)


@pytest.mark.parametrize("levels", ["<min>0</min><max>7</max>", "<min>x</min><max>All</max>"])
def test_levels_outside_the_hierarchy_are_listed(tmp_path: Path, levels: str) -> None:
    opened = read_arx(arx_project(tmp_path, columns=with_column(Column("age", QI, "Integer", levels))))
    assert what(opened)[0] == "Levels of “age”"
    assert opened.project.hierarchies["age"].max_level is None


@pytest.mark.parametrize(
    ("kind", "form", "expected"),
    [
        ("Date/Time", "dd.MM.yyyy", (Kind.DATE, "%d.%m.%Y", ())),
        ("Date/Time", "", (Kind.DATE, "%d.%m.%Y", ())),
        ("Ordinal", "02.01.2024\n01.01.2024", (Kind.ORDERED, "", ("02.01.2024", "01.01.2024"))),
        ("Ordinal", "Default", (Kind.ORDERED, "", ("01.01.2024", "02.01.2024"))),
        ("String", "", (Kind.TEXT, "", ())),
    ],
)
def test_types_and_formats_are_taken_over(
    tmp_path: Path, kind: str, form: str, expected: tuple[Kind, str, tuple[str, ...]]
) -> None:
    further = f"<format>{form}</format>" if form else ""
    found = read_arx(
        arx_project(
            tmp_path,
            table="day;x\n01.01.2024;a\n02.01.2024;b\n",
            columns=(Column("day", INSENSITIVE, kind, further), Column("x", QI)),
            hierarchies={"x": "a;*\nb;*\n"},
        )
    ).project.table.column("day")
    assert (found.data_type.kind, found.data_type.format, found.data_type.values) == expected


@pytest.mark.parametrize(("kind", "form"), [("Date/Time", "ww/yyyy"), ("Integer", ""), ("Complex", "")])
def test_a_type_that_does_not_fit_is_listed_and_the_column_is_text(
    tmp_path: Path, kind: str, form: str
) -> None:
    columns = with_column(Column("illness", SENSITIVE, kind, f"<format>{form}</format>" if form else ""))
    opened = read_arx(arx_project(tmp_path, columns=columns))
    assert what(opened)[0] == "Type of “illness”"
    assert opened.project.table.column("illness").data_type.kind is Kind.TEXT


def test_missing_values_are_what_arx_calls_null(tmp_path: Path) -> None:
    table = TABLE.replace("Dan;36;m;gout;4", "Dan;36;m;gout;NULL")
    column = read_arx(arx_project(tmp_path, table=table)).project.table.column("visits")
    assert column.has_missing
    assert column.data_type.kind is Kind.INTEGER


def test_the_research_sample_is_the_subset(tmp_path: Path) -> None:
    config = configuration(researchSubset=java_rows([1, 4, 6], 8))
    project = read_arx(
        arx_project(tmp_path, config=config, models=("Inclusion", "(0.0,0.5)-presence"))
    ).project
    assert [project.records.record(number, ("name",)) for number in range(3)] == [
        ("Bea",),
        ("Eva",),
        ("Gus",),
    ]
    assert [model.key for model in project.requirement.models] == ["delta_presence"]


def test_a_sample_of_all_records_is_none(tmp_path: Path) -> None:
    config = configuration(researchSubset=java_rows(range(8), 8))
    assert read_arx(arx_project(tmp_path, config=config)).project.subset is None


def test_the_population_of_a_model_is_taken_over(tmp_path: Path) -> None:
    population = Object("org.deidentifier.arx.ARXPopulationModel", {"populationSize": java_number(80_000)})
    stored = Object("org.deidentifier.arx.criteria.PopulationUniqueness", {"populationModel": population})
    project = read_arx(
        arx_project(
            tmp_path, config=configuration([stored]), models=("(0.01)-population-uniqueness (pitman)",)
        )
    ).project
    assert project.population.size == 80_000


def test_without_the_java_objects_the_rest_is_read_and_what_is_unknown_is_listed(tmp_path: Path) -> None:
    found = entries(models=("Inclusion", "(5)-map"))
    for broken in (
        b"",
        b"\xac\xed\x00\x05",
        found["input/config.dat"][:-40],
        b"\xac\xed\x00\x05\x71\0\0\0\0",
    ):
        opened = read_arx(write(tmp_path / "a.deid", {**found, "input/config.dat": broken}))
        assert opened.project.role("age") is Role.QUASI_IDENTIFYING
        assert what(opened) == [
            "Aggregate of the utility measure",
            "Research sample",
            "Population",
            "Settings that ARX stores as Java objects",
            "Results of ARX",
            "Release with “(5)-map”",
        ]
    del found["input/config.dat"]
    assert "Research sample" in what(read_arx(write(tmp_path / "b.deid", found)))


def test_microaggregation_is_taken_over(tmp_path: Path) -> None:
    further = (
        "<microaggregationFunction>Arithmetic mean</microaggregationFunction>"
        "<microaggregationIgnoreMissingData>false</microaggregationIgnoreMissingData>"
    )
    for mode, grouping in (("MICRO_AGGREGATION", False), ("CLUSTERING_AND_MICRO_AGGREGATION", True)):
        config = configuration(transformationModes=java_map({"age": Enum(MODE, mode)}))
        columns = with_column(Column("age", QI, "Integer", further))
        opened = read_arx(arx_project(tmp_path, columns=columns, config=config))
        function = opened.project.microaggregation["age"]
        assert (function.key, function.grouping, function.ignore_missing) == ("mean", grouping, False)
    assert compile_problem(opened.project).names == ("age", "sex")


@pytest.mark.parametrize("function", ["Mode of modes", "Geometric mean"])
def test_an_aggregate_that_is_not_known_or_impossible_is_listed(tmp_path: Path, function: str) -> None:
    further = f"<microaggregationFunction>{function}</microaggregationFunction>"
    opened = read_arx(arx_project(tmp_path, columns=with_column(Column("sex", QI, "String", further))))
    assert f"Aggregate “{function}” of “sex”" in what(opened)
    assert not opened.project.microaggregation


def test_the_target_is_taken_over_and_further_ones_are_listed(tmp_path: Path) -> None:
    target = "<response>true</response>"
    columns = with_column(
        Column("illness", SENSITIVE, "String", target), Column("visits", INSENSITIVE, "Integer", target)
    )
    opened = read_arx(arx_project(tmp_path, columns=columns))
    assert opened.project.target == "illness"
    assert what(opened)[0] == "Target variables"


def test_a_hierarchy_that_is_no_tree_is_listed_with_its_line(tmp_path: Path) -> None:
    wrong = {**HIERARCHIES, "sex": "f;x;*\nm;x;+\n"}
    opened = read_arx(arx_project(tmp_path, hierarchies=wrong))
    assert opened.losses[0].what == "Hierarchy of “sex”"
    assert "sex.csv" in opened.losses[0].why
    assert "sex" not in opened.project.hierarchies


def test_a_hierarchy_in_the_encoding_of_windows_is_read_and_listed(tmp_path: Path) -> None:
    found = entries(table=TABLE.replace(";f;", ";für;"), hierarchies={**HIERARCHIES, "sex": "für;*\nm;*\n"})
    found["input/hierarchies/sex.csv"] = "für;*\nm;*\n".encode("cp1252")
    opened = read_arx(write(tmp_path / "a.deid", found))
    assert what(opened)[0] == "Encoding of the hierarchy of “sex”"
    assert rows(opened.project.hierarchies["sex"].hierarchy) == [("für", "*"), ("m", "*")]
    assert compile_problem(opened.project).lattice.maximum == (2, 1)


def test_a_hierarchy_that_is_not_stored_is_listed(tmp_path: Path) -> None:
    found = entries()
    del found["input/hierarchies/sex.csv"]
    opened = read_arx(write(tmp_path / "a.deid", found))
    assert what(opened)[0] == "Hierarchy of “sex”"
    assert compile_problem(opened.project).lattice.maximum == (2, 0)


def test_cells_of_suppressed_records_follow_the_roles_that_arx_suppresses(tmp_path: Path) -> None:
    both = read_arx(arx_project(tmp_path, suppressed=(QI, SENSITIVE, INSENSITIVE)))
    assert both.project.transformation.blank_suppressed
    one = read_arx(arx_project(tmp_path, suppressed=(QI, SENSITIVE)))
    assert one.project.transformation.blank_suppressed
    assert what(one)[0] == "Cells of suppressed records"


def test_settings_without_counterpart_are_listed(tmp_path: Path) -> None:
    further = "<suppressionString>gone</suppressionString>"
    found = entries(further=further)
    found["input/config.xml"] = found["input/config.xml"].replace(
        b"<practicalMonotonicity>false", b"<practicalMonotonicity>true"
    )
    listed = what(read_arx(write(tmp_path / "a.deid", found)))
    assert listed == ["Practical monotonicity", "Text of suppressed cells", "Results of ARX"]


ALGORITHM = "org.deidentifier.arx.ARXConfiguration$AnonymizationAlgorithm"


@pytest.mark.parametrize(
    "run", [{"heuristicSearchEnabled": True}, {"algorithm": Enum(ALGORITHM, "BEST_EFFORT_TOP_DOWN")}]
)
def test_a_heuristic_search_is_listed_and_all_nodes_are_scored(tmp_path: Path, run: dict[str, Any]) -> None:
    opened = read_arx(arx_project(tmp_path, config=configuration(run=run)))
    assert opened.project.search.algorithm == "exhaustive"
    assert "Heuristic search" in what(opened)
    optimal = configuration(run={"algorithm": Enum(ALGORITHM, "OPTIMAL")})
    assert "Heuristic search" not in what(read_arx(arx_project(tmp_path, config=optimal)))


@pytest.mark.parametrize(("limit", "seconds"), [(5_000, 5.0), (0, 30.0), (2**31 - 1, 30.0)])
def test_a_lattice_too_large_for_all_nodes_is_searched_for_as_long_as_in_arx(
    tmp_path: Path, limit: int, seconds: float
) -> None:
    names = [f"c{number}" for number in range(11)]
    table = "\n".join(";".join(row) for row in (names, ["a"] * 11, ["b"] * 11)) + "\n"
    opened = read_arx(
        arx_project(
            tmp_path,
            table=table,
            columns=[Column(name, QI) for name in names],
            hierarchies=dict.fromkeys(names, "a;x;y;*\nb;x;y;*\n"),
            config=configuration(run={"heuristicSearchTimeLimit": java_number(limit)}),
        )
    )
    assert (opened.project.search.algorithm, opened.project.search.seconds) == ("best_first", seconds)
    assert "Heuristic search" in what(opened)


def test_a_local_transformation_is_an_iterated_recoding(tmp_path: Path) -> None:
    kind = "org.deidentifier.arx.gui.model.ModelAnonymizationConfiguration"
    for word, iterations in (("LOCAL", 25), ("GLOBAL", None)):
        chosen = {"transformationType": Enum(f"{kind}$TransformationType", word)}
        local = Object("org.deidentifier.arx.gui.model.ModelLocalRecoding", {"numIterations": 25})
        fields = {"anonymizationConfiguration": Object(kind, chosen), "localRecodingModel": local}
        project = stream(Object("org.deidentifier.arx.gui.model.Model", fields))
        opened = read_arx(write(tmp_path / "a.deid", {**entries(), "project.dat": project}))
        assert getattr(opened.project.recoding, "iterations", None) == iterations
        assert ("Local transformation" in what(opened)) is (word == "LOCAL")


def test_a_local_transformation_with_clustering_is_released_with_one_level_per_column(tmp_path: Path) -> None:
    kind = "org.deidentifier.arx.gui.model.ModelAnonymizationConfiguration"
    chosen = {"transformationType": Enum(f"{kind}$TransformationType", "LOCAL")}
    local = Object("org.deidentifier.arx.gui.model.ModelLocalRecoding", {"numIterations": 25})
    fields = {"anonymizationConfiguration": Object(kind, chosen), "localRecodingModel": local}
    project = stream(Object("org.deidentifier.arx.gui.model.Model", fields))
    further = "<microaggregationFunction>Arithmetic mean</microaggregationFunction>"
    columns = with_column(Column("age", QI, "Integer", further))
    for mode, is_local in (("MICRO_AGGREGATION", True), ("CLUSTERING_AND_MICRO_AGGREGATION", False)):
        config = configuration(transformationModes=java_map({"age": Enum(MODE, mode)}))
        found = {**entries(columns=columns, config=config), "project.dat": project}
        opened = read_arx(write(tmp_path / "a.deid", found))
        assert (opened.project.recoding is not None) is is_local
        assert anonymize(opened.project).release.satisfies
    (loss,) = [one for one in opened.losses if one.what.startswith("Local transformation")]
    assert loss.what == "Local transformation with clustering and microaggregation"
    assert "requires one level for all records" in loss.why


@pytest.mark.parametrize(
    ("words", "k"),
    [
        ("(0.001)-population-uniqueness (pitman)", 2),
        ("(0.01)-sample-uniqueness", 2),
        ("(0.3)-avg-reidentification-risk", 4),
    ],
)
def test_models_for_which_arx_suppresses_are_listed_and_may_be_read_as_in_arx(
    tmp_path: Path, words: str, k: int
) -> None:
    population = Object("org.deidentifier.arx.ARXPopulationModel", {"populationSize": java_number(80_000)})
    stored = Object("org.deidentifier.arx.criteria.PopulationUniqueness", {"populationModel": population})
    path = arx_project(tmp_path, config=configuration([stored]), models=(words,))
    opened = read_arx(path)
    assert len(opened.project.requirement.models) == 1
    (loss,) = [one for one in opened.losses if one.what == f"Privacy model “{words}”"]
    assert "ARX suppresses the smallest classes until it is met" in loss.why
    assert f"add k-anonymity with k = {k}, or convert with --suppress-as-arx" in loss.hint
    suppressing = read_arx(path, suppresses=True).project
    assert suppressing.requirement.models[1:] == (KAnonymity(k),)


def test_settings_that_cannot_be_released_together_are_listed_in_arx_words(tmp_path: Path) -> None:
    opened = read_arx(
        arx_project(tmp_path, models=("(1.0,0.001)-DP", "distinct-2-diversity for attribute 'illness'"))
    )
    (loss,) = [one for one in opened.losses if one.what.startswith("Release")]
    assert loss.what == "Release with “(1.0,0.001)-DP”"
    assert "in addition to differential privacy" in loss.why
    with pytest.raises(InputError, match="in addition to differential privacy"):
        anonymize(opened.project)


def test_the_population_of_the_risks_is_taken_over(tmp_path: Path) -> None:
    for fields, expected in (
        ({"populationSize": java_number(5_000)}, (5_000, None)),
        ({"populationSize": None, "sampleFraction": 0.25}, (None, 0.25)),
    ):
        population = Object("org.deidentifier.arx.ARXPopulationModel", fields)
        risk = Object("org.deidentifier.arx.gui.model.ModelRisk", {"populationModel": population})
        project = stream(Object("org.deidentifier.arx.gui.model.Model", {"riskModel": risk}))
        found = read_arx(write(tmp_path / "a.deid", {**entries(), "project.dat": project})).project.population
        assert (found.size, found.sampling_fraction) == expected


def test_a_hierarchy_file_of_arx_is_refused_with_the_way_around(tmp_path: Path) -> None:
    path = tmp_path / "age.ahs"
    path.write_bytes(b"\xac\xed\x00\x05")
    with pytest.raises(InputError, match="only ARX can read") as caught:
        read_arx(path)
    assert "Export hierarchy" in caught.value.hint
    assert "CSV" in caught.value.hint


@pytest.mark.parametrize("constant", ["SUM", "MAXIMUM", "ARITHMETIC_MEAN", "GEOMETRIC_MEAN", "RANK"])
def test_scores_are_compared_as_arx_weighs_them(tmp_path: Path, constant: str) -> None:
    """At (1, 0), labels of age cover 3 of 8 leaves on average: its loss is 2 / 7, that of sex 0."""
    age, sex = 0.25, 0.5  # half of the largest weight, and that one itself
    loss = 2 / 7
    expected = {
        "SUM": loss * age / sex,
        "MAXIMUM": loss * age / sex,
        "RANK": loss * age / sex,
        "ARITHMETIC_MEAN": loss * age / sex / 2,
        "GEOMETRIC_MEAN": ((loss + 1) * age / sex) ** 0.5 - 1,
    }[constant]
    for score, is_same in ((expected, True), (expected + 0.001, False)):
        opened = read_arx(
            arx_project(
                tmp_path,
                weights={"age": age, "sex": sex},
                config=configuration(measure=measure_object("MetricMDNMLoss", constant, 0.5)),
                lattice=f"<lattice>{NODE.format(score=round(score, 12))}</lattice>",
            )
        )
        assert ("Scores" not in what(opened)) is is_same


def test_scores_that_differ_from_those_of_arx_are_listed(tmp_path: Path) -> None:
    project = read_arx(arx_project(tmp_path)).project
    evaluation = evaluate_node(project, compile_problem(project), (1, 0))
    right = float(evaluation.metric("loss")[0])
    same = arx_project(tmp_path, lattice=f"<lattice>{NODE.format(score=right)}</lattice>")
    assert what(read_arx(same)) == ["Results of ARX"]
    other = arx_project(tmp_path, lattice=f"<lattice>{NODE.format(score=0.123)}</lattice>")
    assert what(read_arx(other)) == ["Results of ARX", "Scores"]


def test_the_example_of_arx_has_the_optimum_that_arx_found(reference_data: Path) -> None:
    path = reference_data / "arx_projects" / "example.deid"
    opened = read_arx(path)
    project = opened.project
    assert what(opened) == ["Results of ARX"]
    assert (project.table.n_records, project.records.n_records) == (30_162, 5_692)
    assert project.requirement.models == (KAnonymity(5),)
    assert project.requirement.suppression_limit == 1.0
    assert {entry.hierarchy.n_leaves for entry in project.hierarchies.values()} == {
        2,
        5,
        7,
        8,
        14,
        16,
        41,
        100,
    }
    with open_arx(path) as archive:
        best = nodes_of(archive)[0]
    result = search(project, compile_problem(project))
    assert result.node == best.levels == (0, 2, 0, 1, 2, 1, 1, 1, 0)
