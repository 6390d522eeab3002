"""`anonymizer ledger` and `anonymize --ledger`: what is refused, recorded, joined and forgotten."""

from __future__ import annotations

import csv
import json
import re
import shutil
import stat
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main
from engine.errors import ExportError
from engine.project.ledger.ledger_file import open_ledger
from tests.engine.cli.running import Command

COMMAND = "ledger"
ROOT = Path(__file__).resolve().parents[3]
CLINIC, THIRD = ROOT / "resources" / "examples" / "clinic", ROOT / "tests" / "data" / "third"
FIRST, SECOND = "1,5,0,3,2", "3,1,1,5,0"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """The recipe of the clinic example, in a folder of its own."""
    shutil.copytree(CLINIC, tmp_path / "clinic")
    return tmp_path / "clinic" / "recipe.toml"


def anonymize(recipe: Path, name: str, *words: str) -> int:
    ledger = recipe.parent / "releases.ledger"
    given = ["--out", str(recipe.parent / name), "--ledger", str(ledger), *words]
    return main(["anonymize", str(recipe), *given])


def cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def test_the_second_release_of_the_oracle_is_refused_with_its_figures(
    recipe: Path, run: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert anonymize(recipe, "a.csv", "--node", FIRST, "--quiet") == 0
    ledger = recipe.parent / "releases.ledger"
    before = ledger.read_bytes()
    capsys.readouterr()
    assert anonymize(recipe, "b.csv", "--node", SECOND, "--quiet") == 1
    said = capsys.readouterr().err.replace("\u202f", " ").replace("\u00a0", " ")
    assert "as few as 1 person match; 1 149 people match nobody else, 1 978 people fewer than 5" in said
    assert "'diagnosis' of 117 people is certain; 354 people keep fewer than 3 values" in said
    assert "'diagnosis' of 383 people is certain; 621 people keep fewer than 3 values" in said
    assert not (recipe.parent / "b.csv").exists()
    assert ledger.read_bytes() == before

    expected = json.loads((THIRD / "ledger_clinic.json").read_text(encoding="utf-8"))["expected"]
    words = ("--recipe", recipe, "--release", THIRD / "ledger_clinic_b.csv.gz")
    code, printed, _errors = run("check", ledger, *words, "--format", "json")
    assert code == 1
    joint = json.loads(printed)["joint"]
    assert joint["aligned"]["k"] == expected["joint_k"]
    assert joint["aligned"]["alone"] == expected["alone"]
    assert joint["aligned"]["below_k"] == expected["in_groups_below_5"]
    for key, name in (("intersection", "intersection"), ("insider", "propagated")):
        assert joint[key]["one_tail"] == expected[f"{name}_one_tail"]
        assert joint[key]["one_value"]["diagnosis"] == expected[f"{name}_one_diagnosis"]
        assert joint[key]["below_l"]["diagnosis"] == expected[f"{name}_below_3_diagnoses"]


def test_the_search_finds_the_best_node_whose_rows_join_with_five_people_each(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(text.replace("[transformation]", "[transformation]\nshuffle = false"), encoding="utf-8")
    assert anonymize(recipe, "a.csv", "--node", FIRST, "--quiet") == 0
    capsys.readouterr()
    assert anonymize(recipe, "b.csv", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    rows = zip(cells(recipe.parent / "a.csv"), cells(recipe.parent / "b.csv"), strict=True)
    joined = Counter((tuple(one[:-2]), tuple(two[:-2])) for one, two in rows)
    assert min(joined.values()) == found["joint"]["aligned"]["k"] >= 5
    nodes = json.loads((THIRD / "ledger_lattice.json").read_text(encoding="utf-8"))["nodes"]
    aligned = [own for own in nodes if own.get("aligned_k", 0) >= 5]
    best = min(aligned, key=lambda own: own["loss"])
    assert len(aligned) == 18
    assert list(found["node"].values()) == best["node"]
    assert found["value"] == pytest.approx(best["loss"], rel=1e-9)
    assert found["guarantee"] == "optimal"


def test_the_ledger_is_for_its_owner_and_holds_no_cell_label_or_name(recipe: Path) -> None:
    assert anonymize(recipe, "a.csv", "--quiet") == 0
    ledger = recipe.parent / "releases.ledger"
    for path in (ledger, recipe.parent / "releases.ledger.key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = ledger.read_text(encoding="utf-8")
    texts = {cell for row in cells(recipe.parent / "a.csv") for cell in row}
    with (CLINIC / "clinic.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.reader(file))
    texts |= {cell for row in table for cell in row}  # with the names of the columns
    words = {text for text in texts if not text.isdecimal() and len(text) > 1}
    assert len(words) > 1000
    assert [text for text in words if text in kept] == []
    written = json.dumps([json.loads(line) for line in kept.splitlines()])
    assert [row[0] for row in table[1:] if f'"{row[0]}"' in written] == []
    assert (recipe.parent / "releases.ledger.key").read_text(encoding="utf-8").strip() not in kept


def month(folder: Path, name: str, people: dict[str, tuple[str, str]]) -> Path:
    """A recipe and its table of one month: {person: (age, illness)}."""
    rows = [f"{person},{age},{illness}" for person, (age, illness) in people.items()]
    (folder / f"{name}.csv").write_text("\n".join(["id,age,illness", *rows]) + "\n", encoding="utf-8")
    path = folder / f"{name}.toml"
    path.write_text(
        f'format = 1\n[data]\npath = "{name}.csv"\n[roles]\nidentifying = ["id"]\nperson = "id"\n'
        'quasi_identifying = ["age"]\nsensitive = ["illness"]\n'
        '[hierarchies.age]\nbuilder = "intervals"\nwidth = 10\norigin = 0\n'
        '[[privacy]]\nmodel = "k_anonymity"\nk = 2\n[transformation]\nshuffle = true\n',
        encoding="utf-8",
    )
    return path


def measured(run: Command, capsys: Any, tmp_path: Path, months: list[dict[str, tuple[str, str]]]) -> Any:
    """Release months one after the other at the same node, and check the last one."""
    ledger = tmp_path / "people.ledger"
    for number, people in enumerate(months):
        recipe, out = month(tmp_path, f"m{number}", people), tmp_path / f"released{number}.csv"
        words = ["anonymize", str(recipe), "--out", str(out), "--node", "1", "--quiet"]
        assert main(words if number == len(months) - 1 else [*words, "--ledger", str(ledger)]) == 0
    capsys.readouterr()
    given = ("check", ledger, "--recipe", recipe, "--release", out, "--format", "json")
    _code, printed, _errors = run(*given)
    return json.loads(printed)["joint"]


def test_people_who_come_and_go_are_found_by_the_difference_of_files(
    run: Command, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old = {"p1": ("21", "flu"), "p2": ("22", "hiv")}
    found = measured(run, capsys, tmp_path, [old, old | {"p3": ("23", "cold")}])
    assert found["earlier"] == [1]
    assert (found["aligned"]["k"], found["aligned"]["alone"]) == (1, 1)
    assert found["intersection"]["one_tail"] == 0
    assert found["insider"]["one_tail"] == 1, "the value of the new person is the difference"
    assert found["attacker"] == "intersection"


def test_a_value_that_changed_is_no_certain_value(
    run: Command, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old = {"p1": ("21", "flu"), "p2": ("22", "flu")}
    found = measured(run, capsys, tmp_path, [old, {"p1": ("21", "gout"), "p2": ("22", "gout")}])
    assert found["intersection"]["one_tail"] == 0
    assert found["insider"]["one_tail"] is None, "no assignment of constant values exists"
    assert found["aligned"]["k"] == 2
    assert found["m_invariance"] == {"illness": {"m": 0, "changed": 2}}


def test_files_made_elsewhere_are_added_listed_and_forgotten(recipe: Path, run: Command) -> None:
    ledger = recipe.parent / "releases.ledger"
    words = ("--recipe", recipe, "--release")
    assert run.json("add", ledger, *words, THIRD / "ledger_clinic_a.csv.gz")["joint"]["number"] == 1
    shuffled = recipe.parent / "shuffled.csv"
    assert main(["anonymize", str(recipe), "--out", str(shuffled), "--node", FIRST, "--quiet"]) == 0
    lines = shuffled.read_text(encoding="utf-8").splitlines()
    shuffled.write_text("\n".join([lines[0], *sorted(lines[1:])]) + "\n", encoding="utf-8")
    found = run.json("check", ledger, *words, shuffled)["joint"]
    assert (found["met"], found["aligned"]["k"], found["attacker"]) == (True, 5, "aligned")
    run.json("add", ledger, *words, shuffled)
    listed = run.json("list", ledger)["releases"]
    assert [(own["number"], own["records"], own["shuffled"]) for own in listed] == [
        (1, 2000, False), (2, 2000, True),
    ]  # fmt: skip
    assert listed[1]["node"] == [1, 5, 0, 3, 2]
    forgotten = run.json("forget", ledger, "1")["releases"]
    assert [own["forgotten"] for own in forgotten] == [True, False]
    assert json.loads(ledger.read_text(encoding="utf-8").splitlines()[1])["people"] is None
    last = run.json("check", ledger, *words, shuffled)["joint"]
    assert (last["earlier"], last["not_joined"]) == ([2], [1])
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600


def test_rows_of_a_file_made_elsewhere_are_found_by_their_key(run: Command, tmp_path: Path) -> None:
    people = {f"p{i}": (str(20 + i), "flu" if i % 2 else "gout") for i in range(4)}
    recipe, file, ledger = month(tmp_path, "m", people), tmp_path / "given.csv", tmp_path / "l.ledger"
    given = (ledger, "--recipe", recipe, "--release", file, "--format", "json")
    file.write_text("id,age,illness\np3,A,flu\np2,A,gout\np1,B,flu\np0,B,gout\n", encoding="utf-8")
    assert run("add", *given)[0] == 0
    file.write_text("id,age,illness\np1,X,flu\np2,X,gout\np3,Y,flu\np0,Y,gout\n", encoding="utf-8")
    code, printed, _errors = run("check", *given)
    joint = json.loads(printed)["joint"]
    assert (code, joint["attacker"]) == (1, "aligned"), "its key leads from row to row"
    assert joint["aligned"] == {"k": 1, "alone": 4, "below_k": 4, "l": {"illness": 1}}
    assert joint["intersection"]["one_tail"] == 0
    file.write_text("age,illness\nA,flu\nB,gout\n", encoding="utf-8")
    run.refuses("cannot be matched with the records", "check", *given[:-2])


def test_where_every_satisfying_node_reveals_too_much_nothing_is_written(
    run: Command, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old = {f"p{i}": (str(21 + i), "flu") for i in range(4)}
    ledger = tmp_path / "people.ledger"
    for number, people in enumerate([old, {name: old[name] for name in ("p1", "p2", "p3")}]):
        recipe, out = month(tmp_path, f"m{number}", people), tmp_path / f"released{number}.csv"
        text = recipe.read_text(encoding="utf-8").replace("shuffle = true", "shuffle = false")
        recipe.write_text(text, encoding="utf-8")
        words = ["anonymize", str(recipe), "--out", str(out), "--ledger", str(ledger), "--quiet"]
        assert main(words) == number
    assert "like every other satisfying node, reveals too much beside release 1" in capsys.readouterr().err
    assert not out.exists()
    assert len(run.json("list", ledger)["releases"]) == 1


def test_a_ledger_that_vanished_beside_its_key_is_not_begun_anew(
    recipe: Path, run: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert anonymize(recipe, "a.csv", "--node", FIRST, "--quiet") == 0
    ledger = recipe.parent / "releases.ledger"
    aside = ledger.rename(recipe.parent / "aside")
    capsys.readouterr()
    assert anonymize(recipe, "b.csv", "--node", SECOND, "--quiet") == 2
    assert "'releases.ledger' is missing, but its key is there" in capsys.readouterr().err
    words = ("--recipe", recipe, "--release", recipe.parent / "a.csv")
    assert run("add", ledger, *words)[0] == 2
    assert not (recipe.parent / "b.csv").exists()
    assert not ledger.exists()
    aside.rename(ledger)
    assert anonymize(recipe, "b.csv", "--node", SECOND, "--quiet") == 1


def test_a_release_joined_by_another_column_has_to_be_forgotten_first(
    recipe: Path, run: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert anonymize(recipe, "a.csv", "--node", FIRST, "--quiet") == 0
    ledger, text = recipe.parent / "releases.ledger", recipe.read_text(encoding="utf-8")
    text = re.sub(r"identifying = .*", 'identifying = []\nothers = "insensitive"', text, count=1)
    recipe.write_text(text, encoding="utf-8")
    before = ledger.read_bytes()
    capsys.readouterr()
    assert anonymize(recipe, "b.csv", "--node", FIRST, "--quiet") == 2
    assert "Release 1 of the ledger 'releases.ledger' is joined by another column" in capsys.readouterr().err
    words = ("--recipe", recipe, "--release", recipe.parent / "a.csv")
    assert run("check", ledger, *words)[0] == 2
    assert (ledger.read_bytes(), (recipe.parent / "b.csv").exists()) == (before, False)
    assert run("forget", ledger, 1)[0] == 0
    assert anonymize(recipe, "b.csv", "--node", FIRST, "--quiet") == 0


def test_two_programs_do_not_overwrite_the_releases_of_each_other(recipe: Path) -> None:
    assert anonymize(recipe, "a.csv", "--quiet") == 0
    ledger = recipe.parent / "releases.ledger"
    first, second = open_ledger(ledger), open_ledger(ledger)
    again = replace(first.entries[0], number=2)
    first.append(again)
    kept = ledger.read_bytes()
    with pytest.raises(ExportError, match="has changed since it was read"):
        second.append(again)
    assert ledger.read_bytes() == kept


def test_records_are_shuffled_beside_earlier_releases_unless_the_recipe_says_otherwise(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert anonymize(recipe, "a.csv", "--node", FIRST, "--format", "json") == 0
    first = json.loads(capsys.readouterr().out)
    assert any("in the order of the input" in note for note in first["notes"])
    assert first["joint"]["earlier"] == []
    assert anonymize(recipe, "b.csv", "--node", FIRST, "--format", "json") == 0
    second = json.loads(capsys.readouterr().out)
    assert not any("in the order of the input" in note for note in second.get("notes", ()))
    a, b = cells(recipe.parent / "a.csv"), cells(recipe.parent / "b.csv")
    assert a != b
    assert sorted(a) == sorted(b)


def test_a_public_report_says_only_how_many_earlier_releases_were_counted(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert anonymize(recipe, "a.csv", "--node", FIRST, "--quiet") == 0
    said = {}
    for audience in ("public", "internal"):
        report = recipe.parent / f"{audience}.json"
        ledger = recipe.parent / "releases.ledger"
        kept = ledger.read_bytes()
        words = ("--node", FIRST, "--report", str(report), "--audience", audience, "--quiet")
        assert anonymize(recipe, f"{audience}.csv", *words) == 0
        ledger.write_bytes(kept)
        found = json.loads(report.read_text(encoding="utf-8"))
        (section,) = [own for own in found["sections"] if own["key"] == "earlier"]
        said[audience] = section["blocks"]
        assert str(section["blocks"][0]["facts"][0]["value"]) == "1"
        assert ("releases.ledger" in json.dumps(found)) == (audience == "internal"), "in its recipe"
    assert len(said["public"]) == 1
    assert "withstands the attacker" in json.dumps(said["internal"][1])
    assert len(said["internal"]) > 3


def test_what_is_no_ledger_or_has_another_key_is_refused(recipe: Path, run: Command) -> None:
    ledger = recipe.parent / "releases.ledger"
    run.refuses("does not exist", "list", ledger)
    assert not ledger.exists()
    assert anonymize(recipe, "a.csv", "--quiet") == 0
    run.refuses("has no release 7", "forget", ledger, "7")
    run.refuses("Only forget takes a number", "list", ledger, "1")
    run.refuses("needs --recipe and --release", "check", ledger)
    kept = ledger.read_bytes()
    ledger.write_bytes(kept[:-40] + b"\n")
    run.refuses("is damaged in line 2", "list", ledger)
    ledger.write_bytes(kept)
    key = recipe.parent / "releases.ledger.key"
    key.write_text("0" * 64 + "\n", encoding="utf-8")
    run.refuses("is not that of the ledger", "list", ledger)
    key.unlink()
    run.refuses("cannot be read", "list", ledger)


def test_the_key_of_a_ledger_and_the_ledger_of_a_recipe_are_not_overwritten(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert anonymize(recipe, "a.csv", "--node", FIRST, "--quiet") == 0
    ledger, key = recipe.parent / "releases.ledger", recipe.parent / "releases.ledger.key"
    kept = ledger.read_bytes(), key.read_bytes()
    capsys.readouterr()
    assert anonymize(recipe, key.name, "--node", FIRST, "--quiet") == 2
    assert "is an input of this command" in capsys.readouterr().err
    assert anonymize(recipe, "b.csv", "--node", FIRST, "--quiet", "--summary", str(key)) == 2
    with recipe.open("a", encoding="utf-8") as file:
        file.write('\n[[earlier]]\npath = "releases.ledger"\n')
    for path in (ledger, key):
        assert main(["lattice", str(recipe), "--out", str(path), "--quiet"]) == 2
    assert (ledger.read_bytes(), key.read_bytes()) == kept


def test_rows_in_another_order_are_joined_by_their_labels_or_refused(run: Command, tmp_path: Path) -> None:
    people = {f"p{i}": (str(21 + i % 4 + 10 * (i % 2)), "flu" if i < 6 else "gout") for i in range(8)}
    recipe, out, ledger = month(tmp_path, "m", people), tmp_path / "given.csv", tmp_path / "l.ledger"
    text = recipe.read_text(encoding="utf-8").replace("shuffle = true", "shuffle = false")
    given = (ledger, "--recipe", recipe, "--release", out)
    for name, changed in (("node", text.replace('sensitive = ["illness"]\n', "")), ("local", text)):
        if name == "local":
            changed += '[recoding]\nmethod = "mondrian"\n'
        else:
            changed = changed.replace('identifying = ["id"]', 'identifying = ["id", "illness"]')
        recipe.write_text(changed, encoding="utf-8")
        level = ["--node", "1"] if name == "node" else []
        assert main(["anonymize", str(recipe), "--out", str(out), "--quiet", *level]) == 0
        ledger = tmp_path / f"{name}.ledger"
        given = (ledger, "--recipe", recipe, "--release", out)
        run.json("add", *given)
        head, *rows = out.read_text(encoding="utf-8").splitlines()
        out.write_text("\n".join([head, *rows[::2], *rows[1::2]]) + "\n", encoding="utf-8")
        if name == "node":
            assert run.json("check", *given)["joint"]["aligned"]["k"] == 4, "the same classes"
        else:
            run.refuses("cannot be matched with the records", "check", *given)


def test_values_of_people_who_left_are_no_more_than_these_people(
    run: Command, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old = {f"p{i}": (str(21 + i), f"illness {i}") for i in range(5)}
    left = {name: old[name] for name in ("p2", "p3", "p4")}
    found = measured(run, capsys, tmp_path, [old, left])
    assert found["aligned"] == {"k": 2, "alone": 0, "below_k": 0, "l": {"illness": 2}}


@pytest.mark.parametrize("audience", ["public", "internal"])
def test_a_report_does_not_count_a_forgotten_release(recipe: Path, run: Command, audience: str) -> None:
    assert anonymize(recipe, "a.csv", "--node", FIRST, "--quiet") == 0
    run.json("forget", recipe.parent / "releases.ledger", "1")
    report = recipe.parent / "report.json"
    words = ("--node", FIRST, "--report", str(report), "--audience", audience, "--quiet")
    assert anonymize(recipe, "b.csv", *words) == 0
    found = json.loads(report.read_text(encoding="utf-8"))
    (section,) = [own for own in found["sections"] if own["key"] == "earlier"]
    assert str(section["blocks"][0]["facts"][0]["value"]) == "0"
    said = "Release 1 of the ledger is not counted" in json.dumps(section)
    assert said == (audience == "internal")
    assert "withstands" not in json.dumps(section)


def test_rows_of_a_person_in_another_order_are_found_by_their_labels(run: Command, tmp_path: Path) -> None:
    recipe, out, ledger = month(tmp_path, "m", {}), tmp_path / "released.csv", tmp_path / "l.ledger"
    rows = [f"p{i},{age + i},{illness}" for i in range(4) for age, illness in ((21, "flu"), (35, "gout"))]
    (tmp_path / "m.csv").write_text("\n".join(["id,age,illness", *rows]) + "\n", encoding="utf-8")
    with recipe.open("a", encoding="utf-8") as file:
        file.write('identifying = "pseudonym"\n')
    assert main(["anonymize", str(recipe), "--out", str(out), "--node", "1", "--quiet"]) == 0
    head, *_written = out.read_text(encoding="utf-8").splitlines()
    labels = {"21": "20-29", "35": "30-39"}
    cells = [
        f"p{i},{labels[age]},{illness}" for i in range(4) for age, illness in (("21", "flu"), ("35", "gout"))
    ]
    given = (ledger, "--recipe", recipe, "--release", out)
    for action, order in (("add", cells), ("check", [cells[1], cells[0], *cells[2:]])):
        out.write_text("\n".join([head, *order]) + "\n", encoding="utf-8")
        joint = run.json(action, *given)["joint"]
    assert (joint["aligned"]["k"], joint["aligned"]["alone"]) == (4, 0), "the same release"
