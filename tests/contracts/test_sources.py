"""Contract of sources: a table that stays in files gives what the same table in memory gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.pipeline import Outcome, anonymize, export_release, summary
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.project.recipe.files import read_recipe
from engine.recoding.rules import column_rules
from engine.records import Role, Table
from engine.records.counting import counted_table
from engine.records.opening import open_table
from engine.records.options import DISK, FILL, MEMORY, PARQUET, ReadOptions, Replacement
from engine.scoring import score_lattice

pytestmark = pytest.mark.usefixtures("by_numpy")

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
RUNS = ("seconds", "efficiency")
ODD = (
    "name;note;city;n\n"
    '007;" x ";"";1\n'
    'e\u0301;"two\nlines";NA;2\n'
    '\u00e9;"a ""quoted"" text";NA;\n'
    "'--DROP;  lead;;007\n"
    '%s;tail  ;"NA";1e5\n'
    '007;"two\r\nlines";;1\n'
)


def opened(path: Path | str, where: str, **options: Any) -> Table:
    return open_table(path, ReadOptions(source=where, **options)).table


def same_columns(one: Table, other: Table) -> None:
    assert one.names == other.names
    for a, b in zip(one.columns, other.columns, strict=True):
        assert tuple(a.labels) == tuple(b.labels)
        assert (a.data_type, a.has_missing) == (b.data_type, b.has_missing)
        assert np.array_equal(a.numbers, b.numbers, equal_nan=True)
        assert np.array_equal(a.codes, b.codes)
        assert np.array_equal(a.counts, b.counts)


ODD_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"missing": ("NA", "")},
    {"trim": True},
    {"header": False},
    {"quote": ""},
    {"column_missing": {"n": ("007",)}},
    {"encoding": "utf-16"},
    {"encoding": "utf-8-sig"},
    {"skip_lines": 1, "header": False},
    {"comment": "%"},
    {"replacements": (Replacement("n", "007", "7"), Replacement("name", "%s", None))},
)


@pytest.mark.parametrize("options", ODD_OPTIONS, ids=lambda options: " ".join(options) or "usual")
def test_odd_texts_are_read_alike(options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    text = (
        ODD if options.get("quote") != "" else ODD.replace('"', "").replace("\r\n", "").replace("two\nl", "l")
    )
    path.write_bytes(text.encode(options.get("encoding", "utf-8")))
    same_columns(opened(path, DISK, **options), opened(path, MEMORY, **options))


@pytest.mark.parametrize("ending", [".csv.gz", ".parquet"])
def test_packed_files_are_read_alike(ending: str, tmp_path: Path) -> None:
    import gzip

    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / f"people{ending}"
    if ending == ".csv.gz":
        path.write_bytes(gzip.compress(ODD.encode()))
    else:
        from datetime import UTC, date, datetime

        parquet.write_table(
            pa.table(
                {
                    "text": pa.array(["b", "a", None, "", "b"]),
                    "whole": pa.array([3, None, 1, 2, 3]),
                    "real": pa.array([0.1, float("nan"), -0.0, 0.0, None]),
                    "yes": pa.array([True, None, False, True, True]),
                    "day": pa.array([date(2020, 1, 2), None, date(1999, 12, 31), date(2020, 1, 2), None]),
                    "at": pa.array([datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)] * 5),
                    "kind": pa.array(["x", "y", "x", None, "y"]).dictionary_encode(),
                }
            ),
            path,
        )
    same_columns(opened(path, DISK), opened(path, MEMORY))


def test_several_files_are_one_table(tmp_path: Path) -> None:
    rows = [f"{i % 7},{'ab'[i % 2]}" for i in range(90)]
    (tmp_path / "whole.csv").write_text("n,s\n" + "\n".join(rows) + "\n", encoding="utf-8")
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, start in enumerate((0, 30, 60)):
        part = "n,s\n" + "\n".join(rows[start : start + 30]) + "\n"
        (folder / f"part-{number}.csv").write_text(part, encoding="utf-8")
    whole = opened(tmp_path / "whole.csv", MEMORY)
    same_columns(opened(folder, "auto"), whole)
    same_columns(opened(str(folder / "part-*.csv"), "auto"), whole)


def test_tuples_wider_than_a_key_are_counted_alike(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    names = [f"c{i}" for i in range(14)]
    rows = random.integers(0, 400, size=(900, 14))
    rows[300:600] = rows[:300]
    path = tmp_path / "wide.csv"
    lines = [",".join(names), *(",".join(f"v{n}" for n in row) for row in rows.tolist())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    stored, memory = opened(path, DISK), opened(path, MEMORY)
    one, other = counted_table(stored, names), counted_table(memory, names)
    assert one.n_rows == 600
    same_columns(one, other)
    assert np.array_equal(one.counts, other.counts)  # type: ignore[arg-type]


def from_both(example: str, change: Callable[[Project], Project] = lambda project: project) -> list[Project]:
    """Return the project of an example with its records in memory and in their file."""
    project = change(read_recipe(EXAMPLES / example / "recipe.toml"))
    assert project.source is not None
    options = replace(project.options, source=DISK)
    stored = replace(project, table=open_table(project.source, options).table, options=options)
    assert stored.table.home is not None
    assert project.table.home is None
    return [project, stored]


# levels below those of the best node, so that a search evaluates 32 nodes instead of about 800
BELOW = {"clinic": (1, 3, 0, 4, 0), "survey": (0, 3, 0, 2, 0)}


def near_best(project: Project) -> Project:
    """Return the project of an example with two levels per column, one of them that of the best node."""
    assert project.source is not None
    hierarchies = dict(project.hierarchies)
    for name, level in zip(project.qi_order, BELOW[project.source.stem], strict=True):
        hierarchies[name] = replace(hierarchies[name], min_level=level, max_level=level + 1)
    return replace(project, hierarchies=frozen(hierarchies))


def released(
    project: Project, path: Path, kind: str = "csv", options: dict[str, Any] | None = None
) -> tuple[Outcome, dict[str, Any], bytes]:
    from engine.records.options import ExportOptions

    outcome = anonymize(project)
    verdict = export_release(
        project, outcome.release, path, options=ExportOptions(kind=kind, **(options or {}))
    )
    assert verdict.ok
    found = summary(project, outcome, verified=verdict.ok)
    return outcome, {key: value for key, value in found.items() if key not in RUNS}, path.read_bytes()


CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"suppressed_records": "remove"},
    {"blank_suppressed": True},
    {"shuffle": True},
    {"suppressed_records": "remove", "shuffle": True},
)


@pytest.mark.parametrize(
    ("example", "change"),
    [*(("clinic", change) for change in CHANGES), ("survey", CHANGES[-1])],  # the second one has persons
    ids=lambda value: value if isinstance(value, str) else " ".join(value) or "usual",
)
def test_a_release_has_the_same_bytes_and_figures(
    example: str, change: dict[str, Any], tmp_path: Path
) -> None:
    one, other = (
        released(project, tmp_path / f"{place}.csv")
        for place, project in enumerate(
            from_both(
                example,
                lambda p: replace(near_best(p), transformation=replace(p.transformation, **change)),
            )
        )
    )
    assert one[2] == other[2]
    assert one[1] == other[1]


PASSED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("star", {}),
    ("mask", {}),
    ("keyed_hash", {"shuffle": True}),
    ("mask", {"suppressed_records": "remove"}),
    ("insensitive", {}),
    ("insensitive", {"blank_suppressed": True}),
    ("insensitive", {"suppressed_records": "remove", "shuffle": True}),
    ("insensitive with a rule", {"blank_suppressed": True, "shuffle": True}),
)


def with_many_values(
    project: Project, passed: str, change: dict[str, Any], key: Path, options: ReadOptions
) -> Project:
    """Return the project of a table whose column 'patient id' has more values than are listed."""
    name, kind = "patient id", passed.partition(" ")[0]
    is_insensitive = kind == "insensitive"
    roles = {**project.roles, name: Role.INSENSITIVE if is_insensitive else Role.IDENTIFYING}
    rule = {"keyed_hash": {"key_file": str(key), "length": 24}, "mask": {"keep_last": 3}}
    made = column_rules.create("mask" if is_insensitive else kind, **rule.get(kind, {}))
    rules = {name: made} if passed.endswith("rule") else {}
    transformation = replace(
        project.transformation,
        identifiers=frozen({} if is_insensitive else {name: made}),
        rules=frozen({**project.transformation.rules, **rules}),
        **change,
    )
    options = replace(options, missing=("", "P405440"), replacements=(Replacement(name, "P813801", "x"),))
    assert project.source is not None
    table = open_table(project.source, options).table
    return replace(
        project, person=None, table=table, options=options, roles=frozen(roles), transformation=transformation
    )


@pytest.mark.parametrize(("passed", "change"), PASSED, ids=str)
def test_a_column_with_too_many_values_is_passed_as_in_memory(
    passed: str, change: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("recoding.written", "recoding.drawing", "records.disk.dealing"):
        monkeypatch.setattr(f"engine.{module}._BLOCK", 300)
    monkeypatch.setattr("engine.records.text.reader._STREAM_BLOCK", 1 << 14)
    monkeypatch.setattr("engine.records.disk.dealing.RECORDS_PER_FILE", 150)
    key = tmp_path / "keys" / "a.key"
    key.parent.mkdir()
    key.write_bytes(b"k" * 40)
    (tmp_path / "out").mkdir()
    memory = near_best(read_recipe(EXAMPLES / "clinic" / "recipe.toml"))
    one = with_many_values(memory, passed, change, key, memory.options)
    monkeypatch.setattr("engine.records.opening.files.most_values", lambda memory: 900)
    other = with_many_values(memory, passed, change, key, replace(memory.options, source=DISK))
    cut = other.table.column("patient id")
    assert cut.n_values is None
    assert len(one.table.column("patient id").labels) > 900
    results = [
        released(project, tmp_path / "out" / f"{n}.csv", options={"safe_cells": True})
        for n, project in enumerate((one, other))
    ]
    assert results[0][2] == results[1][2]
    for _unused, figures, *_rest in results:  # unique values under a rule are known of listed columns
        figures["notes"] = [note for note in figures.get("notes", ()) if "unique in what" not in note]
    assert results[0][1] == results[1][1]
    if passed != "insensitive":
        return
    assert results[1][1]["unchanged"]["singled_out"]["alone"]["patient id"] > 0
    stored = results[1][0].release.stored
    alone = results[0][0].release.singled_out()
    assert np.array_equal(stored.singled_out(), alone)
    written = results[0][0].release.column("patient id")
    some = alone[[700, 3, 3, 1_200]]
    assert stored.texts("patient id", some) == [written.labels[code] for code in written.codes[some].tolist()]


SHIFTED = (
    (Role.INSENSITIVE, "panel id", {"blank_suppressed": True}),
    pytest.param(
        Role.INSENSITIVE,
        None,
        {"suppressed_records": "remove", "shuffle": True},
        marks=pytest.mark.thorough,
    ),
    pytest.param(Role.IDENTIFYING, "panel id", {"suppressed_records": "remove"}, marks=pytest.mark.thorough),
)


def with_moved_dates(
    project: Project, folder: Path, role: Role, person: str | None, **change: Any
) -> Project:
    """Return the project of the survey with dates of answers that have another role and move."""
    key, name = folder / "keys" / "a.key", "answered"
    key.parent.mkdir(exist_ok=True)
    key.write_bytes(b"k" * 40)
    rules = frozen({name: column_rules.create("date_shift", days=40, key_file=str(key))})
    by_role = {"identifiers" if role is Role.IDENTIFYING else "rules": rules}
    return replace(
        project,
        roles=frozen({**project.roles, name: role}),
        qi_order=tuple(own for own in project.qi_order if own != name),
        hierarchies=frozen({own: entry for own, entry in project.hierarchies.items() if own != name}),
        person=person,
        requirement=replace(project.requirement, limit_counts="records"),
        transformation=replace(project.transformation, **by_role, **change),
    )


@pytest.mark.parametrize(("role", "person", "change"), SHIFTED, ids=str)
def test_dates_move_as_in_memory(
    role: Role, person: str | None, change: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("recoding.written", "recoding.drawing"):
        monkeypatch.setattr(f"engine.{module}._BLOCK", 300)
    monkeypatch.setattr("engine.pipeline.judging._MOST_JUDGED_OF_FILES", 100)  # as of large tables
    results = []
    for project in from_both(
        "survey", lambda p: with_moved_dates(near_best(p), tmp_path, role, person, **change)
    ):
        folder = tmp_path / f"out{len(results)}"
        folder.mkdir()
        results.append(released(project, folder / "r.csv"))
    assert results[0][2] == results[1][2]
    for _outcome, figures, _written in results:
        figures.pop("notes", None)  # of records that may be of fewer people, more is known in memory
    assert results[0][1] == results[1][1]


def test_a_parquet_release_has_the_same_records(tmp_path: Path) -> None:
    from pyarrow import parquet

    paths = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    for project, path in zip(from_both("clinic", near_best), paths, strict=True):
        released(project, path, PARQUET)
    assert parquet.read_table(paths[0]).equals(parquet.read_table(paths[1]))


@pytest.mark.parametrize(
    ("example", "change"), [("hospital", lambda project: project), ("clinic", near_best)]
)
def test_all_nodes_have_the_same_scores(example: str, change: Callable[[Project], Project]) -> None:
    memory, stored = (compile_problem(project) for project in from_both(example, change))
    one, other = score_lattice(memory), score_lattice(stored)
    for name in ("classes", "smallest"):
        if hasattr(one, name):
            assert np.array_equal(getattr(one, name), getattr(other, name))
    from engine.scoring.evaluate import evaluate
    from engine.utility.base import LATTICE_METRICS

    project = read_recipe(EXAMPLES / example / "recipe.toml")
    first, second = evaluate(one, project.requirement), evaluate(other, project.requirement)
    assert np.array_equal(first.suppressed, second.suppressed)
    assert np.array_equal(first.satisfies, second.satisfies)
    for key in LATTICE_METRICS:
        assert np.array_equal(first.metric(key), second.metric(key), equal_nan=True)
        assert first.optimum(key) == second.optimum(key)


def test_short_records_are_refused_by_line_or_padded_alike(tmp_path: Path) -> None:
    from engine.errors import TableError

    path = tmp_path / "short.csv"
    path.write_text("a,b\n1,2\n3\n4,5\n", encoding="utf-8")
    with pytest.raises(TableError) as memory:
        opened(path, MEMORY)
    with pytest.raises(TableError) as disk:
        opened(path, DISK)
    assert str(disk.value) == str(memory.value)
    assert "line 3" in str(disk.value)
    padded, expected = (open_table(path, ReadOptions(source=where, ragged=FILL)) for where in (DISK, MEMORY))
    assert padded.table.record(1) == ("3", "")
    assert padded.filled == expected.filled == (1,)
    folder = tmp_path / "several"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.csv").write_bytes(path.read_bytes())
    assert open_table(folder, ReadOptions(ragged=FILL)).filled == (1, 4, 7)


def test_a_folder_of_files_is_released_and_verified_by_a_recipe(tmp_path: Path) -> None:
    recipe = (EXAMPLES / "clinic" / "recipe.toml").read_text(encoding="utf-8")
    whole = near_best(read_recipe(EXAMPLES / "clinic" / "recipe.toml"))
    head, *lines = whole.source.read_text(encoding="utf-8").splitlines(keepends=True)
    parts = tmp_path / "people"
    parts.mkdir()
    for number in range(3):
        some = "".join(lines[number * 700 : (number + 1) * 700])
        (parts / f"{number}.csv").write_text(head + some, encoding="utf-8")
    hierarchies = (EXAMPLES / "clinic" / "hierarchies").as_posix()
    recipe = recipe.replace('"hierarchies/', f'"{hierarchies}/')
    (tmp_path / "recipe.toml").write_text(
        recipe.replace('path = "clinic.csv"', 'path = "people/*.csv"'), encoding="utf-8"
    )
    project = replace(read_recipe(tmp_path / "recipe.toml"), hierarchies=whole.hierarchies)
    assert [path.name for path in project.stored.paths] == ["0.csv", "1.csv", "2.csv"]
    parted, of_one = released(project, tmp_path / "0.out.csv"), released(whole, tmp_path / "1.out.csv")
    assert parted[1:] == of_one[1:]
