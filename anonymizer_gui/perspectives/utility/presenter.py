"""Analyze utility: compares the applied or previewed release with its input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from anonymizer_gui.models.preview_presenter import PreviewPresenter
from anonymizer_gui.perspectives.utility.panes_presenter import PanesPresenter
from anonymizer_gui.perspectives.utility.tables.presenter import TablesPresenter
from anonymizer_gui.perspectives.utility.tiles_strip import CLASSES, KEPT, LOSS, MEAN, SUPPRESSED
from anonymizer_gui.perspectives.utility.view import UtilityPerspective
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.widgets.made_ahead import MadeAhead
from engine.numbers import DASH, as_count, as_decimal, as_exact_count, as_loss, as_percent

if TYPE_CHECKING:
    from engine.findings.utility.loss_by_attribute import LossByAttributeFound
    from engine.recoding import Release


class UtilityPresenter(QObject):
    """Computes lazily, when the perspective is first shown."""

    def __init__(self, desk: AnalysisDesk, ahead: MadeAhead | None = None) -> None:
        view = UtilityPerspective(ahead=ahead)
        super().__init__(view)
        self._session, self._desk, self.view = desk.session, desk, view
        self._is_compared = False  # whether the tables show the current release
        self._wanted_record: int | None = None
        self.preview = PreviewPresenter(desk, "utility", view.preview, view.empty)
        self._tables = TablesPresenter(desk, view.tables)
        self._tables.error_raised.connect(view.error.show_failure)
        self._tables.shown.connect(self._on_tables_shown)
        self._panes = PanesPresenter(desk, view)
        self._panes.loss_found.connect(self._show_loss)
        for card in view.cards.values():
            card.error_raised.connect(view.error.show_failure)
        view.strip.grouping_chosen.connect(self._tables.group)
        view.strip.linked_toggled.connect(view.tables.set_linked)
        view.strip.changed_toggled.connect(view.tables.show_only_changed)
        view.shown.connect(self._on_shown)
        desk.subject_changed.connect(self._on_subject_changed)
        desk.session.applied.stale_changed.connect(lambda _text: self._panes.show_settings())
        desk.session.remembered.runs_changed.connect(self._panes.show_settings)
        self._on_subject_changed()

    @property
    def is_settled(self) -> bool:
        return self._desk.preview.is_settled and self._desk.is_settled

    def show_record(self, record: int) -> None:
        """Scroll to a record, counted from 0, in both tables."""
        self._wanted_record = record
        if self._tables.sides is not None:
            self._on_tables_shown()

    # -------------------------------------------------------------------------------------------

    def _on_subject_changed(self) -> None:
        self._is_compared = False
        self.view.error.hide()
        self._tables.forget()
        release = self.preview.release
        if release is None:
            self.view.show_empty()
        else:
            self.view.show_results()
            self._show_tiles(release)
        self._panes.show_subject()
        self._look()

    def _on_shown(self, is_shown: bool) -> None:
        self.preview.set_visible(is_shown)
        self._panes.look()
        if is_shown:
            self._look()

    def _look(self) -> None:
        """Compare when visible, because it takes long for many records."""
        if self.view.isVisible() and self._desk.subject is not None and not self._is_compared:
            self._is_compared = True
            self._tables.show_subject()

    def _on_tables_shown(self) -> None:
        sides = self._tables.sides
        if self._wanted_record is not None and sides is not None:
            if self._wanted_record < sides.input.n_records:
                self._tables.show_record(self._wanted_record)
            self._wanted_record = None

    def _show_tiles(self, release: Release) -> None:
        """Show values computed from the classes alone, which are available immediately."""
        strip, n_records, n_suppressed = self.view.strip, release.n_records, release.n_suppressed
        n_kept, n_classes = n_records - n_suppressed, release.n_classes
        exact = as_exact_count(n_kept)
        strip.show_tile(
            KEPT, as_count(n_kept), self.tr("of {n_records}").format(n_records=as_count(n_records)), exact
        )
        share = as_percent(n_suppressed / max(n_records, 1))
        strip.show_tile(SUPPRESSED, as_count(n_suppressed), share, as_exact_count(n_suppressed))
        strip.show_tile(LOSS, DASH)
        if not n_classes:
            nothing = self.tr("no record is kept")
            strip.show_tile(CLASSES, "0", nothing)
            strip.show_tile(MEAN, DASH, nothing)
            return
        sizes = release.kept_records
        words = self.tr("{min} to {max} records").format(
            min=as_count(int(sizes.min())), max=as_count(int(sizes.max()))
        )
        strip.show_tile(CLASSES, as_count(n_classes), words, as_exact_count(n_classes))
        middle = float(np.median(sizes))
        median = as_exact_count(middle) if middle == round(middle) else as_decimal(middle, 1)
        strip.show_tile(
            MEAN, as_decimal(n_kept / n_classes, 1), self.tr("median {median}").format(median=median)
        )

    def _show_loss(self, found: LossByAttributeFound) -> None:
        release = self.preview.release
        is_optimum = (
            release is not None
            and release.recoding is None
            and release.node == self._session.results.optimum
            and not self._session.applied.stale_text
        )
        words = self.tr("0 to 1, optimum") if is_optimum else self.tr("0 to 1")
        self.view.strip.show_tile(LOSS, as_loss(found.loss), words, repr(found.loss))
