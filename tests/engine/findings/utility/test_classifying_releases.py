"""Classifiers trained on input and release, against scikit-learn used directly."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import auc, brier_score_loss
from sklearn.metrics import roc_curve as curve_of

from engine.errors import CancelledError, InputError, TableError
from engine.findings import learning
from engine.findings.subject import Subject
from engine.findings.utility import classification
from engine.findings.utility.classification import MOST_POINTS, Classification, roc_curve
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.recoding import Recoding, make_local_release, make_release, rooted
from engine.recoding.aggregation.functions import Mean
from engine.records import Kind
from tests.engine.findings.risk.subjects import letters
from tests.stopping import Stopping
from tests.strategies import Attributes, Case

KEYS = ("logistic_regression", "naive_bayes", "random_forest")
N = 120


@contextmanager
def here(module: str, request: Mapping[str, Any], monitor: Monitor, *, subject: str) -> Iterator[Path]:
    """Work in this process, which is quicker to begin."""
    assert module == "engine.findings.learning"
    with TemporaryDirectory() as folder:
        learning.work(request, Path(folder), monitor)
        yield Path(folder)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classification, "run_in_subprocess", here)


def people(k: int = 1, node: tuple[int, int] = (0, 0), target: str | None = "ill") -> Subject:
    """Ages and towns, and an illness that comes with age but for some noise."""
    source = np.random.default_rng(5)
    ages = source.integers(20, 60, N)
    towns = source.choice(["Bari", "Oslo", "Rome"], N)
    ill = np.where(ages + source.normal(0, 6, N) > 40, "yes", "no")
    bands = tuple((str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*") for age in range(20, 60))
    case = Case(
        (
            Attributes("age", tuple(map(str, ages.tolist())), Kind.INTEGER, bands),
            Attributes("town", tuple(towns.tolist()), rows=tuple((t, "*") for t in ("Bari", "Oslo", "Rome"))),
        ),
        (Attributes("ill", tuple(ill.tolist())), Attributes("same", ("x",) * N)),
        target,
    )
    project = case.under(Requirement((KAnonymity(k),), 1.0))
    return Subject(project, make_release(project, compile_problem(project), node))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("key", KEYS)
def test_original_values_teach_what_the_input_teaches(key: str) -> None:
    found = Classification(classifier=key, folds=3).run(people())
    assert found.original == found.released
    assert found.relative_accuracy == 1
    assert found.original.accuracy > found.baseline.accuracy + 0.1
    for entry in found.classes:
        assert entry.original.area == entry.released.area > 0.7
        assert entry.sensitivity_original == entry.sensitivity_released
    assert sum(entry.n_records for entry in found.classes) == found.n_records == N


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("key", KEYS)
def test_a_release_that_hides_everything_teaches_the_baseline(key: str) -> None:
    found = Classification(classifier=key, folds=3).run(people(node=(2, 1)))
    assert found.released.accuracy == found.baseline.accuracy
    assert found.released.brier == pytest.approx(found.baseline.brier, abs=0.05)
    assert found.relative_accuracy == 0


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", ["age", "town"])
def test_numbers_alone_and_categories_alone_are_learnt_from(key: str, name: str) -> None:
    found = Classification("ill", (name,), key, folds=2).run(people(node=(1, 0)))
    assert found.features == (name,)
    if name == "age":
        assert found.released.accuracy > found.baseline.accuracy + 0.1


@pytest.mark.usefixtures("at_once")
def test_records_that_are_alike_weigh_as_many_as_they_are() -> None:
    subject = people(k=8, node=(1, 0))
    found = Classification(folds=2, seed=3).run(subject)
    assert 0 < found.n_suppressed < N
    ages, towns = subject.cells("age"), subject.cells("town")
    numbers = np.append(ages.means, np.nan)[ages.codes]
    target = (
        np.array(subject.input.column("ill").labels)[subject.input.column("ill").codes] == "yes"
    ).astype(int)
    folds = folds_of(target, 2, 3)
    right = []
    for fold in (0, 1):
        train = (folds != fold) & subject.kept
        mean, deviation = numbers[train].mean(), numbers[train].std()
        table = np.column_stack(
            [(numbers - mean) / deviation, *(towns.codes == town for town in range(len(towns.labels)))]
        )
        model = LogisticRegression(max_iter=1000).fit(table[train], target[train])
        most = np.bincount(target[train]).argmax()
        told = (folds == fold) & subject.kept
        right += (model.predict(table[told]) == target[told]).tolist()
        right += (target[(folds == fold) & ~subject.kept] == most).tolist()
    assert found.released.accuracy == pytest.approx(np.mean(right))


def folds_of(target: np.ndarray, n_folds: int, seed: int) -> np.ndarray:
    """The folds of a seed: every class dealt out in random order."""
    order = np.random.default_rng(seed).permutation(len(target)).tolist()
    folds = np.empty(len(target), dtype=int)
    for place, record in enumerate(sorted(order, key=lambda record: target[record])):
        folds[record] = place % n_folds
    return folds


@pytest.mark.usefixtures("at_once")
def test_folds_hold_the_same_share_of_every_class_and_the_seed_decides() -> None:
    once, again = (Classification(folds=4, classifier="naive_bayes").run(people()) for _ in range(2))
    other = Classification(folds=4, classifier="naive_bayes", seed=1).run(people())
    assert once.original == again.original != other.original
    shares = np.array(once.baseline.by_fold)
    assert shares.max() - shares.min() <= 2 / (N / 4)
    assert once.baseline.accuracy == pytest.approx(max(entry.n_records for entry in once.classes) / N)
    assert once.baseline.deviation == pytest.approx(shares.std())


@pytest.mark.usefixtures("at_once")
def test_a_large_table_is_sampled_and_says_so() -> None:
    found = Classification(folds=2, classifier="naive_bayes", most_records=100).run(people())
    assert (found.n_records, found.sample.is_whole) == (100, False)
    assert Classification(folds=2, classifier="naive_bayes").run(people()).sample.is_whole


@pytest.mark.usefixtures("at_once")
def test_a_target_in_groups_is_predicted_in_groups_on_both_sides() -> None:
    found = Classification("age", ("town", "ill"), "naive_bayes", 2).run(people(node=(1, 0)))
    assert [entry.label for entry in found.classes] == ["20-29", "30-39", "40-49", "50-59"]
    assert found.note == "'age' is released in 4 groups; these are predicted, for input and release."
    assert found.features == ("town", "ill")


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("key", KEYS)
def test_levels_that_differ_by_record_and_aggregates_are_learnt_from(key: str) -> None:
    subject = people()
    problem = rooted(subject.release.problem)
    levels = np.zeros((N, 2), dtype=np.int16)
    levels[::2] = (1, 0)
    levels[::5] = (2, 1)
    recoding = Recoding(levels, np.arange(N) % 7 == 0)
    release = make_local_release(subject.project, problem, recoding)
    found = Classification(classifier=key, folds=2).run(Subject(subject.project, release))
    assert found.n_suppressed == release.n_suppressed > 0
    assert 0.4 < found.released.accuracy < 1
    project = replace(subject.project, microaggregation=frozen({"age": Mean(grouping=True)}))
    means = Subject(project, make_release(project, compile_problem(project), (1, 0)))
    assert Classification(classifier=key, folds=2).run(means).released.accuracy > 0.6


def test_it_runs_apart_and_tells_how_far_it_is() -> None:
    class Listening:
        def __init__(self) -> None:
            self.texts: list[str] = []

        def step(self, done: int, total: int, text: str = "") -> None:
            assert 0 <= done <= total
            self.texts.append(text)

    monitor = Listening()
    found = Classification(classifier="naive_bayes", folds=2).run(people(), monitor)
    assert any(text.startswith("Training on") for text in monitor.texts)
    assert monitor.texts[-1] == "Drawing ROC curves"
    figures, classes, points = found.tables()
    assert [row[0] for row in figures.rows] == ["baseline", "original", "released"]
    assert [row[0] for row in classes.rows] == ["no", "yes"]
    assert {row[:2] for row in points.rows} == {(c, s) for c in ("no", "yes") for s in learning.SIDES}


def test_it_ends_when_it_is_cancelled_though_fitting_cannot_be_stopped() -> None:
    before = threading.active_count()
    with pytest.raises(CancelledError):
        Classification(classifier="random_forest").run(people(), Stopping(4))
    assert threading.active_count() == before


def test_a_classifier_that_stops_is_told_in_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def stops(*_: object, **__: object) -> None:
        raise TableError("'Classification' needs more memory than allowed.", hint="Save the file again.")

    monkeypatch.setattr(classification, "run_in_subprocess", stops)
    with pytest.raises(InputError, match="classifier stopped unexpectedly") as told:
        Classification(classifier="naive_bayes", folds=2).run(people())
    assert "fewer records" in told.value.hint


@pytest.mark.parametrize(
    ("asked", "subject", "reason"),
    [
        (Classification("same"), people(), "the same value in every record"),
        (Classification("town"), people(node=(0, 1)), "does not distinguish the values of 'town'"),
        (
            Classification(),
            letters(q="ab").subject,
            "No column to predict is set. Choose one, or set a target in Configure.",
        ),
        (Classification("q"), letters(q="ab").subject, "no column from which to predict 'q'"),
        (Classification("ill", ("age", "ill")), people(), "cannot be predicted from itself"),
        (Classification("ill", ("age", "age")), people(), "'age' is listed twice"),
        (Classification(), people(k=N + 1), "Every record of this release is suppressed"),
        (Classification("s"), letters(q="a", s="x").subject, "A single record"),
    ],
)
def test_wrong_questions_are_refused_in_words(asked: Classification, subject: Subject, reason: str) -> None:
    assert reason in asked.why_not(subject)
    with pytest.raises(InputError, match=reason):
        asked.run(subject)


def test_too_many_classes_and_aggregated_targets_are_refused() -> None:
    names = tuple(f"n{i}" for i in range(150))
    case = Case((Attributes("q", ("a",) * 150),), (Attributes("s", names),))
    project = case.under(Requirement((KAnonymity(1),), 1.0))
    subject = Subject(project, make_release(project, case.problem, (0,)))
    assert "has 150 distinct values" in Classification("s").why_not(subject)
    ages = replace(people().project, microaggregation=frozen({"age": Mean(grouping=True)}))
    means = Subject(ages, make_release(ages, compile_problem(ages), (1, 0)))
    assert "an aggregate of each class" in Classification("age").why_not(means)


def test_without_scikit_learn_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(name: str) -> object:
        return None if name == "sklearn" else find_spec(name)

    monkeypatch.setattr(classification, "find_spec", found)
    assert "Install it with: python3 resources/start.py add stats" in Classification().why_not(people())


def test_curves_and_their_areas_are_those_of_scikit_learn() -> None:
    source = np.random.default_rng(2)
    for n_records, decimals in ((30, 1), (3000, 5)):
        scores = np.round(source.random(n_records), decimals)
        is_class = scores + source.normal(0, 0.5, n_records) > 0.5
        found = roc_curve(scores, is_class)
        false, true, _ = curve_of(is_class, scores, drop_intermediate=False)
        assert found.area == pytest.approx(auc(false, true))
        assert len(found.false_positives) <= MOST_POINTS
        assert (found.false_positives[0], found.false_positives[-1]) == (0, 1)
        if len(false) <= MOST_POINTS:
            assert found.false_positives.tolist() == pytest.approx(false.tolist())
            assert found.true_positives.tolist() == pytest.approx(true.tolist())


@pytest.mark.usefixtures("at_once")
def test_the_brier_score_sums_over_classes_and_so_is_twice_that_of_two() -> None:
    subject = people()
    found = Classification(folds=2, classifier="naive_bayes").run(subject)
    target = subject.input.column("ill").codes
    share = [target[folds_of(target, 2, 0) != fold].mean() for fold in folds_of(target, 2, 0)]
    assert found.baseline.brier == pytest.approx(2 * brier_score_loss(target, share))


def test_a_fold_that_teaches_a_single_class_names_it(tmp_path: Path) -> None:
    records = learning.Records(
        numbers=np.zeros((4, 1)),
        codes=np.zeros((4, 0), dtype=np.int32),
        spans=np.zeros(0, dtype=np.int64),
        keys=np.zeros(4, dtype=np.int64),
        teaches=np.array([True, True, False, False]),
        is_blank=np.zeros(4, dtype=np.bool_),
        target=np.array([1, 1, 0, 1]),
    )
    for side in learning.SIDES:
        records.save(tmp_path, side)
    np.save(tmp_path / "folds.npy", np.array([0, 0, 1, 1]))
    request = {
        "data": str(tmp_path),
        "classifier": "logistic_regression",
        "n_folds": 2,
        "n_classes": 2,
        "seed": 0,
    }
    learning.work(request, tmp_path, SILENT)
    assert np.load(tmp_path / "released.npy").tolist() == [[0.5, 0.5], [0.5, 0.5], [0, 1], [0, 1]]
