"""A table on a real cluster gives what the same table in memory gives."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from engine.errors import CancelledError, ExportError, TableError
from engine.monitor import SILENT
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.records import Table
from engine.records.clusters.opening import open_cluster
from engine.records.clusters.source import ClusterSource
from engine.records.counting import counted_table
from engine.records.databases.address import NOBODY, parse_address
from engine.records.opening import open_table
from engine.records.options import MEMORY, ReadOptions, Replacement
from engine.records.remote import Target, remote_reading
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from engine.utility.base import LATTICE_METRICS
from tests.contracts.test_sources import ODD
from tests.spark import SparkServer
from tests.stopping import Stopping

pytestmark = pytest.mark.cluster
EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"


def source_of(spark: SparkServer, options: ReadOptions = ReadOptions(), **place: str) -> ClusterSource:
    address = parse_address(spark.address(**place))[0]
    return open_cluster(address, options, NOBODY, 1 << 30, SILENT)


@contextmanager
def table_of(spark: SparkServer, options: ReadOptions = ReadOptions(), **place: str) -> Iterator[Any]:
    source = source_of(spark, options, **place)
    with closing(source.session):
        yield source, remote_reading(source, options, SILENT).table


def same_table(cluster: Table, memory: Table) -> None:
    assert cluster.names == memory.names
    for a, b in zip(cluster.columns, memory.columns, strict=True):
        assert tuple(a.labels) == tuple(b.labels)
        assert (a.data_type, a.has_missing) == (b.data_type, b.has_missing)
        assert np.array_equal(a.numbers, b.numbers, equal_nan=True)
        assert np.array_equal(a.counts, b.counts)
    one, other = counted_table(cluster, memory.names), counted_table(memory, memory.names)
    for a, b in zip(one.columns, other.columns, strict=True):
        assert np.array_equal(a.codes, b.codes)
    assert np.array_equal(one.counts, other.counts)  # type: ignore[arg-type]


def records_of(table: Table) -> list[tuple[str, ...]]:
    return sorted(table.record(row) for row in range(table.n_records))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"missing": ("NA", "")},
        {"missing": ("NA",)},
        {"missing": ()},
        {"trim": True},
        {"header": False},
        {"encoding": "latin-1"},
        {"replacements": (Replacement("n", "007", "7"), Replacement("name", "%s", None))},
    ],
    ids=lambda options: " ".join(options) or "usual",
)
def test_odd_texts_of_a_text_file_are_read_alike(
    options: dict[str, Any], spark: SparkServer, tmp_path: Path
) -> None:
    path = tmp_path / "odd ;%.csv"
    text = ODD.replace("e\u0301", "\u00e8") if "encoding" in options else ODD
    path.write_bytes(text.encode(options.get("encoding", "utf-8")))
    memory = open_table(path, ReadOptions(source=MEMORY, **options)).table
    with table_of(spark, ReadOptions(**options), path=str(path)) as (source, table):
        same_table(table, memory)
        assert len(source.page(4, 10, memory.names)) == memory.n_records - 4


def typed_values() -> pa.Table:
    moment = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    return pa.table(
        {
            'a "quoted"; `name`.x%': pa.array(["b", "a", None, "", "b", "A", "a "]),
            "whole": pa.array([3, None, 1, 2, 3, 3, 3]),
            "real": pa.array([0.1, float("nan"), -0.0, 0.0, None, 1e20, 1e-7]),
            "float": pa.array([0.1, 0.5, None, 16777217.0, 1.0, 1.0, 1.0], pa.float32()),
            "exact": pa.array(
                [Decimal("1.00"), Decimal("2.50"), None, *[Decimal(0)] * 4], pa.decimal128(9, 2)
            ),
            "yes": pa.array([True, None, False, True, True, True, True]),
            "day": pa.array([date(2020, 1, 2), None, date(1999, 12, 31), *[date(2020, 1, 2)] * 4]),
            "at": pa.array([moment] * 7, pa.timestamp("us", "UTC")),
        }
    )


def test_typed_values_and_names_of_a_parquet_file_are_read_alike(spark: SparkServer, tmp_path: Path) -> None:
    path = tmp_path / "typed.parquet"
    parquet.write_table(typed_values(), path)
    memory = open_table(path, ReadOptions(source=MEMORY)).table
    with table_of(spark, path=str(path)) as (source, table):
        same_table(table, memory)
        names = memory.names
        assert [row[:2] for row in source.page(0, 9, names, {"whole": ["1", None]})] == [
            ("a", None),
            (None, "1"),
        ]
        assert source.page(0, 9, names, {names[0]: [""]})[0][:2] == ("", "2")
        assert source.singled_out(names[:1], SILENT) == 5
        cells = source.coded({c.name: c.vocabulary for c in table.columns}, SILENT)
        found = sorted(zip(*(np.asarray(cells[n]).tolist() for n in names), strict=True))
        assert found == sorted(zip(*(memory.column(n).codes.tolist() for n in names), strict=True))


def test_texts_of_a_table_are_told_apart_whatever_its_collation(spark: SparkServer) -> None:
    with table_of(spark, path=str(EXAMPLES / "clinic" / "clinic.csv")) as (source, _table):
        session = source.session.spark
        session.sql("CREATE DATABASE IF NOT EXISTS shop").collect()
        frame = session.createDataFrame(pa.table({"n": ["a", "A", "a", "b"]}))
        frame.write.mode("overwrite").saveAsTable("shop.people")
        session.sql("DROP TABLE IF EXISTS shop.collated").collect()
        session.sql("CREATE TABLE shop.collated (n STRING COLLATE UTF8_LCASE) USING parquet").collect()
        session.sql("INSERT INTO shop.collated VALUES ('a'), ('A'), ('a'), ('b')").collect()
    for name in ("shop.`people`", "shop.collated"):
        with table_of(spark, table=name) as (_source, table):
            column = table.columns[0]
            assert dict(zip(column.labels, column.counts.tolist(), strict=True)) == {"A": 1, "a": 2, "b": 1}


def test_columns_with_cells_that_are_no_values_are_refused_unless_others_are_chosen(
    spark: SparkServer, tmp_path: Path
) -> None:
    from engine.records.columns_taken import TakenColumn

    path = tmp_path / "lists.parquet"
    parquet.write_table(pa.table({"list": [[1], [2]], "n": [1, 2]}), path)
    with pytest.raises(TableError, match="'list' has the type array"):
        source_of(spark, path=str(path))
    with table_of(spark, ReadOptions(take=(TakenColumn("n", "number"),)), path=str(path)) as (_source, table):
        assert table.names == ("number",)


def test_records_with_other_numbers_of_fields_are_refused_without_their_values(
    spark: SparkServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "short.csv"
    path.write_text("a,b\nAnna,2\nBert\n", encoding="utf-8")
    with pytest.raises(TableError, match="cannot read a file") as caught, table_of(spark, path=str(path)):
        pass
    said = "".join(capfd.readouterr())
    assert said == ""
    assert "Bert" not in f"{caught.value} {caught.value.context}"


def test_missing_tables_and_files_are_told(spark: SparkServer) -> None:
    with pytest.raises(TableError, match=r"the table 'shop\.nobody' does not exist"):
        source_of(spark, table="shop.nobody")
    with pytest.raises(TableError, match="no files at the path"):
        source_of(spark, path="/nowhere/x.parquet")
    with pytest.raises(TableError, match="name of the table cannot be read"):
        source_of(spark, table="a; DROP TABLE b")


def test_all_nodes_of_adult_have_the_same_scores(spark: SparkServer) -> None:
    project = read_recipe(EXAMPLES / "adult" / "recipe.toml")
    with table_of(spark, project.options, path=str(EXAMPLES / "adult" / "adult.csv")) as (_source, table):
        problem = compile_problem(replace(project, table=table))
    one, other = score_lattice(compile_problem(project)), score_lattice(problem)
    first, second = evaluate(one, project.requirement), evaluate(other, project.requirement)
    assert len(first.suppressed) == 12_960
    assert np.array_equal(first.suppressed, second.suppressed)
    assert np.array_equal(first.satisfies, second.satisfies)
    for key in LATTICE_METRICS:
        assert np.array_equal(first.metric(key), second.metric(key), equal_nan=True)
        assert first.optimum(key) == second.optimum(key)


def test_columns_with_too_many_values_are_cut(
    spark: SparkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.records.clusters import opening

    monkeypatch.setattr(opening, "most_values", lambda _memory: 30)
    path = tmp_path / "many.csv"
    path.write_text("id,n\n" + "".join(f"p{i},{i % 3}\n" for i in range(60)), encoding="utf-8")
    with table_of(spark, path=str(path)) as (source, table):
        assert [column.n_values is None for column in table.columns] == [True, False]
        assert table.n_records == 60
        assert sorted(row[0] for row in source.page(0, 60, ("id", "n"))) == sorted(f"p{i}" for i in range(60))
        cells = source.coded({c.name: c.vocabulary for c in table.columns}, SILENT)
        assert np.asarray(cells["id"]).tolist() == [0] * 60


def test_a_cancelled_question_leaves_a_session_that_answers(spark: SparkServer, tmp_path: Path) -> None:
    with table_of(spark, path=str(EXAMPLES / "clinic" / "clinic.csv")) as (source, table):
        vocabulary = {c.name: c.vocabulary for c in table.columns[:3]}
        for n_steps in range(1, 6):
            with pytest.raises(CancelledError):
                source.tuples(vocabulary, Stopping(n_steps))
        assert int(source.tuples(vocabulary, SILENT).counts.sum()) == table.n_records
    assert [t.name for t in threading.enumerate() if t.name == "cluster"] in ([], ["cluster"])


def test_a_changed_table_is_noticed(spark: SparkServer, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("n\na\nb\n", encoding="utf-8")
    with table_of(spark, path=str(path)) as (source, table):
        assert source.fingerprint(SILENT) == source.state
        path.write_text("n\na\nc\nd\n", encoding="utf-8")
        assert source.fingerprint(SILENT) != source.state
        with pytest.raises(TableError, match="changed"):
            counted_table(table, ["n"])


def test_a_server_that_has_gone_is_told(tmp_path: Path) -> None:
    from tests.spark import spark_home

    home = spark_home()
    if home is None:
        pytest.skip("needs Java, pyspark-client, and pyspark[connect] here or at SPARK_HOME")
    server = SparkServer(home, tmp_path)
    try:
        server.wait()
        source = source_of(server, path=str(EXAMPLES / "clinic" / "clinic.csv"))
        server.end()
        with pytest.raises(TableError, match=r"'127\.0\.0\.1' does not answer"):
            source.labels([column.name for column in source.columns], SILENT)
        source.session.close()
        with pytest.raises(TableError, match="does not answer"):
            source_of(server, path="/x.csv")
    finally:
        server.end()


def test_a_folder_with_files_is_not_written_to(spark: SparkServer, tmp_path: Path) -> None:
    from engine.pipeline import anonymize

    project = read_recipe(EXAMPLES / "clinic" / "recipe.toml")
    with table_of(spark, project.options, path=str(EXAMPLES / "clinic" / "clinic.csv")) as (source, table):
        release = anonymize(replace(project, table=table)).release
        vocabulary = {c.name: c.vocabulary for c in table.columns}
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "a.csv").write_text("x", encoding="utf-8")
        with pytest.raises(ExportError, match="with files in it"):
            source.write(release.stored.plan, vocabulary, Target(tmp_path / "out"), SILENT)
