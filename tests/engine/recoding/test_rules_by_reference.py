"""Rules of every column against a slow program: cells, verified files, and models of released values."""

from __future__ import annotations

import csv
import itertools
import json
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.pipeline import anonymize, export_release
from engine.project.edits import set_rules
from engine.project.recipe.files import read_recipe
from engine.recoding.rules import RuleContext, column_rules
from engine.recoding.rules.date_shift import date_offset
from engine.records import DataType, Kind, Table
from engine.records.values import make_column
from tests.engine.recoding.slow_rules import offset, released, rounded, shifted

KEY = b"0123456789abcdef0123456789abcdef"
ORACLE = Path(__file__).parents[2] / "data" / "second" / "date_shift.json"
CASES = 24  # 2 000 were run once


def test_date_shift() -> None:
    cases = json.loads(ORACLE.read_text(encoding="utf-8"))
    assert len(cases) == 48
    for case in cases:
        key, given = bytes.fromhex(case["key_hex"]), (case["person"], case["days"])
        assert date_offset(key, *given, skip_zero=case["skip_zero"]) == case["offset"]
        assert offset(key, *given, case["skip_zero"]) == case["offset"]


@pytest.mark.parametrize("skip_zero", [False, True])
def test_every_number_of_days_occurs_about_equally_often(skip_zero: bool) -> None:
    found = Counter(date_offset(KEY, str(i), 3, skip_zero=skip_zero) for i in range(7000))
    assert set(found) == set(range(-3, 4)) - ({0} if skip_zero else set())
    due = 7000 / len(found)
    assert max(abs(count - due) for count in found.values()) < 5 * due**0.5


@pytest.mark.parametrize("place", range(3), ids=("half_even", "half_up", "down"))
@pytest.mark.parametrize(
    ("base", "numbers"),
    [
        (10.0, {"25": ("20", "30", "20"), "-25": ("-20", "-30", "-20"), "35": ("40", "40", "30")}),
        (0.1, {"0.15": ("0.2", "0.2", "0.1"), "0.25": ("0.2", "0.3", "0.2"), "-0.04": ("0", "0", "0")}),
        (0.01, {"2.675": ("2.68", "2.68", "2.67"), "1.005": ("1", "1.01", "1")}),
        (2.5, {"7.5": ("7.5", "7.5", "7.5")}),
        (1.0, {"123456789012345678901234567890.5": [f"12345678901234567890123456789{c}" for c in "010"]}),
    ],
)
def test_numbers_are_rounded_exactly(
    tmp_path: Path, place: int, base: float, numbers: dict[str, Sequence[str]]
) -> None:
    mode, due = ("half_even", "half_up", "down")[place], [own[place] for own in numbers.values()]
    assert [rounded(number, repr(base), mode) for number in numbers] == due
    records = [["a", "", number, ""] for number in numbers]
    rows, _release = exported(tmp_path, records, {"income": ("round", {"base": base, "mode": mode})})
    assert [row["income"] for row in rows] == due


