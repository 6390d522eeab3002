"""Catalogue of translated texts: extracted from the code, updated, compiled.

`python -m tests.catalogue` updates every `resources/locale/*/LC_MESSAGES/anonymizer.po` with the texts of the
code and compiles it; `--new CODE` adds a language, and `--terms CODE` lists texts that have other words than
the glossary. A changed text keeps its old translation, marked as fuzzy, until a translator revises it.
"""

from __future__ import annotations

import argparse
import ast
import csv
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from unicodedata import combining, normalize

from babel.core import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_keywords
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from anonymizer_gui.help.library import HelpLibrary
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
GLOSSARY = "glossary.csv"


def extracted() -> Catalog:
    """Return every marked text of the code with its files."""
    found = Catalog(project="Anonymizer", charset="utf-8", fuzzy=False)
    filled = what_fills([path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))])
    for package in PACKAGES:
        for file, _line, message, comments, context in extract_from_dir(
            ROOT / package, [("**.py", "python")], keywords=KEYWORDS, comment_tags=("Translators:",)
        ):
            place = f"{package}/{Path(file).as_posix()}"
            said = [*comments, *filled[_forms(message)[0]]]
            found.add(message, None, [(place, None)], auto_comments=said, context=context)
    return found


def what_fills(files: Sequence[Path]) -> Mapping[str, list[str]]:
    """Return what fills the placeholders of texts: what the functions that write it say to return."""
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    documented = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name != "_"]
    times = Counter(node.name for node in documented)
    said = {
        node.name: f"{words[7].lower()}{words[8:].partition(chr(10))[0]}"
        for node in documented
        if (words := ast.get_docstring(node) or "").startswith("Return ") and times[node.name] == 1
    }
    found: dict[str, list[str]] = defaultdict(list)
    for node in nodes:
        match node:
            case ast.Call(ast.Attribute(ast.Call(args=[ast.Constant(str(text)), *_]), "format"), _, given):
                for one in given:
                    match one.value:
                        case ast.Call(ast.Name(name)) if name in said:
                            found[text].append(f"{{{one.arg}}} is {said[name]}")
    return found


def po_files() -> list[Path]:
    """Return the catalogues of all languages."""
    return sorted(LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def po_of(language: str) -> Path:
    """Return where the catalogue of a language is."""
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def language_of(po: Path) -> str:
    """Return the language of a catalogue."""
    return po.parent.parent.name


def read(po: Path) -> Catalog:
    """Return the catalogue of a language."""
    with po.open("rb") as file:
        return read_po(file, locale=language_of(po))


def compiled(catalog: Catalog) -> bytes:
    """Return a catalogue as the program loads it; a text that lacks one of its plural forms stays English."""
    buffer, whole = BytesIO(), deepcopy(catalog)
    for message in catalog:
        if message.id and not is_translated(message):
            whole.delete(message.id, message.context)
    write_mo(buffer, whole)
    return buffer.getvalue()


def update(po: Path) -> Catalog:
    """Update a catalogue with the texts of the code, compile it, and return it."""
    catalog = read(po) if po.exists() else begun(language_of(po))
    catalog.update(extracted(), no_fuzzy_matching=False)
    catalog.obsolete.clear()
    po.parent.mkdir(parents=True, exist_ok=True)
    with po.open("wb") as file:
        write_po(file, catalog, width=WIDTH, sort_by_file=True, include_lineno=False, omit_header=False)
    po.with_suffix(".mo").write_bytes(compiled(catalog := read(po)))
    return catalog


def begun(language: str) -> Catalog:
    """Return a catalogue with what is known of a language: plural forms, decimal mark and direction."""
    locale = Locale.parse(language)
    catalog = Catalog(language, project="Anonymizer", header_comment=f"# {locale.english_name}", fuzzy=False)
    catalog.add(".", locale.number_symbols["latn"]["decimal"], context="decimal mark")
    catalog.add("ltr", str(locale.text_direction), context="direction of the language: ltr or rtl")
    return catalog


def is_translated(message: Message) -> bool:
    """Return whether a text has all forms of its translation."""
    return all(_forms(message.string))


def glossary() -> list[dict[str, str]]:
    """Return the terms of the program with their meaning, and their words per language, separated by /."""
    return list(csv.DictReader((LOCALE / GLOSSARY).read_text(encoding="utf-8").splitlines()))


def update_glossary() -> None:
    """Give every language a column, and each term that the help explains the meaning it has there."""
    rows, terms = glossary(), HelpLibrary().terms
    columns = dict.fromkeys((*rows[0], *map(language_of, po_files())))
    with (LOCALE / GLOSSARY).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | {"meaning": terms.get(row["term"].casefold(), row["meaning"])} for row in rows)


def strays(catalog: Catalog, language: str) -> dict[str, tuple[int, list[str]]]:
    """Return for each term how many texts have it, and the translations with none of its words."""
    texts = [message for message in catalog if message.id and is_translated(message)]
    pairs = [pair for m in texts for pair in zip(_forms(m.id), _forms(m.string), strict=False)]
    found = {}
    for row in glossary():
        used = re.compile(rf"(?<![\w\[{{\"'`=-]){re.escape(row['term'])}(?:e?s)?(?![\w\]}}'\"`=-])", re.I)
        own = [_stem(word)[: max(6, len(word) - 2)] for word in row[language].split(" / ")]
        there = [other for text, other in pairs if used.search(text)]
        without = [text for text in there if not any(word in _stem(text) for word in own)]
        found[row["term"]] = len(there), without
    return found


def _stem(text: str) -> str:
    """Return a text without accents and capitals, so that forms of a word are alike: Wert, Werte, Wörter."""
    return "".join(c for c in normalize("NFD", text.casefold()) if not combining(c))


def _forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def main() -> int:
    """Update every catalogue, add one, or list the texts that leave the glossary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--new", metavar="CODE", help="begin the catalogue of a language, such as fr")
    parser.add_argument("--terms", metavar="CODE", help="list the texts that have no word of the glossary")
    given = parser.parse_args()
    if given.terms:
        for term, (n_texts, others) in strays(read(po_of(given.terms)), given.terms).items():
            sys.stdout.write("\n    ".join([f"{term}: {n_texts} texts", *others]) + "\n")
        return 0
    for po in sorted({*po_files(), *([po_of(given.new)] if given.new else [])}):
        catalog = update(po)
        missing = [message for message in catalog if message.id and not is_translated(message)]
        sys.stdout.write(f"{po}: {len(catalog)} texts, {len(missing)} without a translation\n")
    update_glossary()
    return 0


if __name__ == "__main__":
    sys.exit(main())
