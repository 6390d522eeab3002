"""Every rule of verification, each on a table small enough to count by hand."""

from __future__ import annotations

import dataclasses
import gzip
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from engine.verification import Expected, ModelClaim, ReleaseClaim, verify
from engine.verification.claims import SingledOutClaim, UnchangedClaim
from engine.verification.figures import compare_unchanged
from engine.verification.findings import Findings
from tests.engine.verification.plain_release import (
    Recipe,
    of_original,
    read_rows,
    released_as,
    with_expected,
    with_rows,
    write_csv,
    write_release,
)

SEX = [["M", "*"], ["F", "*"]]
AGE = [
    ["21", "20-29", "*"],
    ["25", "20-29", "*"],
    ["34", "30-39", "*"],
    ["38", "30-39", "*"],
    ["50", "50-59", "*"],
]
NAMES = ("name", "sex", "age", "illness", "note")
ROWS = [
    ["Ada", "F", "21", "flu", "a"],
    ["Bea", "F", "25", "cold", "b"],
    ["Cid", "M", "34", "flu", "c"],
    ["Dan", "M", "38", "flu", "d"],
    ["Eve", "F", "50", "cold", "e"],
    ["Fay", "F", "25", "flu", "f"],
]
K2 = ModelClaim("k_anonymity", {"k": 2})


def recipe(
    *, node: tuple[int, int] = (0, 1), limit: str = "0.2", models: Any = (K2,), **options: Any
) -> Recipe:
    """At node (0, 1): classes (F, 20-29) of three, (M, 30-39) of two, (F, 50-59) of one."""
    return Recipe(
        NAMES,
        ROWS,
        ("sex", "age"),
        {"sex": SEX, "age": AGE},
        dict(zip(("sex", "age"), node, strict=True)),
        sensitive=("illness",),
        models=models,
        limit=limit,
        options={"identifying": ("name",), **options},
    )


def problems(claim: ReleaseClaim) -> str:
    """The problems of a claim that must not be confirmed."""
    verdict = verify(claim)
    assert not verdict.ok
    assert verdict.problems
    return " ".join(verdict.problems)


def altered(claim: ReleaseClaim, record: int, column: str, text: str) -> ReleaseClaim:
    rows = read_rows(claim)
    rows[record][rows[0].index(column)] = text
    return with_rows(claim, rows)


def test_a_true_release_is_confirmed_with_the_figures_measured(tmp_path: Path) -> None:
    verdict = verify(write_release(recipe(), tmp_path))
    assert verdict.problems == ()
    assert verdict.ok
    # Whole table: flu 4/6; (M, 30-39) has flu only, so t = 1/3; (F, 20-29) has 2/3, so t = 0.
    assert verdict.measured == {
        "records": 6,
        "kept": 5,
        "suppressed": 1,
        "allowed": 1,
        "classes": 2,
        "k": 2,
        "l": {"illness": 1},
        "t": {"illness": pytest.approx(1 / 3, rel=1e-15)},
        "group": {
            "records": 1,
            "k": 1,
            "l": {"illness": 1},
            "t": {"illness": pytest.approx(2 / 3, rel=1e-15)},
            "held": False,
        },
        "unchanged": {
            "columns": ["illness", "note"],
            "singled_out": {
                "alone": {"illness": 0, "note": 6},
                "together": 6,
                "with_quasi_identifiers": 6,
            },
            "determines": [],
        },
    }


@pytest.mark.parametrize(
    ("claimed", "words"),
    [
        ({"together": 5}, "unchanged columns together single out 5 records by the claim, but 6 in the file."),
        (
            {"alone": {"illness": 1, "note": 6}},
            "'illness' alone singles out 1 records by the claim, but 0 in the file.",
        ),
        (
            {"with_quasi_identifiers": 0},
            "unchanged and quasi-identifying columns together single out 0 records",
        ),
        ({"alone": {"note": 6}}, "counts the unchanged columns 'note', but the file has 'illness', 'note'."),
        (
            {"determines": {("note", "age"): 0.5}},
            "'note' determines 'age' in a share of 0.5, but in the file it is 1.0.",
        ),
        ({"determines": {("note", "note"): 0.5}}, "'note' cannot undo the levels of 'note'"),
    ],
)
def test_a_wrong_count_of_singled_out_records_is_not_confirmed(
    tmp_path: Path, claimed: dict[str, Any], words: str
) -> None:
    claim = write_release(recipe(), tmp_path)
    assert claim.expected.unchanged is not None
    wrong = dataclasses.replace(claim.expected.unchanged, **claimed)
    assert words in problems(with_expected(claim, unchanged=wrong))


