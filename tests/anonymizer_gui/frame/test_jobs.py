"""Jobs in the window: strip, list, Cancel, and closing while they run."""

from __future__ import annotations

import threading
import time

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from anonymizer_gui.jobs_presenter import ClosingDialog
from anonymizer_gui.tasks import Task
from anonymizer_gui.theming import theme_manager
from anonymizer_gui.widgets.job_strip import JobStrip
from engine.errors import InputError
from engine.monitor import SILENT, Monitor
from tests.anonymizer_gui.look_checks import clipped_texts, looks, overlapping_siblings
from tests.window_driver import Driver

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Work:
    """Job that runs until released or cancelled."""

    def __init__(self) -> None:
        self.end = threading.Event()
        self.error: Exception | None = None

    def __call__(self, monitor: Monitor = SILENT) -> str:
        while not self.end.wait(0.002):
            monitor.step(1, 4)
        if self.error is not None:
            raise self.error
        return "done"


def begin(driver: Driver, label: str = "", key: object = None) -> tuple[Work, Task]:
    work = Work()
    task = driver.wiring.runner.start(Task(work), label=label, key=key)
    return work, task


def strips(parent: QWidget) -> list[JobStrip]:
    return [strip for strip in parent.findChildren(JobStrip) if strip.isVisible()]


def job_list(driver: Driver) -> QWidget:
    driver.key(Qt.Key.Key_Period, CONTROL | SHIFT)
    return driver.find("jobList")


def test_all_jobs_are_listed_and_each_has_its_own_cancel(driver: Driver) -> None:
    (_, first), (_, second) = begin(driver, "Opening a.csv"), begin(driver, "Saving b.anon")
    popup = job_list(driver)
    driver.wait(lambda: [strip.bar.share() for strip in strips(popup)] == [0.25, 0.25])
    assert [s.text.text().split(" · ")[0] for s in strips(popup)] == ["Opening a.csv", "Saving b.anon"]
    driver.key(Qt.Key.Key_Space)  # the first Cancel has the focus
    driver.wait(lambda: first.has_ended)
    assert first.is_cancelled
    assert not second.is_cancelled
    driver.wait(lambda: len(strips(popup)) == 1)
    driver.key(Qt.Key.Key_Escape)
    assert not popup.isVisible()
    assert driver.window.status.job.text.text().startswith("Saving b.anon")


def test_more_jobs_than_threads_wait_and_are_shown_as_waiting(driver: Driver) -> None:
    for number in range(5):
        begin(driver, f"Job {number}")
    driver.click("jobsButton")
    popup = driver.find("jobList")
    driver.wait(lambda: ["waiting" in strip.text.text() for strip in strips(popup)] == [False] * 4 + [True])


def test_a_slow_task_becomes_a_job_named_after_its_effect(driver: Driver) -> None:
    work, task = begin(driver, key="compile")
    assert driver.window.status.job.isHidden()
    driver.wait(lambda: driver.window.status.job.isVisible())
    assert time.monotonic() - task.started_at >= 0.3
    assert driver.window.status.job.text.text().startswith("Preparing the settings")
    work.end.set()
    driver.wait(lambda: driver.window.status.job.isHidden())
    assert not driver.window.findChild(QWidget, "jobsButton").isVisible()


def test_the_cancel_shortcut_stops_the_newest_job_within_half_a_second(driver: Driver) -> None:
    (_, first), (_, second) = begin(driver, "Opening a.csv"), begin(driver, "Saving b.anon")
    started = time.monotonic()
    driver.key(Qt.Key.Key_Period, CONTROL)
    driver.wait(lambda: second.has_ended, 500)
    assert time.monotonic() - started < 0.5
    assert not first.is_cancelled


def test_cancel_stops_the_job_next_to_it_even_if_a_later_one_runs(driver: Driver) -> None:
    _, shown = begin(driver, "Scoring best nodes first")
    _, unlabelled = begin(driver, key="evaluate")
    driver.click("jobsButton")
    popup = driver.find("jobList")
    driver.wait(lambda: len(strips(popup)) == 2)
    driver.key(Qt.Key.Key_Escape)
    assert driver.window.status.job.text.text().startswith("Scoring best nodes first")
    driver.click(driver.window.status.job._cancel)
    driver.wait(lambda: shown.has_ended)
    assert not unlabelled.is_cancelled


def test_closing_during_a_job_asks_and_can_be_cancelled(driver: Driver) -> None:
    _, task = begin(driver, "Exporting people.csv")
    shown: list[str] = []

    def stay(dialog: ClosingDialog) -> None:
        shown.extend(strip.text.text().split(" · ")[0] for strip in strips(dialog))
        driver.click("keepOpenButton")

    driver.when_modal(ClosingDialog, stay)
    assert not driver.window.close()
    assert shown == ["Exporting people.csv"]
    assert driver.window.isVisible()
    assert not task.is_cancelled


def test_stopping_cancels_every_job_and_then_closes_the_window(driver: Driver) -> None:
    tasks = [begin(driver, "Exporting people.csv")[1], begin(driver, "Scoring")[1], begin(driver)[1]]
    driver.when_modal(ClosingDialog, lambda _dialog: driver.click("stopAndCloseButton"))
    assert driver.window.close()
    assert all(task.has_ended and task.is_cancelled for task in tasks)
    assert not driver.window.isVisible()


def test_waiting_closes_the_window_once_the_last_job_has_ended(driver: Driver) -> None:
    work, task = begin(driver, "Exporting people.csv")

    def wait(_dialog: ClosingDialog) -> None:
        driver.click("closeWhenDoneButton")
        work.end.set()

    driver.when_modal(ClosingDialog, wait)
    assert driver.window.close()
    assert task.has_ended
    assert not task.is_cancelled


def test_a_failed_job_keeps_the_window_open_for_its_error(driver: Driver) -> None:
    work, task = begin(driver, "Exporting people.csv")
    work.error = InputError("The disk is full.")
    task.failed.connect(driver.wiring.frame.show_error)

    def wait(_dialog: ClosingDialog) -> None:
        driver.click("closeWhenDoneButton")
        work.end.set()

    driver.when_modal(ClosingDialog, wait)
    assert not driver.window.close()
    assert driver.window.banner.problem() == "The disk is full."


def test_tasks_the_user_did_not_start_are_not_asked_about(driver: Driver) -> None:
    begin(driver, "Saving a copy", key="autosave")
    assert driver.window.close()


def test_list_and_question_fit_at_every_scale(
    driver: Driver, themed: QApplication, is_thorough: bool
) -> None:
    for label in ("Reading a table with a rather long name of its file, of the year before.csv", "Scoring"):
        begin(driver, label)
    found: list[str] = []

    def look(dialog: ClosingDialog) -> None:
        found.extend([*clipped_texts(dialog), *overlapping_siblings(dialog)])
        driver.click("keepOpenButton")

    for theme, scale in looks(is_thorough=is_thorough):
        theme_manager().apply(themed, theme, scale)
        popup = job_list(driver)
        driver.wait(lambda p=popup: len(strips(p)) == 2)  # type: ignore[misc]
        found += [*clipped_texts(popup), *overlapping_siblings(popup)]
        driver.key(Qt.Key.Key_Escape)
        driver.when_modal(ClosingDialog, look)
        assert not driver.window.close()
    assert found == []
