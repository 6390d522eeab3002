"""Session in the window in which every job fails, and every error quotes a cell of the table.

`python tests/privacy/marked_journey.py RECIPE CELL FOLDER` opens the recipe, then lets every job fail.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from PySide6.QtWidgets import QApplication

from anonymizer_gui.app import catch_errors, shut_down
from anonymizer_gui.tasks import GuiThreadCollector
from anonymizer_gui.tasks.task import Job, Report
from anonymizer_gui.wiring import Wiring
from engine.scratch import sweep
from tests.anonymizer_gui.hands import let_run

ASKED = ("score", "first_release", "apply_optimum", "continue_scoring", "configure", "explore", "history")


def wait_for(condition: Callable[[], bool], seconds: float = 200) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        let_run(20)


def fail(cell: str) -> NoReturn:
    warnings.warn(f"cell A1 holds {cell}", stacklevel=1)
    logging.getLogger("a library").warning("could not read %s", cell)
    raise ValueError(f"could not convert string to float: '{cell}'")


class Falls:
    """Raises where no handler catches it."""

    def __init__(self, cell: str) -> None:
        self.cell = cell

    def __del__(self) -> None:
        fail(self.cell)


def main(recipe: Path, cell: str, folder: Path) -> None:
    app = QApplication([])
    sweep()
    wiring = Wiring(app)
    garbage = GuiThreadCollector(wiring)  # as in the program: no worker may delete Qt objects
    problems: list[str] = []
    catch_errors(lambda problem, _hint: problems.append(problem))
    wiring.window.show()
    wiring.open_path(recipe)
    wait_for(lambda: wiring.session.project is not None)
    wait_for(lambda: wiring.is_settled and wiring.session.results.evaluation is not None)
    wiring.releases.apply_optimum()
    wait_for(lambda: wiring.session.applied.release is not None)
    wait_for(lambda: wiring.is_settled)
    wiring.projects._saving.save(folder / "kept.anon")
    # Unsaved changes would open a dialog later, which no user answers.
    wait_for(lambda: not wiring.session.saved.is_modified and wiring.is_settled)
    run = Job.run

    def run_that_fails(job: Job, report: Report | None = None) -> None:
        job._call = lambda: fail(cell)
        run(job, report)

    Job.run = run_that_fails  # type: ignore[method-assign]
    for name in ASKED:
        wiring.actions[name].trigger()
        let_run(20)  # some jobs start in a later event, and one would replace another
        wait_for(lambda: not wiring.runner.is_busy)
    wiring.projects._saving.save(folder / "other.anon")
    wiring.projects._saving.save_recipe(folder / "other.toml")
    wiring.open_path(recipe.parent / "table.csv")
    wait_for(lambda: not wiring.runner.is_busy and len(problems) >= 4)
    assert cell not in " ".join(problems)
    thread = threading.Thread(target=fail, args=(cell,))
    thread.start()
    thread.join()
    Falls(cell)
    wiring.session.close_project()
    wiring.shutdown()
    garbage.end()
    shut_down(wiring)
    sys.stderr.write("came to the end\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
