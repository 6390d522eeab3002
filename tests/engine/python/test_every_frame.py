"""Every public function takes the frames of every library, with the results of the same frame of pandas."""

from __future__ import annotations

import datetime as dt
import inspect
import pickle
import re
from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import engine
from engine import KAnonymity, KAnonymizer, LevelTransformer, anonymize, compat
from engine.errors import TableError
from engine.findings.risk.survey import assess_special_uniques, assess_survey
from engine.findings.risk.wildcards import assess_wildcards
from engine.records.opening.data_frames import as_table, table_from_frame

COLUMNS: dict[str, list[Any]] = {
    "name": ["Ann", "Bea", "Carl", "Dan", "Eve", "Fay", "Gus", "Hal"],
    "age": [31, 33, 31, 33, None, 55, None, 55],
    "sex": ["f", "f", "m", "m", "f", "f", "m", "m"],
    "town": ["Rome", "Oslo", "Rome", None, "Oslo", "Rome", None, "Rome"],
    "score": [0.5, None, 2.25, 3.0, 0.5, 1.0, 7.0, 0.25],
    "member": [True, False, None, True, True, False, False, True],
    "seen": [dt.date(2024, 1, day) for day in (1, 1, 2, 2, 3, 3, 4, 4)],
    "weight": [10, 20, 30, 40, 50, 60, 70, 80],
}
TEXTS = ("name", "sex", "town")


def values_of(name: str) -> list[str]:
    return sorted({*COLUMNS[name]} - {None})


class Stream:
    """Nothing but an Arrow stream that ends, as of a library that is not known."""

    def __init__(self, table: pa.Table) -> None:
        self._reader = table.to_reader(max_chunksize=3)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._reader.__arrow_c_stream__(requested_schema)


class Batch:
    """Nothing but a batch of Arrow."""

    def __init__(self, table: pa.Table) -> None:
        self._batch = table.combine_chunks().to_batches()[0]

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._batch.__arrow_c_array__(requested_schema)


def of_arrow(kind: pa.DataType | None, columns: dict[str, list[Any]] = COLUMNS) -> pa.Table:
    """A table in two chunks; texts are of a kind, None for dictionaries of views of them."""
    table = pa.table(columns)
    whole = pa.concat_tables([table.slice(0, 3), table.slice(3)])
    for name in set(TEXTS) & {*columns}:
        place = whole.column_names.index(name)
        own = whole[name].dictionary_encode() if kind is None else whole[name]
        own = own.cast(pa.dictionary(pa.int8(), pa.string_view()) if kind is None else kind)
        whole = whole.set_column(place, name, own)
    return whole


def of_pandas(dtype: Any, columns: dict[str, list[Any]] = COLUMNS) -> pd.DataFrame:
    frame = pd.DataFrame(columns, index=[f"row {number}" for number in range(len(columns["sex"]))])
    return frame.astype({name: dtype for name in TEXTS if name in columns})


def of_polars(dtype: Any) -> pl.DataFrame:
    frame = pl.DataFrame(COLUMNS)
    if dtype is pl.Enum:
        return frame.with_columns(pl.col(name).cast(pl.Enum([*values_of(name), "nobody"])) for name in TEXTS)
    return frame.with_columns(pl.col(name).cast(dtype) for name in TEXTS)


def of_duckdb(views: bool = False, enums: bool = False) -> duckdb.DuckDBPyRelation:
    connection = duckdb.connect()
    if views:
        connection.execute("SET produce_arrow_string_view = true")
    connection.register("people", pa.table(COLUMNS))
    relation = connection.sql("SELECT * FROM people")
    if not enums:
        return relation
    for name in TEXTS:
        connection.execute(
            f"CREATE TYPE {name}_kind AS ENUM (SELECT DISTINCT {name} FROM people WHERE {name} <> '')"
        )
    casts = ", ".join(f"{name}::{name}_kind AS {name}" for name in TEXTS)
    return connection.sql(f"SELECT * REPLACE ({casts}) FROM people")


