"""Terms of the glossary are underlined in labels and explained on hover."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import TermLabel, make_label
from anonymizer_gui.widgets.layouts import vbox
from anonymizer_gui.widgets.terms import Terms, use_terms

MEANINGS = {
    "class": "Records that are equal in all quasi-identifying columns.",
    "class size": "Number of records in a class.",
    "suppressed": "Replaced with *.",
}
WRAPPED = "Records in a class that is too small are written as rows of * and count as suppressed records."


@pytest.fixture(autouse=True)
def glossary() -> Iterator[None]:
    use_terms(lambda: MEANINGS)
    yield
    use_terms(dict)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Smallest class size (k)", ["class size"]),
        ("All classes of the class", ["classes"]),
        ("Suppressed records", ["Suppressed"]),
        ("subclass, classification, classy", []),
        ("Column 'class' of “suppressed.csv”", []),
        ("", []),
    ],
)
def test_the_longest_term_is_found_once_and_never_in_names(text: str, found: list[str]) -> None:
    terms = Terms(lambda: MEANINGS).find(text)
    assert [text[term.start : term.start + term.length] for term in terms] == found


def shown(qtbot: QtBot, label: object, width: int) -> TermLabel:
    label.setFixedWidth(width)
    label.adjustSize()
    qtbot.addWidget(label)
    label.show()
    qtbot.waitExposed(label)
    return label


def test_the_words_of_a_term_are_underlined_with_dots(qtbot: QtBot) -> None:
    label = shown(qtbot, make_label("The class", tone="text"), 200)
    ((_term, (rect,)),) = label.term_places()
    picture = label.grab().toImage()
    y = round(rect.top() + label.fontMetrics().ascent()) + 2
    paper = QColor(picture.pixel(picture.width() - 1, y))
    dots = [QColor(picture.pixel(x, y)) != paper for x in range(int(rect.left()), int(rect.right()))]
    assert len(dots) // 4 < sum(dots) < len(dots) * 3 // 4
    assert not any(QColor(picture.pixel(x, y)) != paper for x in range(int(rect.left()) - 2))


def test_the_pointer_on_a_term_shows_its_meaning_and_the_label_s_own_hint(qtbot: QtBot) -> None:
    label = shown(qtbot, make_label(WRAPPED, wraps=True), 160)
    label.setToolTip("Counted by the suppression limit")
    places = {term.term: rects for term, rects in label.term_places()}
    assert set(places) == {"class", "suppressed"}
    assert places["class"][0].top() < places["suppressed"][-1].top(), "they are in different lines"
    qtbot.mouseMove(label, places["suppressed"][-1].center().toPoint())
    qtbot.waitUntil(lambda: QToolTip.isVisible() and "Replaced with *." in QToolTip.text(), timeout=5000)
    assert "Counted by the suppression limit" in QToolTip.text()
    QToolTip.hideText()


def test_a_term_is_underlined_once_in_a_card(qtbot: QtBot) -> None:
    card = Card("Suppressed records")
    labels = [make_label(text) for text in ("The class", "A class, suppressed", "Smallest class size")]
    card.set_body(vbox(*labels))
    shown(qtbot, card, 300)
    titled = card.findChildren(TermLabel)
    words = {label.text(): len(label.underlined()) for label in titled}
    assert words == {
        "Suppressed records": 1, "The class": 1, "A class, suppressed": 0, "Smallest class size": 1
    }  # fmt: skip
    assert all(label.term_places() for label in titled), "the pointer still explains them"


def test_headings_numbers_and_values_have_no_terms(qtbot: QtBot) -> None:
    for use in (Text.HEADING, Text.STAT, Text.CELL_STRONG, Text.CHIP):
        label = make_label("class", use)
        qtbot.addWidget(label)
        assert not isinstance(label, TermLabel)


def test_words_are_found_where_an_aligned_label_draws_them(qtbot: QtBot) -> None:
    label = shown(qtbot, make_label("class"), 300)
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    label.setFixedHeight(60)
    ((_term, (rect,)),) = label.term_places()
    picture = label.grab().toImage()
    paper = picture.pixel(0, 0)
    inked = [
        (x, y)
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixel(x, y) != paper
    ]
    assert min(x for x, _y in inked) == pytest.approx(rect.left(), abs=2)
    assert max(x for x, _y in inked) == pytest.approx(rect.right(), abs=2)
    assert rect.top() <= min(y for _x, y in inked)
    assert max(y for _x, y in inked) <= rect.bottom() + 2
