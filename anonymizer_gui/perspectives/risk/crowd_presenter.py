"""Shows the crowd: asks for places, picture and a record of the clicked class, all in tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from anonymizer_gui.charts.lazy_pane import LazyPane
from anonymizer_gui.charts.legend import LegendEntry, Sample
from anonymizer_gui.perspectives.risk.crowd_view import CrowdPlan, CrowdWords, crowd_picture
from anonymizer_gui.perspectives.risk.pages import CROWD, CrowdPage
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.findings.blocks import INPUT, RELEASE, SideKey
from engine.frequency.counted import either
from engine.kernels.risks import least_size
from engine.numbers import as_exact_count, as_people, as_records, as_risk
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.findings.base import Analysis
    from engine.findings.risk.crowd import CrowdFound

_PICTURE, _MEMBER = "risk.crowd picture", "risk.member"


class CrowdPresenter(QObject):
    """Presenter of the crowd, with the record of the class that was chosen last."""

    def __init__(self, page: CrowdPage, desk: AnalysisDesk, place: str) -> None:
        super().__init__(page)
        self._page, self._desk, self._runner = page, desk, desk.session.runner
        self._found: CrowdFound | None = None
        self._threshold, self._chosen = 0.2, ("release", 0, 0)  # side, circle and place of the record
        self._asked = LazyPane(desk, page.card.pane_of(CROWD), self._make, place, self, show=self._show)
        canvas = page.crowd.canvas
        canvas.words_of = self._words_of
        canvas.picture_requested.connect(self._paint)
        canvas.circle_chosen.connect(lambda key, circle: self._ask_record(key, circle, 0))
        page.member.step_requested.connect(self._step)

    def ask(self) -> None:
        """Request the crowd, while its page is visible."""
        self._asked.set_wanted(True)

    def set_threshold(self, threshold: float) -> None:
        """Colour the dots by another accepted risk."""
        self._threshold = threshold
        if self._found is not None:
            self._show(self._found)

    def forget(self) -> None:
        """Discard the crowd of another release."""
        self._found = None
        for key in (_PICTURE, _MEMBER):
            self._runner.cancel(key)
        self._asked.forget()
        self._page.crowd.forget()
        self._page.member.forget()

    def _make(self) -> Analysis:
        from engine.findings.risk.crowd import Crowd

        return Crowd()

    def _show(self, found: CrowdFound) -> None:
        self._found = found
        self._page.crowd.show_crowd(found, crowd_words(found, self._threshold), least_size(self._threshold))

    def _paint(self, plan: CrowdPlan) -> None:
        if self._found is None:
            return
        canvas = self._page.crowd.canvas
        self._runner.run(
            crowd_picture,
            self._found,
            plan,
            then=lambda picture: canvas.show_picture(plan, picture),
            key=_PICTURE,
        )

    def _words_of(self, key: SideKey, circle: int) -> str:
        from engine.findings.risk.crowd import class_words

        return "" if self._found is None else class_words(self._found, key, circle)

    def _step(self, step: int) -> None:
        key, circle, place = self._chosen
        self._ask_record(key, circle, place + step)

    def _ask_record(self, key: str, circle: int, place: int) -> None:
        from engine.findings.risk.crowd import member

        if self._found is None:
            return
        self._chosen = key, circle, place
        card = self._page.member
        self._runner.run(
            member,
            self._found,
            key,
            circle,
            place,
            then=card.show_member,
            otherwise=card.show_failed,
            key=_MEMBER,
        )


def crowd_words(found: CrowdFound, threshold: float) -> CrowdWords:
    """Return what is said of a crowd under an accepted risk."""
    noun, after = found.counted, found.after
    titles = {
        key: (title, _numbers(found, key)) for key, title in ((INPUT, _("Input")), (RELEASE, _("Release")))
    }
    largest = {}
    for key in (INPUT, RELEASE):
        if len(sizes := found.side(key).sizes):
            words = (as_records, as_people)[noun.unit == "people"](int(sizes.max()))
            largest[key] = (words, _("largest class"))
    n_gone = found.n_suppressed
    return CrowdWords(
        found.statement().sentence,
        _basis(found),
        titles,
        largest,
        _("{n} suppressed").format(n=as_exact_count(n_gone)) if n_gone else "",
        _legend(found, threshold) if after.total else (),
    )


def _numbers(found: CrowdFound, key: SideKey) -> str:
    side = found.side(key)
    n = int(side.n_classes.sum())
    text = ngettext("{n} {records} in {classes} class", "{n} {records} in {classes} classes", n)
    return found.counted.said(text).format(n=as_exact_count(side.total), classes=as_exact_count(n))


def _basis(found: CrowdFound) -> str:
    n, noun = found.per_dot, found.counted
    if n > 1:
        text = _("One dot is {n} {records} in classes of one size; the smallest classes are at the rim.")
        return noun.said(text).format(n=as_exact_count(n))
    return either(
        noun,
        _(
            "One dot is one record. Records of a class are equal in the quasi-identifying columns; the "
            "smallest classes are at the rim."
        ),
        _("One dot is one person, in the smallest of their classes; the smallest classes are at the rim."),
    )


def _legend(found: CrowdFound, threshold: float) -> tuple[LegendEntry, ...]:
    noun, after, least = found.counted, found.after, least_size(threshold)
    entries = [LegendEntry(Sample.BLOCK, "danger", _("unique: matched with certainty"))]
    if least > 2:
        text = noun.said(_("2 to {n} {records}")).format(n=as_exact_count(least - 1))
        entries.append(LegendEntry(Sample.BLOCK, "warn", text))
    text = noun.said(_("{n} or more {records}")).format(n=as_exact_count(max(least, 2)))
    entries.append(LegendEntry(Sample.BLOCK, "series_2", text))
    n, size = after.n_smallest, as_exact_count(after.smallest)
    text = ngettext("the smallest class: {size}, {risk}", "the {n} smallest classes: {size} each, {risk}", n)
    words = text.format(n=as_exact_count(n), size=size, risk=as_risk(1 / after.smallest))
    return (*entries, LegendEntry(Sample.RING, "warn", words))