def ordered_of_pandas() -> pd.DataFrame:
    frame = pd.DataFrame(COLUMNS)
    return frame.astype(
        {name: pd.CategoricalDtype(sorted({*COLUMNS[name]} - {None}), True) for name in TEXTS}
    )


ARROW_TEXTS = {
    "string": pa.string(), "large_string": pa.large_string(), "string_view": pa.string_view(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()), "dictionary of views": None,
}  # fmt: skip
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas object": lambda: of_pandas(object),
    "pandas string": lambda: of_pandas("string"),
    "pandas category": lambda: of_pandas("category"),
    "pandas nullable": lambda: of_pandas(object).convert_dtypes(),
    **{
        f"pandas ArrowDtype {name}": lambda kind=kind: of_arrow(kind).to_pandas(types_mapper=pd.ArrowDtype)
        for name, kind in ARROW_TEXTS.items()
        if kind != ARROW_TEXTS["dictionary"]
    },
    **{f"Arrow {name}": lambda kind=kind: of_arrow(kind) for name, kind in ARROW_TEXTS.items()},
    "Arrow RecordBatch": lambda: pa.table(COLUMNS).to_batches()[0],
    "Arrow RecordBatchReader": lambda: of_arrow(pa.string()).to_reader(),
    "Arrow RecordBatchReader of views": lambda: of_arrow(pa.string_view()).to_reader(max_chunksize=2),
    "another stream": lambda: Stream(pa.table(COLUMNS)),
    "another batch": lambda: Batch(pa.table(COLUMNS)),
    "polars text": lambda: of_polars(pl.String),
    "polars categorical": lambda: of_polars(pl.Categorical),
    "polars Enum": lambda: of_polars(pl.Enum),
    "DuckDB": of_duckdb,
    "DuckDB views": lambda: of_duckdb(views=True),
    "DuckDB ENUM": lambda: of_duckdb(enums=True),
}  # fmt: skip
KNOWN = ["age", "sex"]


def released(make: Callable[[], Any], **settings: Any) -> Any:
    found = anonymize(
        make(),
        KNOWN,
        "town",
        ["score", "member", "seen"],
        suppression_limit=1,
        models=KAnonymity(2),
        **settings,
    )
    assert found.verdict.ok
    scores = {name: value for name, value in found.scores.items() if name not in ("seconds", "efficiency")}
    return {"node": found.node, "cells": cells_of(found.frame), "scores": scores}


def cells_of(frame: Any) -> dict[str, list[Any]]:
    """The cells of a frame of any library, missing ones as None."""
    if isinstance(frame, pd.DataFrame):
        return {name: [None if pd.isna(cell) else cell for cell in frame[name].tolist()] for name in frame}
    columns = frame.to_pydict() if isinstance(frame, pa.Table) else frame.to_dict(as_series=False)
    assert list(columns) == list(COLUMNS)
    return columns


def fitted(make: Callable[[], Any]) -> Any:
    model = KAnonymizer(2, sensitive=["town"], insensitive=["name", "score", "member", "seen", "weight"],
                        suppression_limit=1)  # fmt: skip
    found = model.fit_transform(make())
    assert model.n_features_in_ == len(COLUMNS)
    return list(model.feature_names_in_), cells_of(found)


def recoded(make: Callable[[], Any]) -> Any:
    others = ["name", "score", "member", "seen", "weight", "town"]
    levels = LevelTransformer(2, insensitive=others, suppression_limit=1)
    return cells_of(levels.fit(make()).transform(make())), levels.levels_


RECIPE = """\
[data.types]
age = "integer"
[roles]
identifying = ["name", "weight"]
quasi_identifying = ["age", "sex"]
sensitive = ["town"]
insensitive = ["score", "member", "seen"]
[hierarchies]
age = {builder = "suppress"}
sex = {builder = "suppress"}
[[privacy]]
model = "k_anonymity"
k = 2
[transformation]
shuffle = true
"""


