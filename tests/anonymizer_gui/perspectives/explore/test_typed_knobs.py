"""A number typed into a knob is used exactly, or refused with a reason."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.knobs.bar import SUPPRESSION, KnobBar
from anonymizer_gui.perspectives.explore.knobs.specs import knob_specs, turned
from anonymizer_gui.widgets.knob import Knob
from engine.errors import AnonymizerError, InputError
from engine.numbers import as_typed
from engine.params import ColumnRef, Integer, Real, describe
from engine.privacy import PrivacyModel, Requirement, privacy_models
from engine.privacy.k_anonymity import KAnonymity
from tests.anonymizer_gui.look_checks import accessible_value
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.strategies import Attributes, Case

CASE = Case((Attributes("age", tuple("aabbcc")),), (Attributes("illness", tuple("uvwxyz")),))


class Driver:
    """Types into the knobs of a requirement, and records their signals."""

    def __init__(self, qtbot: QtBot, requirement: Requirement) -> None:
        self.qtbot, self.requirement = qtbot, requirement
        self.bar = KnobBar()
        qtbot.addWidget(self.bar)
        self.bar.resize(1440, 90)
        self.bar.show_knobs(knob_specs(requirement, CASE.problem))
        self.bar.show()
        self.changed: list[tuple[str, float]] = []
        self.refused: list[InputError] = []
        self.bar.value_changed.connect(self.take)
        self.bar.refused.connect(self.refused.append)

    def take(self, key: str, value: float) -> None:
        """Update the scales of the knobs from the changed requirement, as the presenter does."""
        self.changed.append((key, value))
        self.requirement = turned(self.requirement, key, value)
        self.bar.show_knobs(knob_specs(self.requirement, CASE.problem))

    def type_into(self, key: str, text: str) -> Knob:
        knob = self.bar.knobs[key]
        type_number(self.qtbot, knob, text)
        return knob


def type_number(qtbot: QtBot, knob: Knob, text: str, end: Qt.Key = Qt.Key.Key_Return) -> None:
    knob.entry.setFocus()
    knob.entry.selectAll()
    qtbot.keyClicks(knob.entry, text)
    qtbot.keyClick(knob.entry, end)


def made(key: str) -> PrivacyModel:
    kind = privacy_models[key]
    return kind(**{d.name: "illness" for d in describe(kind) if isinstance(d, ColumnRef)})


@pytest.fixture
def k(qtbot: QtBot, themed: QApplication) -> Driver:
    return Driver(qtbot, Requirement((KAnonymity(5),), 0.05))


@pytest.mark.parametrize(
    ("text", "value"),
    [("150", 150), ("60000", 60_000), ("60 000", 60_000), ("1", 1), ("1e3", 1000), ("12.0", 12)],
)
def test_any_size_that_is_typed_is_taken_and_the_scale_follows(k: Driver, text: str, value: float) -> None:
    knob = k.type_into("k", text)
    assert k.changed == [("k", value)]
    assert k.refused == []
    assert knob.value() == knob.entry.value() == value
    assert knob.entry.text() == str(int(value))
    spec = knob_specs(k.requirement, CASE.problem)[0]
    assert spec.scale.minimum <= value <= spec.scale.maximum


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("25", 0.25, "25.00"),
        ("100", 1.0, "100.00"),
        ("2,5", 0.025, "2.50"),
        ("2.5%", 0.025, "2.50"),
        ("7,125 %", 0.07125, "7.125"),
        (".5", 0.005, "0.50"),
        ("0", 0.0, "0.00"),
    ],
)
def test_any_share_that_is_typed_is_the_limit(k: Driver, text: str, value: float, shown: str) -> None:
    knob = k.type_into(SUPPRESSION, text)
    assert k.changed == [(SUPPRESSION, value)]
    assert knob.value() == value
    assert knob.entry.text() == f"{shown}\u202f%"


@pytest.mark.parametrize(
    ("key", "text", "why"),
    [
        ("k", "0", "It must be a whole number from 1"),
        ("k", "-5", "It must be a whole number from 1"),
        ("k", "2.5", "” is not a whole number."),
        ("k", "1,000", "” can mean two numbers."),
        ("k", "99999999999999", "It must be a whole number from 1"),
        ("k", "five", "is not a number"),
        ("k", "1e999", "is not a number"),
        ("k", "nan", "is not a number"),
        (SUPPRESSION, "150", "from 0 to 1"),
        (SUPPRESSION, "-1", "from 0 to 1"),
        (SUPPRESSION, "5%5", "is not a number"),
        (SUPPRESSION, "1.2.3", "is not a number"),
    ],
)
def test_an_invalid_number_is_explained_and_the_previous_one_restored(
    k: Driver, key: str, text: str, why: str
) -> None:
    knob = k.bar.knobs[key]
    value, shown = knob.value(), knob.entry.text()
    type_number(k.qtbot, knob, text, Qt.Key.Key_Tab)
    assert (knob.value(), knob.entry.text()) == (value, shown)
    assert k.changed == []
    (error,) = k.refused
    assert " is still " in error.problem
    assert text in error.problem
    assert why in error.hint


@pytest.mark.parametrize("key", list(privacy_models))
def test_every_model_accepts_valid_thresholds_and_refuses_others(
    qtbot: QtBot, themed: QApplication, key: str
) -> None:
    model = made(key)
    (parameter,) = (d for d in describe(type(model)) if d.name == model.threshold_name)
    factor = 100 if isinstance(parameter, Real) and parameter.is_share else 1  # shares are typed in percent
    low, high = parameter.minimum * factor, parameter.maximum * factor  # type: ignore[attr-defined]
    texts = [as_typed(low, 0), as_typed(high, 0), *(as_typed(u * factor, 0) for u in parameter.usual)]
    if not isinstance(parameter, Integer):
        texts.append(as_typed(low + (min(high, 10 * factor) - low) / 8, 0).replace(".", ","))
    driver = Driver(qtbot, Requirement((model,)))
    name = model.symbol
    for text in [*texts, as_typed(high + 1, 0), as_typed(low - 1, 0)]:
        number = float(text.replace(",", "."))
        number = round(number / factor, 9) if factor > 1 else number
        before, n_refused = driver.bar.knobs[name].value(), len(driver.refused)
        knob = driver.type_into(name, text)
        try:
            model.with_limit(number)
        except AnonymizerError:
            assert knob.value() == before
            assert len(driver.refused) == n_refused + 1
        else:
            assert knob.value() == driver.requirement.models[0].limit == number
            assert knob.entry.value() == pytest.approx(number * factor, abs=1e-9)
            assert len(driver.refused) == n_refused


def test_a_percent_sign_divides_by_a_hundred_if_shares_are_shown_as_numbers(
    qtbot: QtBot, themed: QApplication
) -> None:
    driver = Driver(qtbot, Requirement((made("t_closeness"),)))
    assert driver.type_into("t", "12,5 %").value() == 0.125
    assert driver.requirement.models[0].limit == 0.125


def test_a_limit_with_more_digits_than_usual_is_shown_as_it_is(qtbot: QtBot, themed: QApplication) -> None:
    model = made("t_closeness").with_limit(0.125)
    knob = Driver(qtbot, Requirement((model,))).bar.knobs["t"]
    assert knob.entry.text() == "0.125"
    assert accessible_value(knob) == "0.125"


def test_numbers_typed_in_explore_are_those_the_lattice_is_evaluated_by(qtbot: QtBot, bench: Bench) -> None:
    session, bar = bench.session, bench.explore.view.knobs
    raised: list[Exception] = []
    bench.session.runner.error_raised.connect(raised.append)
    n_values = len(session.project.table.column("hours-per-week").labels)  # type: ignore[union-attr]
    for key, text in (
        ("k", "150"),
        (SUPPRESSION, "25"),
        ("l", str(n_values + 1)),
        ("t", "0,125"),
        ("k", "60000"),
    ):
        type_number(qtbot, bar.knobs[key], text)
        qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
    requirement = session.project.requirement
    limits = {model.symbol: model.limit for model in requirement.models}
    assert limits == {"k": 60_000, "l": n_values + 1, "t": 0.125}
    assert requirement.suppression_limit == 0.25
    assert session.results.evaluation.requirement == requirement
    assert session.results.optimum is None  # more than there are records
    for key in ("k", "l", SUPPRESSION):
        knob = bar.knobs[key]
        spec = next(spec for spec in bar._specs if spec.key == key)
        assert spec.scale.minimum <= knob.value() <= spec.scale.maximum
    assert raised == []
    type_number(qtbot, bar.knobs["k"], "0")
    assert session.project.requirement == requirement
    assert "Smallest class is still 60" in str(raised[0])
