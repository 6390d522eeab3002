"""Writes the figures of all cases, or compares them.

.venv/bin/python -m tests.frozen                          # write all kept files again
.venv/bin/python -m tests.frozen --case hospital --part said
.venv/bin/python -m tests.frozen --compare                # and entries that are not needed any more
xz -dc tests/frozen/kept/hospital.said.en.txt.xz          # one figure per line
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from itertools import product
from pathlib import Path
from types import SimpleNamespace

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before anything creates a QApplication

from pytestqt.qt_compat import qt_api
from pytestqt.qtbot import QtBot

from anonymizer_gui.application import Application
from anonymizer_gui.widgets import accessible
from tests.frozen.cases import CASES, write_tables
from tests.frozen.comparing import DIFFERENCES, MOVED, differences, lost_numbers
from tests.frozen.window import shown
from tests.frozen.writing import LANGUAGES, PARTS, keep, kept, kept_path, said


def main() -> int:
    """Write or compare; return 1 if a figure differs or an entry is not needed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cases = {case.name: case for case in CASES}
    parser.add_argument("--case", choices=cases, action="append", help="only this one")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this one")
    parser.add_argument("--compare", action="store_true", help="compare instead of writing")
    given = parser.parse_args()
    qt_api.set_qt_api("pyside6")  # type: ignore[no-untyped-call]  # as the pytest plug-in does
    app = Application([])
    accessible.install()
    bot = QtBot(SimpleNamespace(config=SimpleNamespace(getini=lambda _name: None)))  # type: ignore[arg-type]
    needed: set[str] = set()
    n_different = 0
    for name, part, language in product(given.case or cases, given.part or PARTS, LANGUAGES):
        with tempfile.TemporaryDirectory() as temporary:
            folder, case = Path(temporary), cases[name]
            os.environ["ANONYMIZER_CONFIG_DIR"] = str(folder / "config")
            write_tables(folder)
            is_said = part == "said"
            now = said(case, folder, language) if is_said else shown(case, folder, language, bot, app)
        path = kept_path(case, part, language)
        if given.compare:
            before = kept(path)
            found = differences(before, now, needed=needed) if is_said else lost_numbers(before, now)
            n_different += len(found)
            sys.stdout.writelines(f"{path.name}: {line}\n" for line in found)
        else:
            sys.stdout.write(f"{path.name}: {keep(now, path)} figures\n")
        sys.stdout.flush()
    unneeded = {*MOVED, *DIFFERENCES} - needed if given.compare and not given.case else set()
    sys.stdout.writelines(f"not needed: {entry}\n" for entry in sorted(unneeded))
    return 1 if n_different or unneeded else 0


if __name__ == "__main__":
    sys.exit(main())
