"""The verdict is the same where the database reads the files itself as where it is given their texts."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import hmac
import json
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.verification import Limits, ModelClaim, ReleaseClaim, Verdict, verify
from engine.verification.claims import (
    AggregateClaim,
    ColumnKind,
    RuleClaim,
    SingledOutClaim,
    SubsetClaim,
    UnchangedClaim,
)
from engine.verification.rules import drawn_order
from tests.engine.verification.plain_release import (
    Recipe,
    read_rows,
    released_as,
    with_expected,
    with_rows,
    write_csv,
    write_release,
)
from tests.engine.verification.test_mutations import recipes
from tests.engine.verification.test_release_check import NAMES, ROWS, recipe
from tests.strategies import ten

Judge = Callable[[ReleaseClaim], Verdict]
SHIFT = RuleClaim("date_shift", {"days": 3, "skip_zero": False})


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def judged(claim: ReleaseClaim, **limits: Any) -> Verdict:
    """The verdict of a database that reads the files itself, as it does with large ones."""
    return verify(claim, limits=Limits(records=0, **limits))


def same(claim: ReleaseClaim) -> Verdict:
    """The verdict of files that the database reads, after that of their texts given to it was the same."""
    usual = verify(claim)
    found = judged(claim)
    assert (found.problems, found.measured, found.ok) == (usual.problems, usual.measured, usual.ok)
    return found


@ten
@given(case=recipes(), data=st.data())
def test_any_release_whole_or_broken_is_judged_as_in_memory(
    folder: Path, case: Recipe, data: st.DataObject
) -> None:
    claim = write_release(case, folder)
    assert same(claim).ok
    rows = read_rows(claim)
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, len(rows[0]) - 1))
    change = data.draw(st.sampled_from(["cell", "drop", "add", "move", "figure"]))
    if change == "cell":
        rows[row][column] = data.draw(st.sampled_from(["*", "", "1*", "4+", "flu", "x", "2"]))
    elif change == "drop":
        del rows[max(row, 1) : max(row, 1) + 1]
    elif change == "add":
        rows.insert(max(row, 1), rows[-1])
    elif change == "move":
        rows.insert(1, rows.pop())
    else:
        figure = data.draw(st.sampled_from(["records", "kept", "suppressed", "classes", "k"]))
        claim = with_expected(claim, **{figure: (getattr(claim.expected, figure) or 0) + 1})
    same(with_rows(claim, rows))


@ten
@given(case=recipes(), data=st.data())
def test_levels_that_vary_by_record_are_judged_as_in_memory(
    folder: Path, case: Recipe, data: st.DataObject
) -> None:
    claim = dataclasses.replace(write_release(case, folder), node=None)
    rows = read_rows(claim)
    for row in rows[1:]:  # a record may be on other levels than those beside it
        if row[0] != "*" and data.draw(st.booleans()):
            row[0] = "1*" if row[0].startswith("1") else "2*"
    same(with_rows(claim, rows))


@ten
@given(case=recipes(), data=st.data())
def test_any_release_in_no_order_is_judged_as_one_in_order(
    folder: Path, case: Recipe, data: st.DataObject
) -> None:
    claim = write_release(case, folder)
    names, *rows = read_rows(claim)
    usual, turned = verify(claim), [list(row) for row in data.draw(st.permutations(rows))]
    unordered = dataclasses.replace(with_rows(claim, [names, *turned]), order="none")
    found = judged(unordered)
    assert (found.problems, found.measured, found.compared) == ((), usual.measured, "multiset")
    row = data.draw(st.integers(0, max(0, len(turned) - 1)))
    change = data.draw(st.sampled_from(["cell", "drop", "add", "figure"]))
    if change == "cell" and turned:
        column = data.draw(st.integers(0, len(names) - 1))
        turned[row][column] = data.draw(st.sampled_from(["*", "", "1*", "4+", "flu", "x", "2"]))
    elif change == "drop":
        del turned[row : row + 1]
    elif change == "add":
        turned.insert(row, turned[-1] if turned else ["*"] * len(names))
    elif change == "figure":
        unordered = with_expected(unordered, classes=unordered.expected.classes + 1)
    is_same = change != "figure" and sorted(turned) == sorted(rows)
    assert judged(with_rows(unordered, [names, *turned])).ok is is_same


def test_records_of_no_order_that_differ_are_counted_and_named(tmp_path: Path) -> None:
    claim = dataclasses.replace(write_release(recipe(), tmp_path), order="none")
    rows = read_rows(claim)
    rows[3][-1], rows[5][-1] = rows[5][-1], rows[3][-1]
    found = judged(with_rows(claim, rows))
    assert found.problems[:2] == (
        "2 records of the file are not expected.",
        "2 expected records are missing in the file.",
    )
    assert found.how.endswith("every record as often as expected, whatever their order.")


@pytest.mark.parametrize("judge", [judged, verify])
def test_a_value_that_no_hierarchy_has_is_told_not_raised(tmp_path: Path, judge: Judge) -> None:
    near = ModelClaim("t_closeness", {"column": "illness", "t": "1", "distance": "hierarchical"})
    case = recipe(models=(near,))
    values = sorted({row[NAMES.index("illness")] for row in ROWS})
    tree = {**case.hierarchies, "illness": [[value, "ill", "*"] for value in values]}
    claim = write_release(dataclasses.replace(case, hierarchies=tree), tmp_path)
    rows = read_rows(claim)
    rows[1][NAMES.index("illness")] = "none of them"
    altered = with_rows(claim, rows)
    found = judge(altered)
    assert "A value is missing from the hierarchy of its column." in found.problems


def start_by_hand(claim: ReleaseClaim, use: str) -> int:
    """The start of one drawing: from SHA-256 of seed, number of records and columns, and of its use."""
    with claim.original.path.open(encoding="utf-8", newline="") as file:
        names, *original = csv.reader(file)
    missing = claim.original.missing or ("",)
    original = [[missing[0] if cell in missing else cell for cell in row] for row in original]
    digest = hashlib.sha256(f"{claim.seed} {len(original)}".encode())
    for number, own in enumerate(names):
        texts = list(dict.fromkeys(row[number] for row in original))
        digest.update(b"".join(f"{len(text.encode())} {text}".encode() for text in (own, *texts)))
        digest.update(b"".join(texts.index(row[number]).to_bytes(8, "little") for row in original))
    start = digest.digest()[:8] + use.encode()
    return int.from_bytes(hashlib.sha256(start).digest()[:8], "little")


def shuffled(claim: ReleaseClaim, seed: int = 3) -> ReleaseClaim:
    """The same release in the order that its seed and its original give."""
    claim = dataclasses.replace(claim, shuffled=True, seed=seed)
    names, *rows = read_rows(claim)
    order = drawn_order(len(rows), start_by_hand(claim, "rows"))
    return with_rows(claim, [names, *(rows[place] for place in order)])


@ten
@given(case=recipes(), data=st.data())
def test_any_shuffled_release_is_compared_in_the_order_drawn_again(
    folder: Path, case: Recipe, data: st.DataObject
) -> None:
    claim = shuffled(write_release(case, folder), data.draw(st.integers(0, 9)))
    found = same(claim)
    assert (found.problems, found.compared, found.judge) == ((), "records", "database")
    names, *rows = read_rows(claim)
    row = data.draw(st.integers(0, max(0, len(rows) - 1)))
    change, altered = data.draw(st.sampled_from(["cell", "drop", "add", "move"])), [*map(list, rows)]
    if change == "cell" and rows:
        column = data.draw(st.integers(0, len(names) - 1))
        altered[row][column] = data.draw(st.sampled_from(["*", "", "1*", "4+", "flu", "x", "2"]))
    elif change == "drop":
        del altered[row : row + 1]
    elif change == "add":
        altered.insert(row, rows[-1] if rows else ["*"] * len(names))
    elif rows:
        altered.insert(0, altered.pop(row))
    broken = with_rows(claim, [names, *altered])
    assert judged(broken).ok is verify(broken).ok is (altered == rows)


def test_the_random_order_of_records_without_an_order_is_named_as_not_repeated(tmp_path: Path) -> None:
    claim = dataclasses.replace(write_release(recipe(), tmp_path), shuffled=True, order="none")
    names, *rows = read_rows(claim)
    found = judged(with_rows(claim, [names, *rows[::-1]]))
    assert (found.problems, found.compared) == ((), "multiset")
    assert found.unchecked == ("The random order of the records was not repeated.",)


def in_parts(claim: ReleaseClaim, sizes: Sequence[int]) -> ReleaseClaim:
    """The same claim of an original in several files."""
    with claim.original.path.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    files, start = [], 0
    for number, size in enumerate([*sizes, len(rows)]):
        path = claim.original.path.with_name(f"part-{number}.csv")
        files.append(write_csv(path, names, rows[start : start + size]))
        start += size
    return dataclasses.replace(claim, originals=tuple(files))


def test_several_files_in_their_order_are_one_original(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    parts = in_parts(claim, (2, 0, 3))
    found = judged(parts)
    assert (found.problems, found.judge) == ((), "database")
    assert found.measured == verify(claim).measured
    turned = dataclasses.replace(parts, originals=parts.originals[::-1])
    assert not judged(turned).ok


def in_folder(claim: ReleaseClaim, sizes: Sequence[int]) -> tuple[ReleaseClaim, dict[str, Any]]:
    """The same claim of a release in parts, and their manifest."""
    folder = claim.released.path.with_name("parts")
    folder.mkdir()
    names, *rows = read_rows(claim)
    listed, start = [], 0
    for number, size in enumerate([*sizes, len(rows) - sum(sizes)], start=1):
        path = write_csv(folder / f"part-{number:05}.csv", names, rows[start : start + size])
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        listed.append({"name": path.name, "records": size, "sha256": digest})
        start += size
    manifest = {"records": len(rows), "parts": listed}
    (folder / "_manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return released_as(claim, path=folder), manifest


@pytest.mark.parametrize("found", [judged, verify])
def test_a_folder_of_parts_is_one_release(tmp_path: Path, found: Judge) -> None:
    claim = write_release(recipe(), tmp_path)
    parts, manifest = in_folder(claim, (2, 0, 3))
    verdict = found(parts)
    assert (verdict.problems, verdict.judge) == ((), "memory" if found is verify else "database")
    assert verdict.measured == verify(claim).measured
    place = parts.released.path / "_manifest.json"
    for change, words in (
        ({"records": 7}, "'parts' has no valid manifest."),
        ({"parts": manifest["parts"][:-1], "records": 5}, "'parts' has other files than its manifest lists."),
        ({"parts": manifest["parts"][::-1]}, "'parts' has other files than its manifest lists."),
    ):
        place.write_text(json.dumps(manifest | change), encoding="utf-8")
        assert found(parts).problems == (words,)
    moved = [dict(part) for part in manifest["parts"]]
    moved[0]["records"], moved[1]["records"] = 1, 1
    place.write_text(json.dumps(manifest | {"parts": moved}), encoding="utf-8")
    assert found(parts).problems == ("'part-00001.csv' has 2 records, but the manifest says 1.",)
    place.write_text(json.dumps(manifest), encoding="utf-8")
    part = parts.released.path / "part-00003.csv"
    part.write_bytes(part.read_bytes().replace(b"flu", b"flo"))
    assert found(parts).problems == ("'part-00003.csv' has another SHA-256 than the manifest says.",)
    place.unlink()
    assert found(parts).problems == ("'parts' has no valid manifest.",)


@pytest.mark.parametrize("judge", [judged, verify])
@pytest.mark.parametrize(("old", "new"), [(b"\n", b"\n\n"), (b"", b"\n"), (b"b\n", b"b\n\n")])
def test_an_empty_line_in_the_file_is_refused_though_readers_ignore_it(
    tmp_path: Path, judge: Judge, old: bytes, new: bytes
) -> None:
    claim = write_release(recipe(), tmp_path)
    # as readers do with tables of others
    claim.original.path.write_bytes(claim.original.path.read_bytes() + b"\n")
    assert judge(claim).ok
    claim.released.path.write_bytes(claim.released.path.read_bytes().replace(old, new, 1))
    found = judge(claim)
    assert found.problems == ("The file 'released.csv' cannot be read: it has an empty line.",)


def test_files_with_other_columns_are_refused_by_name(tmp_path: Path) -> None:
    claim = in_parts(write_release(recipe(), tmp_path), (2,))
    other = write_csv(tmp_path / "other.csv", NAMES[::-1], [row[::-1] for row in ROWS[2:]])
    found = judged(dataclasses.replace(claim, originals=(claim.originals[0], other)))
    assert found.problems == ("The files 'part-0.csv' and 'other.csv' do not have the same columns.",)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"node": None}, "Levels vary by record"),
        ({"subset": SubsetClaim(size=3)}, "The selection of a subset"),
        ({"rules": {"illness": SHIFT}}, "as of 'illness'"),
        ({"rules": {"name": SHIFT}, "person": "name"}, "as of 'name'"),
        ({"aggregates": {"age": AggregateClaim("mode", ColumnKind())}}, "Columns released as aggregates"),
    ],
)
def test_what_records_in_no_order_cannot_show_is_refused_and_never_passed(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    claim = dataclasses.replace(write_release(recipe(), tmp_path), **change)
    found = judged(dataclasses.replace(claim, order="none"))
    assert not found.ok
    assert words in found.problems[0]
    assert words not in " ".join(judged(claim).problems)


@pytest.mark.parametrize("rule", ["keyed_hash", "mask", "constant"])
def test_rules_of_other_columns_are_compared_record_by_record(tmp_path: Path, rule: str) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"k" * 32)
    parameters = {
        "keyed_hash": {"key_file": str(key), "length": 16},
        "mask": {"keep_first": 1, "keep_last": 0, "character": "#", "length": 0},
        "constant": {"text": "?"},
    }[rule]
    claim = write_release(recipe(), tmp_path)
    rows = read_rows(claim)
    for own, row in zip(ROWS, rows[1:], strict=True):
        texts = {
            "keyed_hash": hmac.digest(b"k" * 32, own[0].encode(), "sha256").hex()[:16],
            "mask": own[0][0] + "##",
            "constant": "?",
        }
        row[0] = texts[rule]
    claim = dataclasses.replace(with_rows(claim, rows), rules={"name": RuleClaim(rule, parameters)})
    assert same(claim).ok
    rows[2][0] = "x"
    assert not same(with_rows(claim, rows)).ok


@pytest.mark.parametrize(("name", "person"), [("name", "name"), ("note", "name"), ("note", "")])
def test_pseudonyms_are_drawn_again(tmp_path: Path, name: str, person: str) -> None:
    rule = RuleClaim("pseudonym", {"prefix": "p", "digits": 2})
    claim = dataclasses.replace(write_release(recipe(), tmp_path), rules={name: rule}, seed=7, person=person)
    place = NAMES.index(name)
    rows = read_rows(claim)
    values = sorted({row[place] for row in ROWS})
    order = drawn_order(len(values), start_by_hand(claim, f"column {name}"))
    codes = {values[place]: f"p{number:02}" for number, place in enumerate(order, start=1)}
    for row, own_row in zip(rows[1:], ROWS, strict=True):
        row[place] = codes[own_row[place]]
    claim = with_expected(with_rows(claim, rows), unchanged=None)
    assert not any(f"column '{name}'" in words for words in same(claim).problems)
    rows[1][place], rows[2][place] = rows[2][place], rows[1][place]
    assert not same(with_rows(claim, rows)).ok


def test_persons_and_dependencies_are_counted_as_in_memory(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    expected = claim.expected
    assert expected.unchanged is not None
    of_persons = dataclasses.replace(
        expected,
        persons=6,
        affected_persons=1,
        lost_persons=1,
        k_records=2,
        unchanged=dataclasses.replace(
            expected.unchanged,
            of_one_person=SingledOutClaim({"illness": 0, "note": 6}, 6, 6),
            determines={("note", "age"): 1.0, ("illness", "age"): 0.2},
        ),
    )
    claim = dataclasses.replace(claim, person="name", expected=of_persons)
    assert same(claim).ok
    wrong = dataclasses.replace(of_persons.unchanged or UnchangedClaim(), determines={("note", "age"): 0.5})
    assert not same(with_expected(claim, unchanged=wrong)).ok


def test_a_judge_stops_when_progress_raises(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)

    class StopError(Exception):
        pass

    def stop(done: int, total: int, text: str) -> None:
        raise StopError

    with pytest.raises(StopError):
        verify(claim, stop, Limits(records=0, folder=tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"original.csv", "released.csv"}


def test_a_judge_stops_at_any_moment_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.verification.judges._PATIENCE", 0.0)  # as if a statement took long
    claim = write_release(recipe(models=()), tmp_path)
    names = read_rows(claim)[0]
    for path in (claim.original.path, claim.released.path):
        own = read_rows(released_as(claim, path=path))[1:]
        write_csv(path, names, [[*row[:-1], str(number)] for number, row in enumerate(own * 2_000)])
    private = tmp_path / "private"
    private.mkdir()
    seen: list[int] = []
    limits = Limits(records=0, folder=private)

    class StopError(Exception):
        pass

    def is_stopped_at(left: int) -> bool:
        def report(done: int, total: int, text: str) -> None:
            seen.append(done)
            if len(seen) > left:
                raise StopError

        seen.clear()
        try:
            verify(claim, report, limits)
        except StopError:
            return True
        return False  # a fast machine is done before the last moments

    stopped = [is_stopped_at(left) for left in range(5)]
    for thread in threading.enumerate():
        if thread.name == "verification":
            thread.join()  # it ends with its next report
    assert list(private.iterdir()) == []
    assert stopped[0]


def test_the_verdict_says_how_files_larger_than_memory_were_compared(tmp_path: Path) -> None:
    claim = write_release(recipe(), tmp_path)
    assert verify(claim).how == ""
    assert "in a database of the verification" in judged(claim).how


def test_progress_never_goes_back(tmp_path: Path) -> None:
    reported: list[int] = []
    claim = write_release(recipe(), tmp_path)
    verify(claim, lambda done, total, text: reported.append(done), Limits(records=0))
    assert reported == sorted(reported)
    assert reported[-1] == 100