def applied(make: Callable[[], Any]) -> Any:
    found = engine.apply(RECIPE, make())
    verified = engine.verify(found.frame, RECIPE, original=make()).require("k >= 2")
    return found.node, cells_of(found.frame), verified.as_dict()


FUNCTIONS: dict[str, Callable[[Callable[[], Any]], Any]] = {
    "apply and verify": applied,
    "anonymize, stars": released,
    "anonymize, removed": lambda make: released(make, suppressed="remove", node=[0, 0]),
    "anonymize, local": lambda make: released(make, recoding="mondrian"),
    "anonymize, population": lambda make: released(make, population=make(), weight="weight"),
    "anonymize, subset": lambda make: released(make, subset=make()),
    "KAnonymizer": fitted,
    "LevelTransformer": recoded,
    "check": lambda make: engine.check(make(), KNOWN, ["town", "score"]).as_dict(),
    "check of a population": lambda make: engine.check(
        make(), "sex", population=make(), person="name", weight="weight", known=[["sex"]]
    ).as_dict(),
    "risk": lambda make: engine.risk(make(), "sex", population=make(), subsets=1).as_dict(),
    "utility": lambda make: engine.utility(make(), make(), KNOWN, "town").as_dict(),
    "detect": lambda make: engine.detect(make()).as_dict(),
    "singletons": lambda make: engine.singletons(make(), KNOWN).as_dict(),
    "suggest_roles": lambda make: engine.suggest_roles(make()),
    "suggest_hierarchies": lambda make: {
        name: own.rows() for name, own in engine.suggest_hierarchies(make()).items()
    },
    "assess_survey": lambda make: assess_survey(make(), KNOWN, "weight", "town").as_dict(),
    "assess_wildcards": lambda make: assess_wildcards(make(), KNOWN, "town", values="f").as_dict(),
    "assess_special_uniques": lambda make: assess_special_uniques(make(), [*KNOWN, "town"]).as_dict(),
    "compat.check": lambda make: compat.check(make(), "sex", "seen"),
    "compat.measure_utility": lambda make: compat.measure_utility(make(), make(), "sex", "seen"),
    "table_from_frame": lambda make: [
        (own.name, own.labels, own.codes.tolist(), own.data_type.kind)
        for own in table_from_frame(make()).columns
    ],
}
_known: dict[tuple[str, bool], Any] = {}


def test_every_public_function_that_takes_a_table_is_among_them() -> None:
    public = {name: getattr(engine, name) for name in engine.__all__}
    takes = {name for name, own in public.items() if not isinstance(own, type) or hasattr(own, "fit")}
    of_findings = {name: getattr(engine.findings, name) for name in engine.findings.__all__}
    takes |= {name for name, own in of_findings.items() if inspect.isfunction(own)}
    others = {
        name: own for name, own in vars(compat).items() if getattr(own, "__module__", "") == compat.__name__
    }
    takes |= {f"compat.{name}" for name, own in others.items() if "AnyTable" in str(own.__annotations__)}
    takes -= {"assess_risk", "measure_utility"}  # other names of risk and utility
    takes -= {"attack_statistics"}  # of counts
    named = {word for function in FUNCTIONS for word in re.findall(r"[\w.]+", function)}
    assert len(takes) >= 15
    assert takes - named == set()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_says_that_a_lazy_frame_has_to_be_collected(function: str) -> None:
    with pytest.raises((TableError, ValueError), match=r"Call its \.collect\(\) first"):
        FUNCTIONS[function](lambda: pl.LazyFrame(COLUMNS))


def expected_of(function: str, is_ordered: bool) -> Any:
    if (function, is_ordered) not in _known:
        make = ordered_of_pandas if is_ordered else lambda: pd.DataFrame(COLUMNS)
        _known[function, is_ordered] = FUNCTIONS[function](make)
    return _known[function, is_ordered]


