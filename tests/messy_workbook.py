"""A workbook as people write them: titles, cells of several kinds, postal codes as numbers, a total."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import openpyxl

HEADINGS = ("Lfd. Nr.", "Geburtsdatum", "PLZ", "Geschlecht", "Hauptdiagnose", "Gewicht")
N_RECORDS = 40
_PLACES = (4109, 10115, 1067, 80331, 50667, 20095, 70173, 60311)
_DIAGNOSES = ("I10", "E11.9", "I25.1", "J45.0", "M54.5")


def write_messy(path: Path, *, has_total: bool = True) -> Path:
    """Write 40 records below two merged titles, with a blank row among them and a total below them."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Patienten Q3"
    sheet.append(["Universitätsklinik Musterstadt, Patientenliste 3. Quartal"])
    sheet.append(["Stand: 30.09.2026, vertraulich"])
    sheet.merge_cells("A1:F1")
    sheet.merge_cells("A2:F2")
    sheet.append(HEADINGS)
    for number in range(1, N_RECORDS + 1):
        born = dt.date(1950 + number, number % 12 + 1, 12)
        sheet.append(
            [
                number,
                born if number % 5 < 2 else born.strftime("%d.%m.%Y"),
                _PLACES[number % len(_PLACES)],
                "wm"[number % 2],
                _DIAGNOSES[number % len(_DIAGNOSES)],
                60.4 + number if number % 4 else f"{60 + number},5",
            ]
        )
        if number == 4:
            sheet.append([])
    if has_total:
        sheet.append(["Summe", None, None, None, None, 3242.5])
    book.save(path)
    return path
