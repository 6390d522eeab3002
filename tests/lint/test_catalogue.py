"""Every text a user reads is marked, and translations fit their texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir

from anonymizer_gui.session.preferences import LANGUAGES, Preferences
from engine.numbers import as_nodes, as_records, as_values, in_records
from engine.params import Configurable, describe
from engine.project.project import SearchSettings
from engine.recoding.transformation import Transformation
from engine.records.options import ExportOptions, ReadOptions
from engine.words import N_, _, pgettext, speaking
from tests.catalogue import (
    KEYWORDS,
    PACKAGES,
    ROOT,
    begun,
    compiled,
    extracted,
    glossary,
    language_of,
    po_files,
    po_of,
    read,
    strays,
    what_fills,
)
from tests.marked_texts import unmarked
from tests.read_texts import ALLOWED, reading_places

GERMAN = po_of("de")

# No sentence, though it looks like one.
AS_WRITTEN = ("such as 7, 7.0 and 007", "such as 1 and 1.0.")  # forms of numbers in files
AS_TYPED = {
    "Apache License 2.0",
    "SIL Open Font License 1.1",
    "Identifier of 45 CFR 164.514(b)(2)(i), with its letter.",
    "Such as ≤ 0.3, 3..5, > 2 and < 5, or is missing",
    "Write a comparison, a range or numbers, such as <= 0.3, 3..5, > 2 and < 5, 1, 2.",
    "Join conditions with and, or: age <= 30 and loss < 0.3.",
    "Write a number without quotes, such as 30 or 0.5.",
}
NO_SENTENCES = ("anonymizer_gui/perspectives/explore/metric_text.py",)


@pytest.mark.parametrize("package", ["engine", "anonymizer_gui"])
def test_no_sentence_is_outside_of_the_catalogue(package: str) -> None:
    assert [place for place in unmarked(ROOT, package) if not place.startswith(NO_SENTENCES)] == []


def test_a_sentence_outside_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    code = 'label.setText(f"There are {n} records in it.")\n'
    (tmp_path / "shown" / "a.py").write_text(code, encoding="utf-8")
    assert list(unmarked(tmp_path, "shown")) == ["shown/a.py:1: There are {} records in it."]


@pytest.mark.parametrize("package", ["engine", "anonymizer_gui"])
def test_no_logic_reads_a_text_that_people_read(package: str) -> None:
    assert list(reading_places(ROOT, package)) == []


@pytest.mark.parametrize(
    "code",
    [
        "shown = [row for row in rows if row.title in _SHOWN]",
        "if self._metric == _('loss'): pass",
        "sizes = {_('Input'): 3}",
        "def f(self):\n    start = self.tr('bands of ')\n    return text.startswith(start)",
        "first = _('{a} to {b}').format(a=1, b=2).partition(' to ')",
        "chosen = values[self.box.currentText()]",
        "if box.currentText() == 'none': pass",
        "if any(text == _(other) for text in texts): pass",
    ],
)
def test_logic_that_reads_a_text_would_be_noticed(code: str, tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "a.py").write_text(code, encoding="utf-8")
    assert len(list(reading_places(tmp_path, "shown"))) == 1


def test_every_exception_of_reading_texts_is_a_file_that_needs_it(tmp_path: Path) -> None:
    for name in ALLOWED:
        copy = tmp_path / "all" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    noticed = {place.split(":")[0].removeprefix("all/") for place in reading_places(tmp_path, "all")}
    assert noticed == set(ALLOWED)


def test_there_is_a_german_catalogue() -> None:
    assert GERMAN in po_files()


@pytest.mark.parametrize("po", po_files(), ids=language_of)
def test_a_catalogue_has_the_texts_of_the_code_and_is_compiled(po: Path) -> None:
    """`python -m tests.catalogue` brings it up to date."""
    catalog = read(po)
    assert {(m.id, m.context) for m in catalog if m.id} == {(m.id, m.context) for m in extracted() if m.id}
    assert po.with_suffix(".mo").read_bytes() == compiled(catalog)
    assert [message.id for message in catalog if message.id and message.fuzzy] == []


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{[^{}]*\}", text.replace("{records:dative}", "{records}")))


@pytest.mark.parametrize("po", po_files(), ids=language_of)
def test_a_translation_has_no_placeholder_that_its_text_lacks(po: Path) -> None:
    wrong = []
    for message in read(po):
        ids = (message.id,) if isinstance(message.id, str) else message.id
        known = set[str]().union(*map(placeholders, ids))
        texts = (message.string,) if isinstance(message.string, str) else message.string
        wrong += [text for text in texts if message.id and not placeholders(text) <= known]
    assert wrong == []


def plurals() -> dict[tuple[str, str | None], set[str]]:
    """Return the plurals of every singular of the code."""
    found = defaultdict(set)
    for package in PACKAGES:
        for *_unused, message, _comments, context in extract_from_dir(
            ROOT / package, [("**.py", "python")], keywords=KEYWORDS
        ):
            if isinstance(message, tuple) and len(message) == 2:
                found[message[0], context].add(message[1])
    return found


def test_no_singular_has_two_plurals() -> None:
    """A catalogue has one entry per singular: the second plural would take the forms of the first."""
    assert {one: many for one, many in plurals().items() if len(many) > 1} == {}


# What a word means without a context, and what it means with one.
TWO_MEANINGS = {
    ("Open", "attack"): ("Öffnen", "Offen"),
    ("Measure", "noun"): ("Messen", "Maß"),
    ("Change", "noun"): ("Ändern", "Änderung"),
    ("Use", "noun"): ("Verwenden", "Verwendung"),
    ("Sets", "verb"): ("Mengen", "Setzt"),
    ("Number", "of bands"): ("Anzahl", "Anzahl"),
    ("From", "columns"): ("Von", "Aus"),
    ("Review", "noun"): ("Ansehen", "Überprüfung"),
    ("Number", "of a field"): ("Anzahl", "Nummer"),
    ("none", "value"): ("keine", "kein Wert"),
}


@pytest.mark.parametrize(("word", "context"), TWO_MEANINGS)
def test_a_word_with_two_meanings_has_a_context(word: str, context: str) -> None:
    with speaking("de"):
        assert (_(word), pgettext(context, word), _(N_(word, context))) == (
            *TWO_MEANINGS[word, context],
            TWO_MEANINGS[word, context][1],
        )
    assert _(N_(word, context)) == word


def test_numbers_in_german_have_the_decimal_mark_of_german() -> None:
    """Except where a recipe, a file, a typed filter or a version has a point."""
    points = re.compile(r"\d\.\d")
    found = {
        message.id
        for message in read(GERMAN)
        if isinstance(message.id, str) and message.id and points.search(message.string)
    }
    assert {text for text in found if not text.endswith(AS_WRITTEN)} == AS_TYPED


def kinds_of_program() -> Iterator[type]:
    """Yield the members and settings of the program that have parameters; other tests add further ones."""
    waiting: list[type] = [Configurable]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith(("engine.", "anonymizer_gui.")):
            yield kind
    yield from (Preferences, ReadOptions, ExportOptions, Transformation, SearchSettings)


def test_every_text_of_a_parameter_is_marked() -> None:
    """One-word options too, which the scan for sentences does not see."""
    marked = {m.id if isinstance(m.id, str) else m.id[0] for m in extracted() if m.id}
    unmarked_texts = set()
    for kind in kinds_of_program():
        for descriptor in describe(kind):
            held = vars(descriptor)
            texts = [held.get(name, "") for name in ("label", "help", "section", "switch", "rule")]
            texts += [option[1] for option in held.get("options", ()) if isinstance(option, tuple)]
            texts += held.get("ways", ())
            words = {text.rpartition("\x04")[2] for text in texts if re.search(r"[a-z]{2,}", text)}
            unmarked_texts |= {f"{kind.__name__}: {text}" for text in words - marked}
    assert unmarked_texts <= {f"Preferences: {name}" for _code, name in LANGUAGES}


def test_german_quotes_and_nouns_after_numbers_are_german() -> None:
    texts = [m.string if isinstance(m.string, tuple) else (m.string,) for m in read(GERMAN) if m.id]
    assert [text for forms in texts for text in forms if re.search(r"'\{[^{}]*\}'", text)] == []
    with speaking("de"):
        assert (as_nodes(2), as_values(2)) == ("2 Knoten", "2 Werte")
        assert (as_records(2), in_records(2), in_records(1)) == (
            "2 Datensätze",
            "2 Datensätzen",
            "1 Datensatz",
        )


def test_no_text_has_the_words_that_the_vocabulary_replaced() -> None:
    """A node is no "way" but in the promise of the start page; columns "give way"."""
    replaced = re.compile(r"(?i)\bways\b|(?<!give )(?<!gives )\bway\b|\bleft out\b|\blooks? alike\b")
    texts = [form for m in extracted() if m.id for form in ([m.id] if isinstance(m.id, str) else m.id)]
    found = {text for text in texts if replaced.search(text)}
    assert found == {"Every way to anonymize your table, priced."}


@pytest.mark.parametrize(
    ("language", "numbers", "facts"),
    [
        ("fr", (1, 10**6, 2), [",", "ltr"]),
        ("pl", (1, 2, 5), [",", "ltr"]),
        ("ar", (0, 1, 2, 3, 11, 100), [".", "rtl"]),
    ],
)
def test_a_new_language_has_its_plural_forms_and_is_english_where_it_lacks_one(
    language: str, numbers: tuple[int, ...], facts: list[str]
) -> None:
    catalog = begun(language)
    forms = [f"{{n}} form {n}" for n in numbers]
    catalog.add(("{n} record", "{n} records"), tuple(forms))
    catalog.add(("class", "classes"), (*forms[:-1], ""))
    texts = GNUTranslations(BytesIO(compiled(catalog)))
    assert [texts.ngettext("{n} record", "{n} records", n) for n in numbers] == forms
    assert [texts.ngettext("class", "classes", n) for n in (0, 1, 2)] == ["classes", "class", "classes"]
    assert [texts.pgettext(m.context, m.id) for m in catalog if m.context] == facts


@pytest.mark.parametrize("po", po_files(), ids=language_of)
def test_translations_have_the_words_of_the_glossary(po: Path) -> None:
    """Nine of ten texts with a term: `python -m tests.catalogue --terms CODE` lists the others."""
    found = strays(read(po), language_of(po))
    assert {term: texts for term, (n, texts) in found.items() if len(texts) > n // 10 + 1} == {}
    assert po != GERMAN or found["record"][0] > 1000
    assert all(row["meaning"] for row in glossary())


def test_a_translator_reads_what_fills_a_placeholder(tmp_path: Path) -> None:
    code = (
        'def as_risk(n):\n    """Return a share: 5 %."""\n_("{name} of {share}").format(share=as_risk(3))\n'
    )
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    assert what_fills([tmp_path / "a.py"]) == {"{name} of {share}": ["{share} is a share: 5 %."]}
    assert any(line.startswith("{records} is a number of ") for m in read(GERMAN) for line in m.auto_comments)