def test_singled_out_records_are_recounted_by_records_and_by_persons(tmp_path: Path) -> None:
    hierarchies = {"sex": SEX, "age": AGE}
    rows = [
        [name, "F", "21", illness, "a"] for name, illness in zip("7778", ["flu"] * 3 + ["cold"], strict=True)
    ]
    case = Recipe(NAMES, [*rows, ["9", *rows[3][1:]]], ("sex", "age"), hierarchies, {"sex": 0, "age": 0})
    case = dataclasses.replace(case, models=(), options={"identifying": ("name",)})
    claim = write_release(case, tmp_path)
    assert "of_one_person" not in verify(claim).measured["unchanged"]
    figures = verify(dataclasses.replace(claim, person="name")).measured["unchanged"]
    none = {"alone": {"illness": 0, "note": 0}, "together": 0, "with_quasi_identifiers": 0}
    assert figures["singled_out"] == none
    by_person = {"alone": {"illness": 3, "note": 0}, "together": 3, "with_quasi_identifiers": 3}
    assert figures["of_one_person"] == by_person
    findings = Findings()
    compare_unchanged(
        UnchangedClaim(**none, of_one_person=SingledOutClaim(**{**by_person, "together": 2})),
        figures,
        findings,
    )
    (said,) = findings.sentences()
    assert "columns together single out one person in 2 records by the claim, but in 3 in the file." in said


@pytest.mark.parametrize(
    "options",
    [
        {"identifying_rule": "drop"},
        {"suppressed_records": "remove"},
        {"blank_suppressed": True},
        {"suppressed_records": "remove", "identifying_rule": "drop"},
    ],
)
def test_every_way_of_writing_a_release_is_confirmed(tmp_path: Path, options: dict[str, Any]) -> None:
    assert verify(write_release(recipe(**options), tmp_path)).problems == ()


def test_a_cell_on_another_level_is_named_with_record_column_and_both_labels(tmp_path: Path) -> None:
    text = problems(altered(write_release(recipe(), tmp_path), 3, "age", "34"))
    assert (
        "Record 3, column 'age': the file has '34', but for '34' its hierarchy has '30-39' on level 1."
        in text
    )


def test_a_changed_insensitive_cell_is_found(tmp_path: Path) -> None:
    text = problems(altered(write_release(recipe(), tmp_path), 4, "note", "x"))
    assert "Record 4, column 'note': the file has 'x', but the original has 'd'." in text


def test_an_identifying_cell_left_in_place_is_found(tmp_path: Path) -> None:
    text = problems(altered(write_release(recipe(), tmp_path), 1, "name", "Ada"))
    assert "Record 1, column 'name': the file has 'Ada', but the column is identifying" in text


def test_a_suppressed_record_that_shows_a_value_is_found(tmp_path: Path) -> None:
    text = problems(altered(write_release(recipe(), tmp_path), 5, "sex", "F"))
    assert "Record 5, column 'sex': the file has 'F', but the record is suppressed" in text


def test_a_suppressed_record_that_should_be_blank_is_found(tmp_path: Path) -> None:
    claim = write_release(recipe(blank_suppressed=True), tmp_path)
    assert "Record 5, column 'illness'" in problems(altered(claim, 5, "illness", "cold"))


