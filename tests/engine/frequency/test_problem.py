"""The compiled problem: quasi-identifying and sensitive columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.frequency.measured import pairs_of
from engine.hierarchies import Hierarchy
from engine.project.compile import compile_attribute
from engine.project.project import AttributeHierarchy
from engine.records import DataType, Kind
from engine.records.values import make_column
from tests.strategies import Attributes, Case, modest


def attribute(
    kind: Kind, texts: tuple[str, ...], rows: list[tuple[str, ...]], data_format: str = "", missing: str = ""
):  # type: ignore[no-untyped-def]
    labels = sorted(set(texts))
    codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
    column = make_column("q", labels, codes, DataType(kind, data_format), missing)
    return compile_attribute(column, AttributeHierarchy(Hierarchy.from_rows(rows)))


def test_the_width_of_a_numeric_domain_counts_leaves_that_no_record_has() -> None:
    ages = attribute(
        Kind.INTEGER, ("20", "30"), [("10", "a", "*"), ("20", "a", "*"), ("30", "b", "*"), ("50", "b", "*")]
    )
    assert ages.numeric_width == 40
    assert ages.label_spans(0).tolist() == [0, 0, 0, 0]
    assert ages.label_spans(1).tolist() == [10, 20]
    assert ages.label_spans(2).tolist() == [40]


def test_leaves_written_with_a_decimal_comma_are_numbers_too() -> None:
    doses = attribute(Kind.DECIMAL, ("0,5", "1,5"), [("0,5", "*"), ("1,5", "*"), ("3,5", "*")], ",")
    assert doses.leaf_numbers.tolist() == [0.5, 1.5, 3.5]
    assert doses.numeric_width == 3


def test_a_missing_value_has_no_place_in_a_numeric_domain() -> None:
    ages = attribute(Kind.INTEGER, ("20", "30", "-9"), [("20", "*"), ("30", "*")], missing="-9")
    assert np.isnan(ages.leaf_numbers[ages.hierarchy.index["-9"]])
    assert ages.numeric_width == 10


def test_a_label_of_numbers_and_missing_is_as_wide_as_the_whole_domain() -> None:
    rows = [("20", "low", "*"), ("30", "low", "*"), ("50", "high", "*"), ("-9", "high", "*")]
    ages = attribute(Kind.INTEGER, ("20", "30", "-9"), rows, missing="-9")
    assert ages.numeric_width == 30
    assert ages.label_spans(0).tolist() == [0, 0, 0, 0]
    assert ages.label_spans(1).tolist() == [10, 30]
    assert ages.label_spans(2).tolist() == [30]


def test_one_number_and_missing_differ_only_if_a_label_covers_both() -> None:
    rows = [("20", "20", "*"), ("-9", "-9", "*")]
    ages = attribute(Kind.INTEGER, ("20", "-9"), rows, missing="-9")
    assert ages.numeric_width == 1
    assert [ages.label_spans(level).tolist() for level in range(3)] == [[0, 0], [0, 0], [1]]
    assert attribute(Kind.INTEGER, ("20",), [("20", "*")]).numeric_width == 0


def test_texts_have_no_numeric_width() -> None:
    assert attribute(Kind.TEXT, ("a",), [("a", "*")]).numeric_width is None


@pytest.mark.parametrize(
    ("texts", "kind", "distances", "reason"),
    [
        (("1", "2"), Kind.INTEGER, ("equal", "ordered"), ""),
        (("true", "false"), Kind.BOOLEAN, ("equal", "ordered"), ""),
        (("1", ""), Kind.INTEGER, ("equal",), "missing values"),
        (("a", "b"), Kind.TEXT, ("equal",), "text"),
    ],
)
def test_the_ordered_distance_is_offered_if_values_have_an_order_and_else_refused_with_the_reason(
    texts: tuple[str, ...], kind: Kind, distances: tuple[str, ...], reason: str
) -> None:
    case = Case((Attributes("q", texts),), (Attributes("s", texts, kind),))
    sensitive = case.problem.sensitive_attribute("s")
    assert sensitive.distances == distances
    assert sensitive.default_distance == distances[-1]
    assert reason in sensitive.why_not_ordered
    assert bool(reason) is bool(sensitive.why_not_ordered)


def test_missing_counts_as_one_value_of_a_sensitive_column() -> None:
    case = Case((Attributes("q", ("a", "a", "b")),), (Attributes("s", ("x", "", "")),))
    sensitive = case.problem.sensitive[0]
    assert sensitive.n_values == 2
    assert sensitive.table_counts.tolist() == [1, 2]


def test_an_unknown_sensitive_column_names_the_nearest_one() -> None:
    case = Case((Attributes("q", ("a",)),), (Attributes("illness", ("x",)),))
    with pytest.raises(InputError, match="Did you mean 'illness'"):
        case.problem.sensitive_attribute("ilness")


@modest
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=20),
    st.booleans(),
)
def test_pairs_add_up_the_records_of_rows_with_the_same_class_and_value(
    rows: list[tuple[int, int, int]], are_weighted: bool
) -> None:
    classes = sorted({label for label, _, _ in rows})
    expected: dict[tuple[int, int], int] = {}
    for label, value, count in rows:
        pair = (classes.index(label), value)
        expected[pair] = expected.get(pair, 0) + (count if are_weighted else 1)
    labels = np.array([classes.index(label) for label, _, _ in rows])
    values, counts = (np.array(column) for column in list(zip(*rows, strict=True))[1:])
    pairs = pairs_of(labels, values, counts if are_weighted else None, 5)
    found = list(zip(pairs.classes.tolist(), pairs.values.tolist(), strict=True))
    assert found == sorted(expected)
    assert pairs.counts.tolist() == [expected[pair] for pair in found]
    assert pairs.classes[pairs.starts].tolist() == list(range(len(classes)))