# Every function has a sixth of the frames, and every frame a sixth of the functions.
PAIRS = [
    pytest.param(function, frame, marks=[pytest.mark.thorough] * ((i + j) % 6 != 0))
    for i, function in enumerate(FUNCTIONS)
    for j, frame in enumerate(FRAMES)
]


@pytest.mark.parametrize(("function", "frame"), PAIRS)
def test_the_result_is_that_of_the_same_frame_of_pandas(function: str, frame: str) -> None:
    assert FUNCTIONS[function](FRAMES[frame]) == expected_of(function, frame == "polars Enum")


# A cell that one record has, which is removed, and metadata of all kinds.
SECRET = "Quasimodo"
ROWS: dict[str, list[Any]] = {
    "sex": ["f", "m", "f", "m", SECRET],
    "town": ["Rome", "Oslo", "Oslo", "Rome", SECRET],
    "number": [1.0, -0.0, 0.0, 1.0, 7.5],
}
LEVELS = [["f", "*"], ["m", "*"], [SECRET, "*"]]


def with_metadata(table: pa.Table) -> pa.Table:
    fields = [field.with_metadata({"note": SECRET}) for field in table.schema]
    return table.cast(pa.schema(fields, {"note": SECRET, "pandas": f'{{"index_columns": ["{SECRET}"]}}'}))


def told_of_pandas(dtype: Any) -> pd.DataFrame:
    frame = pd.DataFrame(ROWS, index=pd.Index(["a", "b", "c", "d", SECRET], name=SECRET))
    frame = frame.astype({"sex": dtype, "town": dtype}).rename_axis(columns=SECRET)
    frame.attrs["note"] = SECRET
    return frame


