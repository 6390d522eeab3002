"""Releases as SPSS, Stata and JSON lines files: labels kept, suppressed cells, names, and what is refused."""

from __future__ import annotations

import datetime as dt
import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cli import main
from engine.errors import ExportError, VerificationError
from engine.findings.given_table import given_table
from engine.pipeline import anonymize, export_release, judge_file
from engine.project.project import Project
from engine.project.recipe.files import read_recipe
from engine.project.storage.file import open_project, save_project
from engine.recoding import Release
from engine.records import DataType, reader_process
from engine.records.opening.files import read_csv
from engine.records.options import ExportOptions, kind_of
from engine.records.plan import WrittenColumn
from engine.records.programs import statistical_writing as writing_statistical
from engine.records.programs.statistical_writing import variable_names
from engine.verification import Verdict
from tests.formats import write_excel, write_json_lines, write_spss, write_stata
from tests.strategies import few

ENDINGS = [".sav", ".dta", ".jsonl"]
AGE = "".join(f"{age};{age // 10 * 10}-{age // 10 * 10 + 9};*\n" for age in range(100))
COLUMNS: dict[str, list[Any]] = {
    "age": [21.0, 25.0, 34.0, 38.0, 50.0, 25.0],
    "sex": [1.0, 2.0, 1.0, None, 2.0, 2.0],
    "day": [dt.date(2020, 2, 29)] * 3 + [dt.date(2021, 1, 1)] * 3,
    "moment": [dt.datetime(2020, 2, 29, 13, 5, second) for second in range(6)],
    "illness": ["flu", "cold", None, "flu", "cold", "flu"],
    "weight": [70.5, 81.0, 60.25, 70.5, 70.5, 99.0],
}
LABELS: dict[str, Any] = {
    "variable_value_labels": {"sex": {1: "male", 2: "female", 3: "other"}, "weight": {99: "99 and above"}},
    "column_labels": {"sex": "Sex of the person", "age": "Age in years"},
    "variable_measure": {"sex": "nominal", "weight": "scale", "age": "scale"},
}


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What libraries read, without the half second that another process takes to start."""
    monkeypatch.setattr(reader_process, "needs_subprocess", lambda path: False)


def project_of(
    path: Path, *, levels: Sequence[str] = ("age",), limit: float = 0.2, more: str = ""
) -> Project:
    folder = path.parent
    (folder / "age.csv").write_text(AGE, encoding="utf-8")
    hierarchies = "".join(
        f'[hierarchies."{name}"]\n' + ('path = "age.csv"\n' if name == "age" else 'builder = "suppress"\n')
        for name in levels
    )
    recipe = folder / "people.toml"
    recipe.write_text(
        f'format = 1\n[data]\npath = "{path.name}"\n{more}\n[roles]\n'
        f'quasi_identifying = {json.dumps(list(levels))}\nothers = "insensitive"\n{hierarchies}'
        f'[[privacy]]\nmodel = "k_anonymity"\nk = 2\n[transformation]\nsuppression_limit = {limit}\n'
        'suppressed_group = "ignore"\n',  # so that the cells of a suppressed record show their format
        encoding="utf-8",
    )
    return read_recipe(recipe)


def written(project: Project, out: Path, node: tuple[int, ...] | None = None) -> Verdict:
    release = anonymize(project, node).release
    return export_release(project, release, out, options=ExportOptions(kind_of(out)))


def cells(path: Path) -> dict[str, list[str]]:
    table = read_csv(path)
    return {c.name: [c.text(record) for record in range(table.n_records)] for c in table.columns}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_release_is_written_verified_and_the_same_when_read_again(tmp_path: Path, ending: str) -> None:
    project = project_of(write_spss(tmp_path / "people.sav", COLUMNS, **LABELS))
    assert written(project, tmp_path / f"out{ending}").ok
    assert cells(tmp_path / f"out{ending}") == {
        "age": ["20-29", "20-29", "30-39", "30-39", "*", "20-29"],
        "sex": ["male", "female", "male", "", "female", "female"],
        "day": ["2020-02-29"] * 3 + ["2021-01-01"] * 3,
        "moment": [f"2020-02-29 13:05:0{second}" for second in range(6)],
        "illness": ["flu", "cold", "", "flu", "cold", "flu"],
        "weight": ["70.5", "81", "60.25", "70.5", "70.5", "99 and above"],
    }


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_codes_labels_and_dates_are_kept_and_generalized_columns_are_text(
    tmp_path: Path, ending: str
) -> None:
    project = project_of(write_spss(tmp_path / "people.sav", COLUMNS, **LABELS))
    out = tmp_path / f"out{ending}"
    written(project, out)
    read = pyreadstat.read_sav if ending == ".sav" else pyreadstat.read_dta
    frame, about = read(out)
    assert about.variable_value_labels == {
        "sex": {1: "male", 2: "female"},  # the label of a value that no record has is left out
        "weight": {99: "99 and above"},
    }
    assert about.column_names_to_labels["sex"] == "Sex of the person"
    assert frame["sex"].tolist()[:3] == [1, 2, 1]
    assert frame["sex"].isna().tolist() == [False, False, False, True, False, False]
    assert frame["day"].tolist()[0] == dt.date(2020, 2, 29)
    assert about.readstat_variable_types["age"] == "string"
    assert about.readstat_variable_types["weight"] == "double"
    if ending == ".sav":
        assert about.variable_measure["sex"] == "nominal"


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_codes_of_a_recipe_are_released_with_their_labels(tmp_path: Path, ending: str) -> None:
    path = write_spss(tmp_path / "people.sav", COLUMNS, **LABELS)
    project = project_of(path, levels=("age", "sex"), limit=1, more='value_labels = "codes"')
    out = tmp_path / f"out{ending}"
    assert written(project, out, (0, 0)).ok
    read = pyreadstat.read_sav if ending == ".sav" else pyreadstat.read_dta
    about = read(out)[1]
    assert about.variable_value_labels["sex"].items() >= {2: "female"}.items()
    assert about.variable_value_labels["weight"] == {99: "99 and above"}
    assert cells(out)["sex"] == ["*", "female", "*", "*", "*", "female"]
    again = project_of(out, levels=("age", "sex"), more='value_labels = "codes"').table
    assert [again.column("sex").text(record) for record in range(6)] == ["*", "2", "*", "*", "*", "2"]
    save_project(project, tmp_path / "people.anon")
    assert open_project(tmp_path / "people.anon").project.options.value_labels == "codes"


@pytest.mark.parametrize(
    ("rows", "kept"), [("1;2;*\n2;2;*\n3;2;*\n", False), ("1;1;*\n2;rest;*\n3;rest;*\n", True)]
)
def test_a_group_that_looks_like_a_code_has_no_label(tmp_path: Path, rows: str, kept: bool) -> None:
    """The number 2 for everybody would claim that all are female."""
    path = write_spss(tmp_path / "people.sav", {**COLUMNS, "sex": [1.0, 2.0, 1.0, 3.0, 2.0, 2.0]}, **LABELS)
    (tmp_path / "sex.csv").write_text(rows, encoding="utf-8")
    project = project_of(path, levels=("sex",), limit=1, more='value_labels = "codes"')
    recipe = tmp_path / "people.toml"
    text = recipe.read_text(encoding="utf-8").replace('builder = "suppress"', 'path = "sex.csv"')
    recipe.write_text(text, encoding="utf-8")
    project = read_recipe(recipe)
    for node in (0, 1):
        assert written(project, tmp_path / f"{node}.sav", (node,)).ok
        about = pyreadstat.read_sav(tmp_path / f"{node}.sav")[1]
        own = about.variable_value_labels.get("sex", {})
        assert ("female" in own.values()) == (kept and not node)


@pytest.mark.parametrize("ending", ENDINGS)
def test_suppressed_cells_of_numbers_are_missing_values_with_a_label(tmp_path: Path, ending: str) -> None:
    """At the lowest node, 25 has two records, and the other four ages one each."""
    project = project_of(
        write_spss(tmp_path / "people.sav", COLUMNS, **LABELS), levels=("age", "sex"), limit=1
    )
    out = tmp_path / f"out{ending}"
    assert written(project, out, (0, 0)).ok
    found = cells(out)
    assert found["age"] == ["*", "25", "*", "*", "*", "25"]
    assert found["sex"] == ["*", "female", "*", "*", "*", "female"]
    if ending == ".dta":
        frame = pd.read_stata(out, convert_categoricals=False, convert_missing=True)
        assert [str(cell) for cell in frame["age"]] == [".s", "25.0", ".s", ".s", ".s", "25.0"]
        assert pd.read_stata(out, convert_categoricals=False)["age"].mean() == 25
    elif ending == ".sav":
        frame, about = pyreadstat.read_sav(out, user_missing=True)
        assert frame["age"].tolist() == [99, 25, 99, 99, 99, 25]
        assert about.missing_ranges["age"] == [{"lo": 99.0, "hi": 99.0}]
        assert pyreadstat.read_sav(out)[0]["age"].mean() == 25
    else:
        records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        assert [record["age"] for record in records] == ["*", 25, "*", "*", "*", 25]


@pytest.mark.parametrize("ending", [".sav", ".dta"])
@pytest.mark.parametrize("levels", [("age",), ("age", "day")])
def test_dates_of_suppressed_records_are_missing_values_of_a_column_of_dates(
    tmp_path: Path, ending: str, levels: tuple[str, ...]
) -> None:
    columns = {**COLUMNS, "day": [dt.date(2020, 2, 29)] * 4 + [dt.date(2021, 1, 1), None]}
    project = project_of(write_spss(tmp_path / "people.sav", columns, **LABELS), levels=levels, limit=0.9)
    blank = replace(project.transformation, suppressed_group="if_held", blank_suppressed=True)
    out = tmp_path / f"out{ending}"
    assert written(replace(project, transformation=blank), out, (1, 0)[: len(levels)]).ok
    frame, about = (pyreadstat.read_sav if ending == ".sav" else pyreadstat.read_dta)(out)
    n_suppressed = 1 if len(levels) == 1 else 2
    stars = [False] * 4 + [True, n_suppressed == 2]
    for name in ("day", "moment"):
        assert list(about.variable_value_labels[name].values()) == ["*"]
        assert about.original_variable_types[name] in ("SDATE10", "DATETIME20", "%td", "%tc")
        assert frame[name].isna().tolist()[:5] == stars[:5]
        assert isinstance(frame[name].iloc[0], dt.date)
    found = cells(out)
    assert found["day"] == ["2020-02-29"] * 4 + ["*", "*" if stars[5] else ""]
    assert found["moment"] == [
        "*" if is_star else f"2020-02-29 13:05:0{i}" for i, is_star in enumerate(stars)
    ]
    assert given_table(out, list(levels)).n_blank == n_suppressed


def test_json_lines_have_numbers_as_written_null_and_truth(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_text(
        '{"age": 21, "n": 1.0, "big": 12345678901234567890, "zip": "01234", "f": true, '
        '"w": "é\\n\\"\\u2028"}\n'
        '{"age": 25, "n": 1, "big": null, "zip": "1", "f": false}\n',
        encoding="utf-8",
    )
    out = tmp_path / "out.jsonl"
    assert written(project_of(path, limit=1), out, (0,)).ok
    assert (
        out.read_text(encoding="utf-8")
        .split("\n")[0]
        .endswith('"n": 1.0, "big": 12345678901234567890, "zip": "01234", "f": true, "w": "é\\n\\"\u2028"}')
    )
    assert json.loads(out.read_bytes().split(b"\n")[1]) == {
        "age": "*", "n": 1, "big": None, "zip": "1", "f": False, "w": None,
    }  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("missing", ['missing = ["NA", "?"]', "missing = []"])
def test_missing_values_of_any_token_are_verified(tmp_path: Path, ending: str, missing: str) -> None:
    columns = {"age": [21.0, 25.0, 25.0], "n": [1.0, None, 2.0], "t": ["x", "?", "y"]}
    project = project_of(write_excel(tmp_path / "people.xlsx", columns), limit=1, more=missing)
    assert written(project, tmp_path / f"out{ending}").ok


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_release_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    project = project_of(write_spss(tmp_path / "people.sav", COLUMNS, **LABELS))
    written(project, tmp_path / f"out{ending}")
    first = (tmp_path / f"out{ending}").read_bytes()
    assert dt.datetime.now().strftime("%d %b %y").encode() not in first
    assert dt.datetime.now().strftime("%d %b %Y").encode() not in first
    monkeypatch.setattr(writing_statistical, "_FEW", 0)  # written in another process, as large tables are
    written(project, tmp_path / f"again{ending}")
    assert (tmp_path / f"again{ending}").read_bytes() == first


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_changed_cell_is_found_by_the_judge(tmp_path: Path, ending: str) -> None:
    project = project_of(write_spss(tmp_path / "people.sav", COLUMNS, **LABELS))
    release, out = anonymize(project).release, tmp_path / f"out{ending}"
    options = ExportOptions(kind_of(out))
    export_release(project, release, out, options=options)
    assert judge_file(project, release, out, options=options).ok
    whole = out.read_bytes()
    assert b"cold" in whole
    out.write_bytes(whole.replace(b"cold", b"gout", 1))
    verdict = judge_file(project, release, out, options=options)
    assert not verdict.ok
    assert "the file has 'gout'" in " ".join(verdict.problems)
    label = b"male" if ending == ".jsonl" else b"female"
    out.write_bytes(whole.replace(label, label[::-1]))
    assert not judge_file(project, release, out, options=options).ok
    out.write_bytes(whole[: len(whole) // 2])
    assert not judge_file(project, release, out, options=options).ok


def test_names_that_a_program_does_not_allow_are_changed_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = {"age": [21.0, 25.0], "marital-status": ["x", "y"], "2020": [1.0, 2.0], "with": ["a", "b"]}
    project_of(write_excel(tmp_path / "people.xlsx", columns), limit=1)
    for ending, names in (
        (".sav", ["age", "marital_status", "v_2020", "with_"]),
        (".dta", ["age", "marital_status", "v_2020", "with_"]),
    ):
        out = tmp_path / f"out{ending}"
        assert main(["anonymize", str(tmp_path / "people.toml"), "--out", str(out), "--format", "json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert list(cells(out)) == names
        assert said["renamed"] == {"marital-status": "marital_status", "2020": "v_2020", "with": "with_"}
        assert main(["verify", str(out), "--recipe", str(tmp_path / "people.toml")]) == 0
        capsys.readouterr()
        about = (pyreadstat.read_sav if ending == ".sav" else pyreadstat.read_dta)(out)[1]
        assert about.column_names_to_labels["marital_status"] == "marital-status"


@pytest.mark.parametrize(
    ("kind", "names", "expected"),
    [
        ("sav", ["a b", "a_b", "a-b"], ["a_b_2", "a_b", "a_b_3"]),
        ("sav", ["Age", "age", "ALL", "x.", "#t", "ä.ö"], ["Age", "age_2", "ALL_", "x", "v_t", "ä.ö"]),
        ("sav", ["é" * 40], ["é" * 32]),
        ("dta", ["x.y", "_n", "str12", "_ok", "1"], ["x_y", "_n_", "str12_", "_ok", "v_1"]),
        ("dta", ["a" * 40, "a" * 32], ["a" * 30 + "_2", "a" * 32]),
        ("jsonl", ["a b", "1", ""], ["a b", "1", ""]),
    ],
)
def test_names_become_those_that_are_allowed(kind: str, names: list[str], expected: list[str]) -> None:
    assert list(variable_names(names, kind)) == expected


@few
@given(st.lists(st.text(max_size=40).filter(str.strip), min_size=1, max_size=6, unique=True))
def test_any_names_can_be_written(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    for kind, write in (("sav", pyreadstat.write_sav), ("dta", pyreadstat.write_dta)):
        allowed = variable_names(names, kind)
        assert len({name.lower() for name in allowed}) == len(names)
        write(pd.DataFrame({name: [1.0] for name in allowed}), tmp_path_factory.mktemp("n") / f"a.{kind}")


REFUSED = {
    "a text that ends in a space": (".sav", "x ", "ends in a space, which SPSS does not keep"),
    "a long text": (".sav", "x" * 32_768, "32\u202f768 bytes, but SPSS holds at most 32\u202f767"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_texts_that_a_program_would_change_are_refused_with_their_column(tmp_path: Path, case: str) -> None:
    ending, text, told = REFUSED[case]
    project = project_of(write_json_lines(tmp_path / "people.jsonl", {"age": [1, 1], "note": [text, "y"]}))
    with pytest.raises(ExportError, match="Column 'note'") as caught:
        written(project, tmp_path / f"out{ending}")
    assert told in caught.value.problem
    assert not (tmp_path / f"out{ending}").exists()
    assert written(project, tmp_path / "out.dta").ok


def test_what_the_library_refuses_to_write_is_said_in_a_sentence(tmp_path: Path) -> None:
    columns, codes = [WrittenColumn("a-b", DataType(), "")], np.zeros(1, dtype=np.int32)
    with (tmp_path / "out.dta").open("wb") as file, pytest.raises(ExportError, match="Stata") as caught:
        writing_statistical.write_statistical("dta", file, columns, ["a-b"], [(["x"], codes)])
    assert caught.value.problem.startswith("Stata cannot hold this release: ")
    assert "CSV" in caught.value.hint


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_such_a_file_is_neither_written_in_parts_nor_under_another_name(tmp_path: Path, ending: str) -> None:
    project = project_of(write_spss(tmp_path / "people.sav", COLUMNS))
    release = anonymize(project).release
    with pytest.raises(ExportError, match="in parts cannot be in this format"):
        export_release(
            project, release, tmp_path / f"p{ending}", options=ExportOptions(ending[1:]), in_parts=True
        )
    with pytest.raises(ExportError, match=f"must end in {ending}"):
        export_release(project, release, tmp_path / "p.xlsx", options=ExportOptions(ending[1:]))


def test_json_lines_are_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.records.disk.parts.RECORDS_PER_PART", 4)
    project = project_of(write_spss(tmp_path / "people.sav", COLUMNS, **LABELS))
    out = tmp_path / "parts.jsonl"
    release = anonymize(project).release
    assert export_release(project, release, out, options=ExportOptions("jsonl"), in_parts=True).ok
    assert [len(path.read_text().splitlines()) for path in sorted(out.glob("*.jsonl"))] == [4, 2]


def test_labels_survive_a_saved_project_and_a_lost_original(tmp_path: Path) -> None:
    source = write_stata(
        tmp_path / "people.dta", {"age": [21, 25], "sex": [1, 2]}, variable_labels={"sex": "Sex"}
    )
    frame = pd.DataFrame({"age": [21.0, 25.0], "sex": [1.0, 2.0]})
    pyreadstat.write_dta(
        frame, source, variable_value_labels={"sex": {1: "m", 2: "f"}}, column_labels={"sex": "Sex"}
    )
    save_project(project_of(source, limit=1), tmp_path / "people.anon")
    source.unlink()
    project = open_project(tmp_path / "people.anon")[0]
    assert written(project, tmp_path / "out.sav").ok
    about = pyreadstat.read_sav(tmp_path / "out.sav")[1]
    assert about.variable_value_labels == {"sex": {1.0: "m", 2.0: "f"}}
    assert about.column_names_to_labels["sex"] == "Sex"


def test_what_the_program_believes_is_not_what_the_file_is_measured_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_of(write_spss(tmp_path / "people.sav", COLUMNS, **LABELS))
    save = writing_statistical._save

    def wrong(kind: str, forms: Any, frame: pd.DataFrame, path: Path) -> None:
        save(kind, forms, frame.assign(weight=frame["weight"] + 1), path)

    monkeypatch.setattr(writing_statistical, "_save", wrong)
    with pytest.raises(VerificationError, match="weight"):
        written(project, tmp_path / "out.sav")
    assert not (tmp_path / "out.sav").exists()


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_a_label_of_several_codes_keeps_the_code_where_one_of_them_is_released(
    tmp_path: Path, ending: str
) -> None:
    columns = {"age": [1.0, 1.0, 1.0], "q": [8.0, None, 3.0]}
    labels = {"q": {8.0: "no answer", 9.0: "no answer", 3.0: "8"}}
    project = project_of(write_spss(tmp_path / "people.sav", columns, variable_value_labels=labels))
    assert written(project, tmp_path / f"out{ending}").ok
    assert cells(tmp_path / f"out{ending}")["q"] == ["no answer (8)", "", "8"]


_TEXT = st.text(st.sampled_from(string.ascii_letters + "éß€中 *#,\"'"), max_size=6).map(str.strip)
_FAMILIES: dict[str, st.SearchStrategy[Any]] = {
    "number": st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9).map(lambda number: round(number, 4)),
    "code": st.sampled_from([1.0, 2.0, 3.0, 8.0, 9.0]),
    "day": st.dates(dt.date(1900, 3, 1), dt.date(2199, 1, 1)),
    "text": _TEXT,
}


@st.composite
def _columns(draw: st.DrawFn) -> tuple[dict[str, list[Any]], Mapping[str, Mapping[float, str]]]:
    n_records = draw(st.integers(2, 6))
    families = draw(st.lists(st.sampled_from(sorted(_FAMILIES)), min_size=1, max_size=3))
    columns: dict[str, list[Any]] = {
        "age": draw(st.lists(st.integers(0, 99).map(float), min_size=n_records, max_size=n_records))
    }
    labels = {}
    for number, family in enumerate(families):
        cell = _FAMILIES[family] | st.none()
        columns[f"c{number}"] = draw(st.lists(cell, min_size=n_records, max_size=n_records))
        if family == "code":
            own = st.dictionaries(
                _FAMILIES["code"], st.sampled_from(["a", "b", "9", "no answer"]), min_size=1
            )
            labels[f"c{number}"] = draw(own)
    return columns, labels


@few
@pytest.mark.parametrize("ending", ENDINGS)
@given(made=_columns(), level=st.integers(0, 2))
def test_any_release_is_read_back_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, ending: str, made: Any, level: int
) -> None:
    columns, labels = made
    folder = tmp_path_factory.mktemp("any")
    project = project_of(write_spss(folder / "people.sav", columns, variable_value_labels=labels), limit=1)
    project = replace(project, transformation=replace(project.transformation, seed=1))
    release: Release = anonymize(project, (level,)).release
    out = folder / f"out{ending}"
    assert export_release(project, release, out, options=ExportOptions(kind_of(out))).ok
    rows = release.rows()
    if len(rows):
        assert cells(out) == {c.name: [c.labels[code] for code in c.codes[rows]] for c in release.columns}