def test_columns_in_another_order_are_refused(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    rows = [[row[1], row[0], *row[2:]] for row in read_rows(claim)]
    assert "but 'name', 'sex', 'age', 'illness', 'note' are expected" in problems(with_rows(claim, rows))


def test_an_identifying_column_that_should_be_dropped_is_refused(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    assert "are expected" in problems(dataclasses.replace(claim, identifying_rule="drop"))


def test_a_record_more_or_less_is_counted(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    rows = read_rows(claim)
    assert "has 5 records, but 6 are expected" in problems(with_rows(claim, rows[:-1]))
    assert "has 7 records, but 6 are expected" in problems(with_rows(claim, [*rows, rows[1]]))


def test_removing_another_record_than_the_one_that_fails_is_found(tmp_path: Path) -> None:
    claim = write_release(recipe(suppressed_records="remove"), tmp_path)
    rows = read_rows(claim)
    rows[5] = ["*", "F", "50-59", "cold", "e"]  # Eve stays, Fay goes
    assert "Record 5" in problems(with_rows(claim, rows))


def test_long_lists_of_problems_are_cut_after_ten(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    rows = [read_rows(claim)[0], *([["x"] * 5] * 6)]
    verdict = verify(with_rows(claim, rows))
    assert len(verdict.problems) == 11
    assert any(problem.startswith("Record 1, column 'name'") for problem in verdict.problems)
    assert verdict.problems[-1].endswith("more.")


def test_the_top_node_is_one_class_and_not_a_suppressed_table(tmp_path: Path) -> None:
    verdict = verify(write_release(recipe(node=(1, 2), limit="0"), tmp_path))
    assert verdict.problems == ()
    assert (verdict.measured["classes"], verdict.measured["k"], verdict.measured["suppressed"]) == (1, 6, 0)


def test_the_top_node_below_k_is_a_suppressed_table_without_figures(tmp_path: Path) -> None:
    k7 = (ModelClaim("k_anonymity", {"k": 7}),)
    verdict = verify(write_release(recipe(node=(1, 2), limit="1", models=k7), tmp_path))
    assert verdict.problems == ()
    assert (verdict.measured["classes"], verdict.measured["k"], verdict.measured["suppressed"]) == (
        0,
        None,
        6,
    )
    assert verdict.measured["t"] == {"illness": None}


def test_claiming_a_suppressed_table_as_one_class_is_refused(tmp_path: Path) -> None:
    k7 = (ModelClaim("k_anonymity", {"k": 7}),)
    claim = write_release(recipe(node=(1, 2), limit="1", models=k7), tmp_path)
    assert "suppressed" in problems(with_expected(claim, kept=6, suppressed=0, classes=1, k=6))


def test_a_kept_class_of_stars_and_suppressed_records_are_distinguished_by_the_original(
    tmp_path: Path,
) -> None:
    rows = [["*"], ["*"], ["a"], ["b"], ["b"]]
    table = Recipe(("zip",), rows, ("zip",), {"zip": [["*", "*"], ["a", "*"], ["b", "*"]]}, {"zip": 0})
    verdict = verify(write_release(table, tmp_path))
    assert verdict.problems == ()
    assert (verdict.measured["kept"], verdict.measured["suppressed"]) == (4, 1)


def test_missing_tokens_are_one_value_written_as_the_first(tmp_path: Path) -> None:
    hierarchy = [["", "", "*"], ["1", "1-2", "*"], ["2", "1-2", "*"]]
    table = Recipe(
        ("age", "note"),
        [["?", "a"], ["", "?"], ["1", "NA"], ["2", "b"]],
        ("age",),
        {"age": hierarchy},
        {"age": 1},
        options={"missing": ("", "?", "NA")},
    )
    claim = write_release(table, tmp_path)
    assert read_rows(claim)[1:] == [["", "a"], ["", ""], ["1-2", ""], ["1-2", "b"]]
    assert verify(claim).problems == ()
    assert "the file has '?'" in problems(altered(claim, 1, "age", "?"))


def test_text_is_trimmed_only_if_requested(tmp_path: Path) -> None:
    table = Recipe(("sex",), [["M"], ["M"]], ("sex",), {"sex": SEX}, {"sex": 0})
    claim = write_release(table, tmp_path)
    write_csv(claim.original.path, ("sex",), [["M "], [" M"]])
    assert "lacks the value 'M '" in problems(claim)
    assert verify(of_original(claim, trim=True)).ok
    write_csv(claim.original.path, ("sex",), [["M "], [" ? "]])
    claim = with_rows(of_original(claim, trim=True, missing=("F", "?")), [["sex"], ["M"], ["F"]])
    one_each = with_expected(claim, classes=2, k=1, unchanged=UnchangedClaim({}, 0, 2))
    assert verify(dataclasses.replace(one_each, models=())).problems == ()


def test_delimiter_encoding_mark_and_packing_of_the_original_are_followed(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    text = claim.original.path.read_text("utf-8").replace(",", ";").replace("\n", "\r\n")
    packed = tmp_path / "original.csv.gz"
    packed.write_bytes(gzip.compress(("\ufeff" + text).encode("utf-16-le")))
    claim = of_original(claim, path=packed, delimiter=";", encoding="utf-16-le")
    assert verify(claim).problems == ()


def test_a_table_without_header_has_the_names_given(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    claim.original.path.write_text("\n".join(",".join(row) for row in ROWS))
    claim = of_original(claim, has_header=False, names=NAMES)
    assert verify(claim).problems == ()
    claim.released.path.write_text("\n".join(",".join(row) for row in read_rows(claim)[1:]))
    assert verify(released_as(claim, has_header=False)).problems == ()


def test_a_release_without_header_and_without_a_kept_record_is_an_empty_file(tmp_path: Path) -> None:
    k7 = (ModelClaim("k_anonymity", {"k": 7}),)
    claim = write_release(recipe(models=k7, limit="1", suppressed_records="remove"), tmp_path)
    assert verify(claim).ok
    claim.released.path.write_bytes(b"")
    assert "is empty" in problems(claim)
    assert verify(released_as(claim, has_header=False)).problems == ()


def test_an_empty_line_is_no_record_but_an_empty_value_is(tmp_path: Path) -> None:
    table = Recipe(
        ("zip",), [[""], [""], ["a"], ["a"]], ("zip",), {"zip": [["", "*"], ["a", "*"]]}, {"zip": 0}
    )
    claim = write_release(table, tmp_path)
    claim.original.path.write_text('zip\n""\n\n""\na\na\n\n')
    assert verify(claim).measured["records"] == 4


def test_distinct_l_diversity_is_counted_on_the_kept_classes(tmp_path: Path) -> None:
    l2 = (ModelClaim("distinct_l_diversity", {"column": "illness", "l": 2}),)
    claim = write_release(recipe(models=l2, limit="0.5"), tmp_path)
    assert verify(claim).measured["suppressed"] == 3
    assert verify(claim).ok


def test_t_exactly_attained_is_met(tmp_path: Path) -> None:
    # Whole table 5 a, 5 b; class x has 7 a of 10 - shares 0.7 and 0.5, half the L1 distance 0.2.
    rows = [["x", "a"]] * 7 + [["x", "b"]] * 3 + [["y", "a"]] * 3 + [["y", "b"]] * 7
    model = ModelClaim("t_closeness", {"column": "s", "t": "0.2", "distance": "equal"})
    table = Recipe(("q", "s"), rows, ("q",), {"q": [["x", "*"], ["y", "*"]]}, {"q": 0}, ("s",), (model,), "0")
    claim = write_release(table, tmp_path)
    verdict = verify(claim)
    assert verdict.problems == ()
    assert verdict.measured["t"] == {"s": 0.2}
    for typed in (0.2, "0.20", Fraction(1, 5), "0.19999999999999999999"):  # all are the double 0.2
        again = dataclasses.replace(model, parameters={**model.parameters, "t": typed})
        assert verify(dataclasses.replace(claim, models=(again,))).ok
    below = dataclasses.replace(model, parameters={**model.parameters, "t": "0.19999999999999998"})
    assert not verify(dataclasses.replace(claim, models=(below,))).ok


def test_ordered_t_of_the_salaries_of_li_et_al_is_the_published_one(tmp_path: Path) -> None:
    # Li, Li, Venkatasubramanian 2007, section 4: {3k, 4k, 5k} of 3k..11k is 0.375, {6k, 8k, 11k} 0.167.
    salaries = [f"{i}k" for i in range(3, 12)]
    groups = ["x", "x", "x", "y", "z", "y", "z", "z", "y"]
    rows = [[group, salary] for group, salary in zip(groups, salaries, strict=True)]
    table = Recipe(
        ("q", "salary"),
        rows,
        ("q",),
        {"q": [["x"], ["y"], ["z"]]},
        {"q": 0},
        ("salary",),
        (ModelClaim("t_closeness", {"column": "salary", "t": "0.375", "distance": "ordered"}),),
        "0",
        {"order_types": {"salary": salaries}},
    )
    verdict = verify(write_release(table, tmp_path))
    assert verdict.problems == ()
    assert verdict.measured["t"] == {"salary": 0.375}


def test_an_order_that_leaves_out_a_value_is_refused(tmp_path: Path) -> None:
    claim = write_release(recipe(order_types={"illness": ["cold", "flu"]}), tmp_path)
    assert verify(claim).ok
    for order in (["cold"], ["cold", "flu", "gout"], ["cold", "flu", "flu"]):
        assert "order" in problems(dataclasses.replace(claim, order_types={"illness": order}))


def test_the_distance_of_the_claimed_t_can_be_named(tmp_path: Path) -> None:
    rows = [["x", "1"], ["x", "2"], ["y", "3"], ["y", "3"]]
    table = Recipe(("q", "s"), rows, ("q",), {"q": [["x"], ["y"]]}, {"q": 0}, ("s",), limit="0")
    claim = write_release(table, tmp_path)
    claim = dataclasses.replace(claim, order_types={"s": ["1", "2", "3"]})
    assert "t of 's'" in problems(claim)
    assert verify(dataclasses.replace(claim, distances={"s": "equal"})).ok


def test_limit_029_of_100_records_is_29(tmp_path: Path) -> None:
    def claim_with(single: int) -> ReleaseClaim:
        rows = [[f"s{i}"] for i in range(single)] + [["a"]] * (100 - single)
        hierarchy = [[value, "*"] for value in dict.fromkeys(row[0] for row in rows)]
        table = Recipe(("q",), rows, ("q",), {"q": hierarchy}, {"q": 0}, limit="0.29")
        return write_release(table, tmp_path)

    assert verify(claim_with(29)).ok
    assert verify(claim_with(29)).measured["allowed"] == 29
    just_below_30 = dataclasses.replace(claim_with(29), suppression_limit="0.2999")
    assert verify(just_below_30).measured["allowed"] == 29
    claim = claim_with(30)
    assert "Suppressed records: 30, above the limit of 29 (0.29 of 100)." in problems(claim)
    assert verify(dataclasses.replace(claim, satisfies=False)).ok


@pytest.mark.parametrize(
    "figures",
    [
        {"records": 5},
        {"kept": 4},
        {"suppressed": 0},
        {"classes": 3},
        {"k": 3},
        {"k": None},
        {"l": {"illness": 2}},
        {"t": {"illness": 0.3333333}},
        {"t": {"illness": None}},
        {"t": {"illness": float("nan")}},
        {"l": {"note": 1}},
    ],
)
def test_a_wrong_figure_is_never_confirmed(tmp_path: Path, figures: dict[str, Any]) -> None:
    claim = write_release(recipe(), tmp_path)
    assert "claim" in problems(with_expected(claim, **figures))


def test_a_stricter_model_than_the_release_was_made_for_is_not_met(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    k3 = dataclasses.replace(claim, models=(ModelClaim("k_anonymity", {"k": 3}),))
    assert "1 of 2 classes does not meet k-anonymity with k = 3, such as sex 'M', age '30-39'" in problems(k3)


@pytest.mark.parametrize(
    ("key", "parameters", "words"),
    [
        (
            "alpha_k_anonymity",
            {"alpha": "0.7", "k": 2},
            "(alpha, k)-anonymity of 'illness' with alpha = 0.7, k = 2",
        ),
        (
            "alpha_k_anonymity",
            {"alpha": "1", "k": 3},
            "(alpha, k)-anonymity of 'illness' with alpha = 1, k = 3",
        ),
        ("distinct_l_diversity", {"l": 2}, "distinct l-diversity of 'illness' with l = 2"),
        ("entropy_l_diversity", {"l": "1.1"}, "entropy l-diversity of 'illness' with l = 1.1 (shannon)"),
        (
            "entropy_l_diversity",
            {"l": "1.1", "estimator": "grassberger"},
            "entropy l-diversity of 'illness' with l = 1.1 (grassberger)",
        ),
        (
            "recursive_c_l_diversity",
            {"c": "9", "l": 2},
            "recursive (c, l)-diversity of 'illness' with c = 9, l = 2",
        ),
        (
            "t_closeness",
            {"t": "0.3", "distance": "hierarchical"},
            "t-closeness of 'illness' with t = 0.3 (hierarchical distance)",
        ),
        ("basic_beta_likeness", {"beta": "0.4"}, "basic beta-likeness of 'illness' with beta = 0.4"),
        ("enhanced_beta_likeness", {"beta": "9"}, "enhanced beta-likeness of 'illness' with beta = 9"),
        ("delta_disclosure", {"delta": "9"}, "delta-disclosure privacy of 'illness' with delta = 9"),
    ],
)
def test_an_unmet_model_is_reported_with_its_number_of_classes(
    tmp_path: Path, key: str, parameters: dict[str, Any], words: str
) -> None:
    # Kept are (F, 20-29) of flu, flu, cold and (M, 30-39) of flu, flu; the table has 4 flu, 2 cold.
    claim = write_release(recipe(), tmp_path)
    tree = {**claim.hierarchies, "illness": [["flu", "*"], ["cold", "*"]]}
    model = ModelClaim(key, {"column": "illness", **parameters})
    judged = dataclasses.replace(claim, models=(K2, model), hierarchies=tree, distances={"illness": "equal"})
    assert f"1 of 2 classes does not meet {words}, such as sex " in problems(judged)


def test_a_model_said_not_to_be_met_must_not_be(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    k3, k1 = (ModelClaim("k_anonymity", {"k": k}, met=False) for k in (3, 1))
    assert verify(dataclasses.replace(claim, models=(K2, k3))).ok
    assert "although the release claims not to" in problems(dataclasses.replace(claim, models=(K2, k1)))


@pytest.mark.parametrize(
    "model",
    [
        ModelClaim("mystery", {}),
        ModelClaim("k_anonymity", {}),
        ModelClaim("k_anonymity", {"k": "nan"}),
        ModelClaim("distinct_l_diversity", {"column": "note", "l": 1}),
        ModelClaim("t_closeness", {"column": "illness", "t": "1", "distance": "hierarchical"}),
        ModelClaim("t_closeness", {"column": "illness", "t": "-1", "distance": "equal"}),
    ],
)
def test_an_unverifiable_model_is_not_confirmed(tmp_path: Path, model: ModelClaim) -> None:
    claim = write_release(recipe(), tmp_path)
    assert problems(dataclasses.replace(claim, models=(K2, model)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hierarchies": {"sex": SEX}}, "hierarchy of 'age' is missing"),
        ({"hierarchies": {"sex": SEX, "age": AGE[:-1]}}, "lacks the value '50'"),
        ({"hierarchies": {"sex": SEX, "age": [*AGE, ["50", "x", "*"]]}}, "defines '50' twice"),
        ({"hierarchies": {"sex": SEX, "age": [*AGE, ["51", "*"]]}}, "different length"),
        ({"node": {"sex": 0, "age": 3}}, "no level 3"),
        ({"quasi_identifying": ("sex", "city")}, "no column 'city'"),
        ({"sensitive": ("age",)}, "more than one role"),
        ({"suppression_limit": "a lot"}, "Invalid number"),
    ],
)
def test_a_claim_that_makes_no_sense_is_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    claim = write_release(recipe(), tmp_path)
    assert words in problems(dataclasses.replace(claim, **changes))


def test_files_that_are_not_as_the_claim_says_are_refused(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    assert "cannot be read" in problems(of_original(claim, encoding="martian"))
    assert "are expected" in problems(released_as(claim, delimiter=";"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"", "is empty"),
        (b"name,sex,age,illness,note\n*,F\n", "Record 1 of 'released.csv' has 2 cells for 5 columns"),
        (b"name,sex,name\n", "two columns named 'name'"),
        (b"name,sex,age,illness,note\n\xff\n", "cannot be read"),
    ],
)
def test_a_damaged_release_is_refused(tmp_path: Path, content: bytes | None, words: str) -> None:
    claim = write_release(recipe(), tmp_path)
    claim.released.path.unlink()
    if content is not None:
        claim.released.path.write_bytes(content)
    assert words in problems(claim)


LOCAL = [
    ["*", "F", "20-29", "flu", "a"],
    ["*", "F", "20-29", "cold", "b"],
    ["*", "M", "30-39", "flu", "c"],
    ["*", "M", "30-39", "flu", "d"],
    ["*", "*", "*", "cold", "e"],
    ["*", "F", "*", "flu", "f"],
]
LOCAL_K1 = (ModelClaim("k_anonymity", {"k": 1}),)


def local_claim(folder: Path, rows: list[list[str]], expected: Expected, **changes: Any) -> ReleaseClaim:
    claim = write_release(recipe(), folder)
    claim = dataclasses.replace(claim, node=None, expected=expected, models=LOCAL_K1, **changes)
    return with_rows(claim, [list(NAMES), *rows])


def test_levels_may_differ_by_record_without_a_node(tmp_path: Path) -> None:
    suppressed = Expected(records=6, kept=5, suppressed=1, classes=3, k=1)
    as_class = Expected(records=6, kept=6, suppressed=0, classes=4, k=1)
    assert verify(local_claim(tmp_path, LOCAL, suppressed)).problems == ()
    assert verify(local_claim(tmp_path, LOCAL, as_class)).problems == ()
    both = Expected(records=6, kept=4, suppressed=2, classes=2, k=2)
    assert "suppressed = 2, but the file has 1" in problems(local_claim(tmp_path, LOCAL, both))


def test_a_label_from_another_branch_is_found_without_a_node(tmp_path: Path) -> None:
    expected = Expected(records=6, kept=5, suppressed=1, classes=3, k=1)
    claim = altered(local_claim(tmp_path, LOCAL, expected), 6, "age", "30-39")
    assert (
        "Record 6, column 'age': the file has '30-39', which is on no level of its hierarchy for '25'"
        in problems(claim)
    )


def test_removed_records_leave_an_ordered_part_of_the_original_without_a_node(tmp_path: Path) -> None:
    expected = Expected(records=6, kept=4, suppressed=2, classes=2, k=2)
    changes: dict[str, Any] = {"suppressed_records": "remove", "suppression_limit": "0.4"}
    rows = [LOCAL[0], LOCAL[1], LOCAL[2], LOCAL[3]]
    assert verify(local_claim(tmp_path, rows, expected, **changes)).problems == ()
    rows = [LOCAL[1], LOCAL[0], LOCAL[2], LOCAL[3]]
    assert "Record 2 of the released file matches no record" in problems(
        local_claim(tmp_path, rows, expected, **changes)
    )


def test_removed_records_are_identified_by_their_labels_without_a_node(tmp_path: Path) -> None:
    rows = [["21"], ["34"], ["38"]]
    table = Recipe(("age",), rows, ("age",), {"age": AGE}, {"age": 1}, limit="0.4")
    claim = write_release(dataclasses.replace(table, options={"suppressed_records": "remove"}), tmp_path)
    assert read_rows(claim) == [["age"], ["30-39"], ["30-39"]]
    assert verify(dataclasses.replace(claim, node=None)).problems == ()


def test_suppressed_records_are_stars_even_if_no_level_has_them_without_a_node(tmp_path: Path) -> None:
    rows = [["21"], ["34"], ["38"]]
    table = Recipe(("age",), rows, ("age",), {"age": [line[:2] for line in AGE]}, {"age": 1}, limit="0.4")
    claim = write_release(table, tmp_path)
    assert read_rows(claim) == [["age"], ["*"], ["30-39"], ["30-39"]]
    assert verify(dataclasses.replace(claim, node=None)).problems == ()


def test_progress_grows_to_its_total_and_may_stop_the_verification(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    seen: list[tuple[int, int]] = []
    verify(claim, lambda done, total, text: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (100, 100)

    def stop(done: int, total: int, text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify(claim, stop)


def test_verification_loads_nothing_of_the_engine() -> None:
    code = (
        "import importlib, pkgutil, sys\n"
        "import engine.verification.judges, engine.verification.models as models\n"
        "for found in pkgutil.iter_modules(models.__path__):\n"
        "    importlib.import_module(f'engine.verification.models.{found.name}')\n"
        "print([m for m in sys.modules if m.startswith('engine.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.strip()
    assert "engine.verification.models.t_closeness" in loaded
    # the language of its messages, where its files are, and how a verdict is shown
    for texts in ("words", "numbers", "shipped", "notebook"):
        loaded = loaded.replace(f"'engine.{texts}'", "")
    assert loaded.replace("engine.verification", "").count("engine") == 0
