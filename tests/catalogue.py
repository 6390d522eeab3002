"""Catalogue of translated texts: extracted from the code, updated, compiled.

`python -m tests.catalogue` updates every `resources/locale/*/LC_MESSAGES/anonymizer.po` with the texts of the
code and compiles it; `--new CODE` adds a language. A changed text keeps its old translation, marked as fuzzy,
until a translator revises it.
"""

from __future__ import annotations

import argparse
import sys
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_keywords
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from engine.words import DOMAIN, LOCALE

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "anonymizer_gui")
# The second argument of tr and N_ is the context of the text.
KEYWORDS = parse_keywords(
    (  # as pybabel extract -k
        *("_", "N_:1,1t", "N_:1,2c,2t", "lazy", "ngettext:1,2", "pgettext:1c,2", "npgettext:1c,2,3"),
        *("tr:1,1t", "tr:1,2c,2t"),
    )
)
WIDTH = 110


def extracted() -> Catalog:
    """Return every marked text of the code with its files."""
    found = Catalog(project="Anonymizer", charset="utf-8", fuzzy=False)
    for package in PACKAGES:
        for file, _line, message, comments, context in extract_from_dir(
            ROOT / package, [("**.py", "python")], keywords=KEYWORDS, comment_tags=("Translators:",)
        ):
            place = f"{package}/{Path(file).as_posix()}"
            found.add(message, None, [(place, None)], auto_comments=comments, context=context)
    return found


def po_files() -> list[Path]:
    """Return the catalogues of all languages."""
    return sorted(LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def read(po: Path) -> Catalog:
    """Return the catalogue of a language."""
    with po.open("rb") as file:
        return read_po(file, locale=po.parent.parent.name)


def compiled(catalog: Catalog) -> bytes:
    """Return a catalogue in the compiled form that the program loads."""
    buffer = BytesIO()
    write_mo(buffer, catalog)
    return buffer.getvalue()


def update(po: Path) -> None:
    """Update a catalogue with the texts of the code, and compile it."""
    catalog = (
        read(po) if po.exists() else Catalog(locale=po.parent.parent.name, project="Anonymizer", fuzzy=False)
    )
    catalog.update(extracted(), no_fuzzy_matching=False)
    catalog.obsolete.clear()
    po.parent.mkdir(parents=True, exist_ok=True)
    with po.open("wb") as file:
        write_po(file, catalog, width=WIDTH, sort_by_file=True, include_lineno=False, omit_header=False)
    po.with_suffix(".mo").write_bytes(compiled(catalog))


def main() -> int:
    """Update every catalogue, or add one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--new", metavar="CODE", help="begin the catalogue of a language, such as fr")
    given = parser.parse_args()
    if given.new:
        update(LOCALE / given.new / "LC_MESSAGES" / f"{DOMAIN}.po")
    for po in po_files():
        update(po)
        catalog = read(po)
        missing = [message for message in catalog if message.id and not all(_forms(message.string))]
        sys.stdout.write(f"{po}: {len(catalog)} texts, {len(missing)} without a translation\n")
    return 0


def _forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


if __name__ == "__main__":
    sys.exit(main())