def exported(
    folder: Path, rows: list[list[str]], rules: dict[str, tuple[str, dict[str, Any]]], person: str = "",
    models: str = "",
) -> tuple[list[dict[str, str]], Any]:  # fmt: skip
    """The rows of a verified release of the node without generalization."""
    (folder / "keys").mkdir(exist_ok=True)
    (folder / "keys" / "own.key").write_bytes(KEY)
    with (folder / "own.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["person", "age", "income", "day"], *rows])
    recipe = """[data]
path = "own.csv"
[data.types]
income = { type = "decimal" }
day = { type = "date", format = "%Y-%m-%d" }
age = { type = "text" }
[roles]
identifying = ["person"]
quasi_identifying = ["age"]
sensitive = ["income"]
insensitive = ["day"]
[transformation]
suppression_limit = 1.0
"""
    if person:
        recipe = recipe.replace("insensitive", f'person = "{person}"\ninsensitive')
    (folder / "own.toml").write_text(recipe + models)
    project = read_recipe(folder / "own.toml")
    given = {
        name: column_rules.create(
            key, **values, **({"key_file": str(folder / "keys" / "own.key")} if key == "date_shift" else {})
        )
        for name, (key, values) in rules.items()
    }
    project = set_rules(project, given)
    release = anonymize(project).release
    path = folder / "out.csv"
    assert export_release(project, release, path, overwrite=True).ok
    with path.open(newline="") as file:
        return list(csv.DictReader(file)), release


def drawn_rules(drawn: random.Random) -> dict[str, tuple[str, dict[str, Any]]]:
    """Rules for the sensitive numbers and the dates."""
    limit, written = drawn.choice([0.0, 10.0, 12.5, -3.0]), drawn.choice(["label", "limit"])
    base, mode = drawn.choice([10.0, 5.0, 0.5, 0.05, 3.0]), drawn.choice(["half_even", "half_up", "down"])
    income: list[tuple[str, dict[str, Any]]] = [
        ("round", {"base": base, "mode": mode}),
        ("top_code", {"limit": limit, "written": written}),
        ("bottom_code", {"limit": limit, "written": written}),
        ("star", {}),
        ("constant", {"text": "x"}),
        ("none", {}),
    ]
    shift = {"days": drawn.choice([1, 3, 40, 1000]), "skip_zero": drawn.random() < 0.5}
    day: list[tuple[str, dict[str, Any]]] = [("date_shift", shift), ("drop", {}), ("none", {})]
    return {"income": drawn.choice(income), "day": drawn.choice([day[0], *day])}


def compare(folder: Path, seed: int) -> None:
    """Release a random table by random rules, and compare it with the slow program."""
    drawn = random.Random(seed)
    numbers = ["0", "5", "9.5", "10", "10.25", "12.5", "15", "-2", "-3.5", "99.99", ""]
    days = ["2020-01-01", "2020-02-29", "1999-12-31", "2020-03-01", ""]
    n_records = drawn.randint(1, 14)
    # One record without a missing value, so that columns keep their types.
    rows = [["a", "1", "5", "2020-01-01"]]
    for _number in range(n_records):
        cells = [drawn.choice(["a", "b", "c", "d", "é", ""]), drawn.choice("12"), drawn.choice(numbers)]
        rows.append([*cells, drawn.choice(days)])
    rules = drawn_rules(drawn)
    person, k, l_wanted = drawn.choice(["", "person"]), drawn.randint(1, 3), drawn.randint(1, 3)
    models = f'[[privacy]]\nmodel = "k_anonymity"\nk = {k}\n'
    if not person:
        models += f'[[privacy]]\nmodel = "distinct_l_diversity"\ncolumn = "income"\nl = {l_wanted}\n'
    asked = {name: rule for name, rule in rules.items() if rule[0] != "none"}
    found, release = exported(folder, rows, asked, person, models)
    persons = [row[0] for row in rows] if person else [str(i + 1) for i in range(len(rows))]
    columns = {
        name: released([row[place] for row in rows], *rules[name], persons, KEY)
        for name, place in (("income", 2), ("day", 3))
    }
    incomes = columns["income"]
    classes: dict[str, list[int]] = defaultdict(list)
    for record, row in enumerate(rows):
        classes[row[1]].append(record)

    def is_held(members: Collection[int]) -> bool:
        n_values = len({incomes[i] for i in members})
        return len({persons[i] for i in members}) >= k and (bool(person) or n_values >= l_wanted)

    kept = {age: members for age, members in classes.items() if is_held(members)}
    alive = {i for members in kept.values() for i in members}
    suppressed = set(range(len(rows))) - alive
    blank = set() if is_held(suppressed) else suppressed  # together they do not meet the requirement
    due = [
        {
            "person": "*",
            "age": row[1] if record in alive else "*",
            **{
                name: "*" if record in blank else cells[record]
                for name, cells in columns.items()
                if cells is not None
            },
        }
        for record, row in enumerate(rows)
    ]
    assert found == due, (seed, rules)
    if not person and kept:
        whole, n = Counter(incomes), len(incomes)
        distances = [
            sum(abs(Fraction(Counter(incomes[i] for i in members)[v], len(members)) - Fraction(c, n))
                for v, c in whole.items()) / 2
            for members in kept.values()
        ]  # fmt: skip
        if release.distances["income"] == "ordered":
            order = sorted(whole, key=lambda text: _place(text, rules["income"]))
            distances = [_ordered([incomes[i] for i in members], incomes, order) for members in kept.values()]
        assert release.t["income"] == pytest.approx(float(max(distances)), abs=1e-12)
        assert release.l["income"] == min(len({incomes[i] for i in m}) for m in kept.values())


def _place(text: str, rule: tuple[str, dict[str, Any]]) -> Fraction:
    """The place of a released number: a label is beyond all of them."""
    if text[:2] in ("<=", ">="):
        return Fraction(10**9 if text[0] == ">" else -(10**9))
    return Fraction(text)


def _ordered(inside: list[str], outside: list[str], order: list[str]) -> Fraction:
    own, whole = Counter(inside), Counter(outside)
    gaps = (Fraction(own[v], len(inside)) - Fraction(whole[v], len(outside)) for v in order)
    return sum((abs(total) for total in itertools.accumulate(gaps)), Fraction(0)) / max(1, len(order) - 1)


def test_times_and_time_zones_stay_with_their_dates(tmp_path: Path) -> None:
    (tmp_path / "own.key").write_bytes(KEY)
    rule = column_rules.create("date_shift", days=9, key_file=str(tmp_path / "own.key"))
    written = "%Y-%m-%d %H:%M%z"
    texts = ["2020-01-01 10:00+0100", "2020-01-01 09:00+0000", "0999-12-31 23:59+0000"]
    codes = np.arange(3, dtype=np.int32)
    people = make_column("person", ["a"], np.zeros(3, dtype=np.int32), DataType())
    column = make_column("day", texts, codes, DataType(Kind.DATE, written))
    found = rule.apply(column, RuleContext(Table((column, people)), person="person"))
    days = offset(KEY, "a", 9, True)
    due = {text: shifted(text, written, days) for text in texts}
    assert [found[0][code] for code in found[1]] == [due[column.text(i)] for i in range(3)]


def test_cells_files_and_models_are_those_of_the_slow_program(tmp_path: Path) -> None:
    for seed in range(CASES):
        compare(tmp_path, seed)