TELLING: dict[str, Callable[[], Any]] = {
    "pandas object": lambda: told_of_pandas(object),
    "pandas category": lambda: told_of_pandas("category"),
    "pandas ordered": lambda: told_of_pandas(pd.CategoricalDtype(["m", "f", "Oslo", "Rome", SECRET], True)),
    "pandas dictionary": lambda: told_of_pandas(pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    "Arrow": lambda: with_metadata(pa.table(ROWS)),
    "Arrow dictionary": lambda: with_metadata(of_arrow(pa.dictionary(pa.int8(), pa.string()), ROWS)),
    "Arrow dictionary of views": lambda: with_metadata(of_arrow(None, ROWS)),
    "Arrow reader": lambda: with_metadata(of_arrow(pa.dictionary(pa.int8(), pa.string()), ROWS)).to_reader(),
    "polars text": lambda: pl.DataFrame(ROWS),
    "polars categorical": lambda: pl.DataFrame(ROWS).with_columns(pl.col("sex", "town").cast(pl.Categorical)),
    "polars Enum": lambda: pl.DataFrame(ROWS).with_columns(
        pl.col("sex", "town").cast(pl.Enum(["m", "f", "Oslo", "Rome", SECRET, "nobody"]))
    ),
}


@pytest.mark.parametrize("frame", TELLING)
def test_a_frame_given_back_holds_nothing_but_its_cells(frame: str) -> None:
    given = TELLING[frame]()
    found = anonymize(
        given, "sex", "town", "number", models=KAnonymity(2), hierarchies={"sex": LEVELS}, node=[0],
        suppression_limit=1, suppressed="remove",
    ).frame  # fmt: skip
    texts = pickle.dumps(found).decode("latin-1")
    assert SECRET not in texts
    assert "nobody" not in texts
    cells = found.to_pandas() if not isinstance(found, pd.DataFrame) else found
    assert cells["sex"].tolist() == ["f", "m", "f", "m"]
    assert cells["town"].tolist() == ["Rome", "Oslo", "Oslo", "Rome"]
    assert cells["number"].map(repr).nunique() == 2, "-0.0 and 0.0 are one value of a file"
    if isinstance(found, pd.DataFrame):
        pd.testing.assert_index_equal(found.index, pd.RangeIndex(4))
        assert (found.attrs, found.columns.name) == ({}, None)
        if frame != "pandas dictionary":
            assert found.dtypes["sex"] in (object, "category")
            assert not isinstance(given["sex"].dtype, pd.CategoricalDtype) or found["sex"].cat.ordered is (
                frame == "pandas ordered"
            )
    if isinstance(found, pa.Table):
        assert found.schema.metadata is None
        assert all(field.metadata is None for field in found.schema)
        if "reader" not in frame:
            assert found.schema.types == given.schema.types


def test_numbers_of_two_types_become_one_where_a_file_does_not_tell_them_apart() -> None:
    mixed = pd.DataFrame({"sex": ["f", "f"], "code": pd.Series([1, 1.0], dtype=object)})
    found = anonymize(mixed, "sex", insensitive="code", models=KAnonymity(2)).frame["code"]
    assert [type(cell) for cell in found] == [int, int]


def test_the_index_is_kept_on_request_only() -> None:
    frame = of_pandas(object)
    removed = {"suppressed": "remove", "node": [0, 0], "suppression_limit": 1, "models": KAnonymity(1)}
    assert list(anonymize(frame, KNOWN, **removed).frame.index) == list(range(8))
    assert list(anonymize(frame, KNOWN, **removed, keep_index=True).frame.index) == list(frame.index)
    model = KAnonymizer(2, suppression_limit=1, quasi_identifying=KNOWN, keep_index=True)
    assert list(model.fit_transform(frame).index) == list(frame.index)
    assert list(model.set_params(keep_index=False).fit_transform(frame).index) == list(range(8))


def test_a_relation_whose_records_come_in_another_order_each_time_is_read_once() -> None:
    connection = duckdb.connect()
    relation = connection.sql(
        "SELECT i % 5 AS known, i % 5 AS same FROM range(200) AS r(i) ORDER BY random()"
    )
    found = anonymize(relation, "known", insensitive="same", models=KAnonymity(2), node=[0]).frame
    assert found["known"].to_pylist() == found["same"].to_pylist()


def test_a_stream_that_ended_is_refused() -> None:
    reader = pa.table(COLUMNS).to_reader()
    assert engine.check(reader, "sex").k == 4
    with pytest.raises(TableError, match="no records"):
        engine.check(reader, "sex")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (pl.LazyFrame(COLUMNS), r"A LazyFrame is not a table. Call its .collect\(\) first."),
        (None, "A NoneType is not a table"),
        ([1, 2], "A list is not a table"),
        (pl.Series([1]), "A Series is not a table"),
        (pa.chunked_array([[1]]), "A ChunkedArray is not a table"),
        (pl.DataFrame({"x": [1]}, schema={"x": pl.Int128}), "The DataFrame cannot be read: .*pli128"),
        (pl.DataFrame({"x": [b"1"]}), "'x'"),
        (pl.DataFrame({"x": [[1]]}), "'x'"),
        (pa.table({"x": pa.array([b"1"], pa.binary_view())}), "'x'"),
        (pa.table([[1], [2]], names=["x", "x"]), "Columns 1 and 2 of the DataFrame have the same name, 'x'"),
        (pl.DataFrame({"x": []}), "no records"),
        (pa.table({}), "no columns"),
    ],
)
def test_what_is_not_a_table_is_refused_with_words(given: Any, words: str) -> None:
    for read in (as_table, table_from_frame, lambda data: anonymize(data, "x")):
        with pytest.raises(TableError, match=words) as refused:
            read(given)
        assert refused.value.hint
    with pytest.raises(TableError, match="A str is not a table"):
        table_from_frame("text")


def test_only_the_columns_that_are_measured_have_to_be_readable() -> None:
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = make({"sex": ["f", "f"], "pictures": [[1, 2], [3]], "weight": [10, 20], "town": ["a", "b"]})
        found = engine.check(frame, "sex")
        assert found.k == 2
        assert found.not_assessed.unique == ("weight", "town")
        with pytest.raises(TableError, match="'pictures'"):
            engine.check(frame, ["sex", "pictures"])
        assert assess_survey(frame, "sex", "weight").n_records == 2
