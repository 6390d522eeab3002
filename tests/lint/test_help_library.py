"""Help pages: every registered member, the glossary, contents, search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anonymizer_gui.help import library
from anonymizer_gui.help.library import CONTENTS, GLOSSARY, HelpLibrary, excerpt_of, plain
from anonymizer_gui.help.presenter import TOPICS
from engine.cli import COMMANDS
from engine.hierarchies.builders.base import builders
from engine.params import describe
from engine.privacy.base import privacy_models
from engine.project.recipe.section import KEYS
from engine.recoding import recoding_methods
from engine.recoding.rules import column_rules
from engine.words import _, speaking

LIBRARY = HelpLibrary()
MEMBERS = [(at, key, kind) for at in library.MEMBER_PAGES for key, kind in library.family_of(at).items()]


@pytest.mark.parametrize(("page", "key", "kind"), MEMBERS, ids=[f"{page}-{key}" for page, key, _ in MEMBERS])
def test_every_registered_member_has_its_paragraph(page: str, key: str, kind: type) -> None:
    link = library.member_link(kind)
    assert link is not None
    found = [section for section in LIBRARY.page(page).sections if section.link == link]
    assert len(found) == 1, f"{key} has no heading of its own"
    assert len(plain(found[0].text).split()) >= 3


def test_the_page_of_models_has_key_class_formula_attacks_monotonicity_and_source() -> None:
    (found,) = (s for s in LIBRARY.page("members-models").sections if s.heading == "k-anonymity")
    for said in (
        "Formula: `|E| ≥ k`", "Protects against linkage, re-identification.",
        "Monotone: if a node meets it, all more general nodes do.", "(`k`): Smallest class size",
        "Source: Sweeney 2002", "Key: `k_anonymity`. Class: `engine.KAnonymity`.",
    ):  # fmt: skip
        assert said in found.text
    assert all(f"Key: `{key}`." in LIBRARY.page(page).text for page, key, _kind in MEMBERS)


@pytest.mark.parametrize("key", privacy_models)
def test_the_formula_of_a_model_is_about_its_settings(key: str) -> None:
    kind = privacy_models[key]
    settings = {descriptor.name for descriptor in describe(kind)}
    words = re.findall(r"\w+", kind.formula)
    assert words, "no formula"
    if key != "profitability_no_attack":  # in which the gain is in the place of the threshold
        assert kind.threshold_name in words
    letters = {"E", "N", "L", "C", "D", "R", "T", "P", "q", "p", "v", "r", "0", "1"}
    assert set(words) - letters - settings <= {"ln", "exp", "min", "mean", "Σ"}
    assert kind.protects
    assert kind.source


def test_the_reference_has_every_command_and_every_key_of_a_recipe() -> None:
    commands = LIBRARY.page("reference-commands")
    assert [section.heading for section in commands.sections[1:]] == [
        f"anonymizer {name}" for name in COMMANDS
    ]
    assert "--any-columns" in commands.text
    page = LIBRARY.page("reference-recipe")
    tables = {section.heading: section.text for section in page.sections}
    assert set(KEYS[""]) <= set(tables)
    for table, keys in KEYS.items():
        assert all(f"- `{key}` (" in tables[table] for key in keys if table), table
    assert {*privacy_models, *builders, *column_rules, *recoding_methods} <= set(tables)
    assert (
        "- `k` (a whole number from 1 to 1000000000, default `5`): Smallest class size"
        in tables["k_anonymity"]
    )
    german = HelpLibrary("de")
    with speaking("de"):
        assert german.page("reference-recipe").title == "Schlüssel eines Rezepts"


def test_every_page_is_in_the_contents() -> None:
    linked = set(re.findall(r"\]\(([\w-]+)\.md", LIBRARY.page(CONTENTS).text))
    assert linked | {CONTENTS} == set(LIBRARY.names)


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_topic_and_every_link_to_a_section_finds_it(language: str) -> None:
    with speaking(language):
        pages = HelpLibrary(language)
        links = {
            link
            for name in pages.names
            for link in re.findall(r"\]\(([\w-]+\.md#[^)]+)\)", pages.page(name).text)
        }
        for page, _mark, term in (topic.partition("#") for topic in TOPICS.values()):
            links.add(f"{page}.md#{library.anchor_of(_(term) if term else pages.page(page).title)}")
        assert links <= {section.link for name in pages.names for section in pages.page(name).sections}


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_glossary_entry_begins_with_one_short_sentence(language: str) -> None:
    pages = HelpLibrary(language)
    assert len(pages.terms) > 60
    for term, sentence in pages.terms.items():
        assert sentence.endswith((".", "]")), term
        assert len(sentence.split()) <= 30, term
    headings = [section.heading for section in pages.page(GLOSSARY).sections[1:]]
    assert headings == sorted(headings, key=str.casefold)


def test_search_lists_headings_before_texts() -> None:
    found = LIBRARY.search("k-anonymity")
    assert found[0].heading.casefold() == "k-anonymity"
    assert len(found) > 1
    assert LIBRARY.search("no such word anywhere") == []
    assert LIBRARY.search("   ") == []
    assert LIBRARY.search("known_columns")[0].page == "attackers"  # not the news
    assert HelpLibrary("de").search("klassengröße")[0].heading == "Klassengröße"


def test_an_excerpt_contains_the_words() -> None:
    section = next(section for section in LIBRARY.search("suppression limit") if "limit" in section.text)
    assert "limit" in excerpt_of(section, "limit").casefold()
    found = LIBRARY.search("delta_presence requires")[
        0
    ]  # in a table: the key has its underscore, and no rule
    assert "met by a class if k_map" in excerpt_of(found, "requires").casefold()


def test_a_page_in_the_language_of_the_user_is_preferred(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# Help\n\nEnglish", encoding="utf-8")
    (tmp_path / "risk.md").write_text("# Risk\n\nEnglish", encoding="utf-8")
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / "risk.md").write_text("# Risiko\n\nDeutsch", encoding="utf-8")
    library = HelpLibrary("de", tmp_path)
    assert library.page("risk").title == "Risiko"
    assert library.page("index").title == "Help"
    with pytest.raises(KeyError):
        library.page("none")


def test_a_comment_in_code_is_not_a_heading(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text(
        "# Help\n\n```sh\n# a comment\n```\n\n## Next\n\nText", encoding="utf-8"
    )
    sections = HelpLibrary("en", tmp_path).page("index").sections
    assert [section.heading for section in sections] == ["Help", "Next"]


def test_wide_tables_are_lists_in_narrow_room() -> None:
    cell = "a sentence that needs more than the room that a line of the page has"
    table = f"| A | B | C | D |\n|---|---|---|---|\n| `x` | {cell} | p \\| q | |\n| y | {cell} | r | s |\n"
    lists = f"**`x`**\n\n- B: {cell}\n- C: p \\| q\n\n**y**\n\n- B: {cell}\n- C: r\n- D: s\n"
    assert library.in_narrow_room(f"Before\n\n{table}\nAfter") == f"Before\n\n{lists}\nAfter"
    numbers = table.replace(cell, "0.1")
    assert library.in_narrow_room(numbers) == numbers


def test_the_first_sentence_ends_before_a_letter_that_is_not_small() -> None:
    ends = {"Eins, d. h. zwei. Über": "Eins, d. h. zwei.", "Un. Échelle": "Un.", "جملة. ثانية": "جملة."}
    assert {text: library.first_sentence(text) for text in ends} == ends
